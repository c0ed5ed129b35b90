/**
 * A stand-in for the sidecar of hy_memory that raises the same fences in the same order, then tries to break out, in its
 * own thread and in a worker: `probe <home> <port>`. The tests bundle it as the product is bundled; nothing of it ships.
 */
import { raiseFences } from "@memory-bridge/hermes-plugin/Fences"
import { platformFor } from "@memory-bridge/hermes-plugin/Platform"
import { openStateDirectory } from "@memory-bridge/hermes-plugin/StateDirectory"
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { isMainThread, parentPort, Worker } from "node:worker_threads"

const [, script = "", home = "", port = ""] = process.argv

const outcomeOf = (attempt: () => void): string => {
  try {
    attempt()
    return "done"
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "failed"
  }
}

const connected = (): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), "127.0.0.1")
    socket.on("connect", () => {
      socket.destroy()
      resolve("done")
    })
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "failed"))
  })

const listening = (): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer()
    server.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "failed"))
    server.listen(0, "127.0.0.1", () => server.close(() => resolve("done")))
  })

const tried = async () => {
  const state = join(home, ".one-memory")
  const name = isMainThread ? "main" : "worker"
  return {
    replace: outcomeOf(() => {
      writeFileSync(join(state, `${name}.tmp`), "x")
      renameSync(join(state, `${name}.tmp`), join(state, name))
      rmSync(join(state, name))
    }),
    directory: outcomeOf(() => mkdirSync(join(state, "inner"))),
    outside: outcomeOf(() => writeFileSync(join(home, name), "x")),
    connect: await connected(),
    listen: await listening()
  }
}

if (isMainThread) {
  const fences = raiseFences(
    () => platformFor(process.platform).landlock(openStateDirectory(home), "recall"),
    ["node_worker"]
  )
  const worker = new Worker(script, { argv: [home, port] })
  worker.on("message", (inWorker: unknown) => {
    void tried().then((inMain) => process.stdout.write(`${JSON.stringify({ fences, inMain, inWorker })}\n`))
  })
} else {
  void tried().then((outcome) => parentPort?.postMessage(outcome, []))
}
