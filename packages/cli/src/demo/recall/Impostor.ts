/**
 * Somebody else on a dead Broker's port: it knows all that the discovery file says, and claims to be that Broker. It may
 * receive no byte of the credential and nothing of a question. (recall-contract 1.4 "Identity before credential")
 */
import { discoveryOf } from "@memory-bridge/core/recall/Discovery"
import { identityAnswer } from "@memory-bridge/core/recall/Identity"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { createServer } from "node:net"
import { HostFailed } from "../Host.ts"
import type { World } from "./World.ts"

export interface Impostor {
  /** Everything that it received. */
  readonly received: () => string
}

const answerTo = (instance: string): string => {
  const body = JSON.stringify(identityAnswer(instance, ["0".repeat(64)]))
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Listens where the discovery file points, until the scope closes. */
export const takePort = Effect.fnUntraced(function* ({ broker }: World) {
  const files = yield* FileSystem.FileSystem
  const found = discoveryOf(yield* files.readFileString(broker.discoveryFile))
  if (Result.isFailure(found)) return yield* new HostFailed({ reason: "host_failed", detail: "No discovery file." })
  const { endpoint, instance } = found.success
  let received = ""
  const server = createServer((socket) => {
    socket.on("error", () => undefined)
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1")
      if (received.endsWith("\r\n\r\n")) socket.end(answerTo(instance))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void, HostFailed>((resume) => {
      server.once("error", () =>
        resume(Effect.fail(new HostFailed({ reason: "host_failed", detail: "The Broker's port cannot be had." })))
      )
      server.listen(endpoint.port, endpoint.host, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
      })
  )
  return { received: () => received } satisfies Impostor
})
