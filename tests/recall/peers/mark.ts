/**
 * Marks memories in a home's state file without end, or as many as it is told: `mark.ts <home> <name> [count]`. Says
 * each one once it is on disk.
 */
import { applied } from "@memory-bridge/core/recall/Seen"
import { SeenStore } from "@memory-bridge/core/recall/SeenStore"
import * as SeenFiles from "@memory-bridge/platform-posix/recall/SeenFiles"
import * as Effect from "effect/Effect"

const [, , home = "", name = "", count = "Infinity"] = process.argv

const mark = (id: string) =>
  SeenStore.use((store) =>
    store.update(home, "a-key-of-thirty-two-characters-or-more", (state) =>
      applied(state, { kind: "shown", session: "s1", marks: [{ id, digest: "0".repeat(32) }] })
    )
  )

const run = Effect.gen(function* () {
  for (let index = 0; index < Number(count); index++) {
    const id = `${name}${index}`
    const written = yield* mark(id)
    process.stdout.write(`${JSON.stringify(written === undefined ? { lost: id } : { marked: id })}\n`)
  }
})

void Effect.runPromise(Effect.provide(run, SeenFiles.layer))
