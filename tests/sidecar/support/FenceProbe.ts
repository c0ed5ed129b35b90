/**
 * A stand-in for the sidecar that raises the same fences in the same order, then tries to break out. The tests bundle it
 * as the product is bundled; nothing of it ships.
 */
import { raiseFences } from "@memory-bridge/hermes-plugin/Fences"
import { platformFor } from "@memory-bridge/hermes-plugin/Platform"
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { connect } from "node:net"

const fences = raiseFences(() => platformFor(process.platform).landlock(undefined))

const [, , folder, port] = process.argv as [string, string, string, string]

const sync = (attempt: () => void): string => {
  try {
    attempt()
    return "done"
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "failed"
  }
}

const async = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => "done",
    (error: unknown) => (error as NodeJS.ErrnoException).code ?? "failed"
  )

const connected = (): Promise<string> =>
  new Promise((resolve) => {
    try {
      const socket = connect(Number(port), "127.0.0.1")
      socket.on("connect", () => {
        socket.destroy()
        resolve("done")
      })
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "failed"))
    } catch (error) {
      resolve((error as NodeJS.ErrnoException).code ?? "failed")
    }
  })

const main = async (): Promise<void> => {
  const outcome = {
    fences,
    read: sync(() => readFileSync(`${folder}/there`)),
    syncWrite: sync(() => writeFileSync(`${folder}/sync`, "x")),
    syncChange: sync(() => closeSync(openSync(`${folder}/there`, "r+"))),
    // Eight at once: more than the pool has threads.
    asyncWrites: await Promise.all(
      Array.from({ length: 8 }, (_, index) => async(writeFile(`${folder}/async-${index}`, "x")))
    ),
    connect: await connected()
  }
  writeSync(1, JSON.stringify(outcome) + "\n")
}

void main()
