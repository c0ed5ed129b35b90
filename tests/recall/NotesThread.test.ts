/** Recall from notes in a thread of its own: a scan holds nobody up. (issue 4 "It must reach") */
import { assert, describe, it } from "@effect/vitest"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import * as NotesThread from "@memory-bridge/platform-posix/recall/NotesThread"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { allowNotes, emptyHome, note } from "./support/Home.ts"
import { here } from "./support/Peers.ts"

const started: Array<Worker> = []
const layer = Layer.fresh(
  NotesThread.layer(() => {
    const worker = new Worker(join(here, "peers", "notesThread.ts"), { execArgv: ["--no-warnings"] })
    started.push(worker)
    return worker
  })
)

const question = { query: "boat harbour", limit: 5, session: "" }
const search = (home: string) =>
  RecallNotes.use((notes) => notes.search(home, [], question)).pipe(
    Effect.match({
      onSuccess: (items) => items.map(({ id }) => id).join(" "),
      onFailure: ({ reason, rule }) => `${reason}: ${rule}`
    })
  )

const home = Effect.gen(function* () {
  const at = yield* emptyHome
  allowNotes(at)
  note(at, "boat.md", "# The boat\n\nAda lies in the harbour of Kiel.")
  return at
})

describe("notes in a thread", () => {
  it.live("are recalled, and refusals come through as they are", () =>
    Effect.gen(function* () {
      const at = yield* home
      const bare = yield* emptyHome
      yield* Effect.gen(function* () {
        const present = (of: string) => RecallNotes.use((notes) => notes.present(of))
        assert.deepStrictEqual([yield* present(at.path), yield* present(bare.path)], [true, false])
        assert.strictEqual(yield* search(at.path), "boat.md")
        assert.strictEqual(yield* search(bare.path), "notes_refused: missing")
        allowNotes(at, { allow: [] })
        assert.strictEqual(yield* search(at.path), "")
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("leave the process free while they are scanned", () =>
    Effect.gen(function* () {
      const at = yield* home
      const text = "boat harbour lorem ipsum ".repeat(250)
      for (let index = 0; index < 1_500; index++) note(at, `n${index}.md`, `# Note ${index}\n\n${text}`)
      yield* Effect.gen(function* () {
        yield* search(at.path)
        let turns = 0
        let done = false
        const spin = (): void => {
          turns++
          if (!done) setTimeout(spin, 1)
        }
        spin()
        yield* search(at.path)
        done = true
        // On the same thread it would be two: one before and one after the scan.
        assert.isAtLeast(turns, 5)
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("that dies fails who waits, and is started again", () =>
    Effect.gen(function* () {
      const at = yield* home
      yield* Effect.gen(function* () {
        started.length = 0
        const both = yield* Effect.all([search("/nowhere/crash"), search(at.path)], { concurrency: 2 })
        assert.strictEqual(both[0], "defect: thread")
        assert.strictEqual(yield* search(at.path), "boat.md")
        assert.isAbove(started.length, 1)
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("is not waited for by who has left, and ends with its scope", () =>
    Effect.gen(function* () {
      const at = yield* home
      started.length = 0
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(search(at.path), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* search(at.path), "boat.md")
      }).pipe(Effect.provide(layer))
      assert.strictEqual(started.length, 1)
      assert.strictEqual(started[0]!.threadId, -1, "the thread has ended")
    }).pipe(Effect.scoped)
  )
})
