/** A sidecar with a thread that a system call holds: `stuck.cjs FIFO`, which nobody ever writes to. */
import { common } from "@memory-bridge/hermes-plugin/Methods"
import { runSidecar } from "@memory-bridge/hermes-plugin/Sidecar"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { once } from "node:events"
import { Worker } from "node:worker_threads"

const read = `
require("node:worker_threads").parentPort.postMessage("reads")
require("node:fs").readFileSync(${JSON.stringify(process.argv[2])})`

const thread = Layer.effectDiscard(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const worker = new Worker(read, { eval: true })
      await once(worker, "message")
      return worker
    }),
    (worker) => Effect.promise(() => worker.terminate())
  )
)

void runSidecar({
  services: thread,
  landlock: () => ({ name: "landlock", holds: false, detail: "test" }),
  methods: (fences) => new Map(common(fences))
})
