/**
 * The built plugin hy_memory, from Python to its source: what serves, and what happens when a source does not. (issue 4
 * "Tests that must exist", cases/recall.md 1, 23 and 26)
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { nodes } from "../sidecar/support/Nodes.ts"
import { allowNotes, connectHome, note, startBroker } from "../recall/support/Home.ts"
import { hostile } from "../recall/support/Peers.ts"
import { breakConnection, directAt, homeWithPlugin, play } from "./support/Provider.ts"

interface Said {
  readonly turns: ReadonlyArray<number>
  readonly error: string
  readonly retry: boolean
  readonly status: { readonly mode: string; readonly reason?: string; readonly running: number }
  readonly search: { readonly count: number; readonly context: string }
  readonly pid: number
  readonly while: number
}

const isAlive = (pid: number): boolean => existsSync(join("/proc", `${pid}`))

describe.each(nodes)("on Node $version", ({ path }) => {
  it.live("notes are recalled once a session, and the tool finds them again", () =>
    Effect.gen(function* () {
      const home = yield* homeWithPlugin
      allowNotes(home)
      note(home, "boat.md", "# The boat\n\nAda lies in the harbour of Kiel.")
      const { code, said, stderr } = yield* play(home, "turns", {}, path)
      const { search, status, turns } = said as unknown as Said
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.deepStrictEqual(turns, [1, 0])
      assert.strictEqual(search.count, 1)
      assert.include(search.context, "Kiel")
      assert.strictEqual(status.mode, "notes")
    }).pipe(Effect.scoped)
  )

  it.live("a Broker is asked from behind the fences", () =>
    Effect.gen(function* () {
      const home = yield* homeWithPlugin
      allowNotes(home)
      note(home, "boat.md", "# The boat\n\nAda lies in the harbour of Kiel.")
      yield* connectHome(home)
      yield* startBroker(home)
      const { said } = yield* play(home, "turns", {}, path)
      const { status, turns } = said as unknown as Said
      assert.deepStrictEqual(turns, [1, 0])
      assert.strictEqual(status.mode, "managed")
    }).pipe(Effect.scoped)
  )
})

describe("a source that does not serve", () => {
  for (const way of ["silent", "dripping", "redirecting", "not utf8", "wrong type", "chunked flood", "gzip bomb"]) {
    it.live(`costs a turn nothing and ends the tool for good: ${way}`, () =>
      Effect.gen(function* () {
        const home = yield* homeWithPlugin
        const peer = yield* hostile(way)
        const { code, said, stderr } = yield* play(home, "down", directAt(peer.endpoint.port))
        const { error, retry, status, turns } = said as unknown as Said
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.deepStrictEqual([turns, error, retry], [[0], "unavailable", false])
        assert.deepStrictEqual([status.mode, status.running], ["direct", 0])
      }).pipe(Effect.scoped)
    )
  }

  it.live("nobody listens", () =>
    Effect.gen(function* () {
      const home = yield* homeWithPlugin
      const peer = yield* hostile("silent")
      yield* Effect.promise(peer.child.kill)
      const { said } = yield* play(home, "down", directAt(peer.endpoint.port))
      assert.deepInclude(said, { turns: [0], error: "unavailable", retry: false })
    }).pipe(Effect.scoped)
  )

  it.live("a broken connection file disables recall, and no other source takes its place", () =>
    Effect.gen(function* () {
      const home = yield* homeWithPlugin
      allowNotes(home)
      note(home, "boat.md", "# The boat\n\nAda lies in the harbour of Kiel.")
      breakConnection(home)
      const peer = yield* hostile("silent")
      const { said } = yield* play(home, "down", directAt(peer.endpoint.port))
      const { status, turns } = said as unknown as Said
      assert.deepStrictEqual([turns, status.mode, status.reason], [[0], "disabled", "connection_invalid"])
      assert.strictEqual(yield* peer.received, "")
    }).pipe(Effect.scoped)
  )

  it.live("a search that waits for it holds up no other call", () =>
    Effect.gen(function* () {
      const home = yield* homeWithPlugin
      const peer = yield* hostile("silent")
      const { said } = yield* play(home, "several", directAt(peer.endpoint.port, { HY_MEMORY_TIMEOUT: "2" }))
      const { error, while: taken } = said as unknown as Said
      assert.strictEqual(error, "unavailable")
      // One by one there would be none.
      assert.isAtLeast(taken, 2)
    }).pipe(Effect.scoped)
  )

  it.live("the interpreter ends cleanly under a recall that hangs, and the sidecar with it", () =>
    Effect.gen(function* () {
      const home = yield* homeWithPlugin
      const peer = yield* hostile("silent")
      const settings = directAt(peer.endpoint.port, { HY_MEMORY_TIMEOUT: "30" })
      const { code, millis, said, stderr } = yield* play(home, "leave", settings)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.isBelow(millis, 25_000, "it did not wait for the source")
      assert.isFalse(isAlive((said as unknown as Said).pid))
    }).pipe(Effect.scoped)
  )
})
