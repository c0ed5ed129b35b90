/** The reference Broker over a home's notes, as a process of its own: `broker.ts <home> <discovery file> <grant store>`. */
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { notesAnswer } from "@memory-bridge/core/recall/BrokerAnswer"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import * as Mac from "@memory-bridge/platform-posix/recall/Mac"
import { serveBroker } from "@memory-bridge/platform-posix/recall/BrokerServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const [, , home = "", discoveryFile = "", grantStore = ""] = process.argv

const serve = Effect.gen(function* () {
  const answer = yield* notesAnswer(home)
  const { endpoint, instance } = yield* serveBroker({ discoveryFile, grantStore, answer })
  process.stdout.write(`${JSON.stringify({ port: endpoint.port, instance })}\n`)
  return yield* Effect.never
})

void Effect.runPromise(
  serve.pipe(
    Effect.scoped,
    Effect.provide(RecallNotes.layer.pipe(Layer.provide(Mac.layer))),
    Effect.provide(Layer.mergeAll(Notes.layer, PolicyStore.layer).pipe(Layer.provide(LinuxTree.layer)))
  )
)
