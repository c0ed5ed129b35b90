/** The thread of recall from notes. With a home that ends in `crash` it dies at the first question. */
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import * as Mac from "@memory-bridge/platform-posix/recall/Mac"
import { answerThrough } from "@memory-bridge/platform-posix/recall/NotesThread"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { parentPort } from "node:worker_threads"

parentPort!.on("message", ({ asked }: { readonly asked: { readonly home: string } }) => {
  if (asked.home.endsWith("crash")) process.exit(1)
})

void Effect.runPromise(
  answerThrough(parentPort!).pipe(
    Effect.provide(RecallNotes.layer.pipe(Layer.provide(Mac.layer))),
    Effect.provide(Layer.mergeAll(Notes.layer, PolicyStore.layer).pipe(Layer.provide(LinuxTree.layer)))
  )
)
