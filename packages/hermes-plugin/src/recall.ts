/**
 * The sidecar of the Hermes plugin hy_memory: what is plugged into what. (seed 003, issue 4, design.md section 6)
 *
 * Its one argument is the Hermes home whose state it keeps. It connects to the source that the home is configured for,
 * writes in the home's state directory and nowhere else, and scans notes in a worker, which is this same file again.
 *
 * Built as one CommonJS file; see Fences.ts for why it must not become an ES module.
 */
import { Recall } from "@memory-bridge/core/recall/Recall"
import * as NotesThread from "@memory-bridge/platform-posix/recall/NotesThread"
import * as RecallPlatform from "@memory-bridge/platform-posix/recall/RecallPlatform"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isMainThread, parentPort, Worker } from "node:worker_threads"
import { platformFor } from "./Platform.ts"
import { recallTable } from "./RecallMethods.ts"
import { runSidecar } from "./Sidecar.ts"
import { openStateDirectory } from "./StateDirectory.ts"

const platform = platformFor(process.platform)
const [, script = "", home = ""] = process.argv

const notes = NotesThread.layer(() => new Worker(script, { argv: [home], stdin: false }))

if (isMainThread) {
  void runSidecar({
    services: Recall.layer.pipe(Layer.provide(notes), Layer.provide(RecallPlatform.layer)),
    landlock: () => platform.landlock(openStateDirectory(home), "recall"),
    methods: recallTable,
    order: "as_completed",
    without: ["node_worker"]
  })
} else if (parentPort !== null) {
  void Effect.runPromise(Effect.provide(NotesThread.answerThrough(parentPort), platform.notes))
}
