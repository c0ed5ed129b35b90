/**
 * Two turns and a hand-over by the whole of recall, as a process of its own: `turns.ts <home> <plugin directory> <query>`.
 * Prints what each turn was handed.
 */
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { Recall } from "@memory-bridge/core/recall/Recall"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import * as RecallPlatform from "@memory-bridge/platform-posix/recall/RecallPlatform"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

const [, , home = "", plugin = "", query = ""] = process.argv

const place = {
  profile: { home, plugin_directory: plugin, environment: {}, run: "primary", history: "kept" },
  session: "s1"
} as const

const turn = Effect.gen(function* () {
  const recall = yield* Recall
  const { block, count, marks, result } = yield* recall.queue(place, query)
  yield* recall.taken(place, result, marks)
  process.stdout.write(`${JSON.stringify({ count, block })}\n`)
})

const layer = Recall.layer.pipe(
  Layer.provide(RecallNotes.layer),
  Layer.provide(Layer.mergeAll(Notes.layer, PolicyStore.layer)),
  Layer.provide(LinuxTree.layer),
  Layer.provide(RecallPlatform.layer),
  Layer.provideMerge(Logger.layer([]))
)

void Effect.runPromise(Effect.provide(Effect.andThen(turn, turn), layer)).then(() => {
  process.stdout.write(`${JSON.stringify({ done: true })}\n`)
})
