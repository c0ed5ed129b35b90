/**
 * The reference Broker: loopback HTTP over a function that answers questions. (issue 4 part 2, recall-contract 1.4)
 *
 * The rules for a request are the core's `BrokerGate`; here are the socket, the caps and the files. One address, a port
 * that the system picks, one request a connection, everything bounded in bytes, time and number. It tells who it is to
 * anybody, by signing, and answers questions to whoever holds a credential of the store.
 */
import type { BrokerAnswer } from "@memory-bridge/core/recall/BrokerAnswer"
import { admitted, type RequestHead } from "@memory-bridge/core/recall/BrokerGate"
import { contextAnswer, maxContextBytes, questionOf } from "@memory-bridge/core/recall/ContextWire"
import { type Credential } from "@memory-bridge/core/recall/Credential"
import { type Discovery, discoveryText, protocols } from "@memory-bridge/core/recall/Discovery"
import { authorityOf, type Endpoint } from "@memory-bridge/core/recall/Endpoint"
import { identityAnswer, proof } from "@memory-bridge/core/recall/Identity"
import { sameText } from "@memory-bridge/core/recall/Mac"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { promises } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { basename, dirname } from "node:path"
import type { Duplex } from "node:stream"
import { decodeUtf8 } from "../Utf8.ts"
import { type Grant, grantsOf } from "./Grants.ts"
import { sign } from "./Mac.ts"
import { ignoring, openOwnDirectory, replaceFile } from "./OwnFiles.ts"

export interface BrokerOptions {
  /** Absolute path; its directory is made, for the owner alone, where it is missing. */
  readonly discoveryFile: string
  /** Directory of the grants. */
  readonly grantStore: string
  readonly answer: BrokerAnswer
}

const requestMillis = 10_000
const answerMillis = 20_000

const headOf = (request: IncomingMessage): RequestHead => {
  const headers = new Map<string, Array<string>>()
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]!.toLowerCase()
    const values = headers.get(name) ?? []
    values.push(request.rawHeaders[index + 1]!)
    headers.set(name, values)
  }
  return { method: request.method ?? "", target: request.url ?? "", headers }
}

/** No header but what an answer needs; above all none that lets a page read it. */
const send = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body)
  response.sendDate = false
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    Connection: "close"
  })
  response.end(text)
}

const refuse = (response: ServerResponse, status: number): void => send(response, status, { error: "refused" })

/** `undefined` where it is longer than announced and allowed, or breaks off. */
const bodyOf = (request: IncomingMessage): Promise<string | undefined> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length > maxContextBytes) resolve(undefined)
      else chunks.push(chunk)
    })
    request.on("end", () => resolve(decodeUtf8(Buffer.concat(chunks), 0, length)))
    request.on("error", () => resolve(undefined))
    request.on("close", () => resolve(undefined))
  })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Compares digests, so that the time tells nothing of either. All grants are compared. */
const isGranted = (grants: ReadonlyArray<Grant>, credential: Credential, instance: string): boolean => {
  const digest = (text: Credential) => sign(instance, Redacted.value(text))
  const given = digest(credential)
  return grants.reduce((found, grant) => sameText(digest(grant.credential), given) || found, false)
}

/** Runs an answer with the services of the Broker. */
type Run = <A>(effect: Effect.Effect<A>) => Promise<A>

const handler =
  ({ answer, grantStore }: BrokerOptions, instance: string, endpoint: Endpoint, run: Run) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const admission = admitted(headOf(request), authorityOf(endpoint))
    if (admission.kind === "refused") return refuse(response, admission.status)
    const grants = await grantsOf(grantStore)
    if (admission.kind === "identity") {
      const proofs = grants.map(({ credential }) => proof(sign, credential, admission.nonce, instance, endpoint.port))
      return send(response, 200, identityAnswer(instance, proofs))
    }
    if (!isGranted(grants, admission.credential, instance)) return refuse(response, 403)
    const body = await bodyOf(request)
    const question = questionOf(body === undefined ? undefined : parsed(body))
    if (question === undefined) return refuse(response, 400)
    const items = await run(
      answer(question).pipe(
        Effect.timeoutOption(answerMillis),
        Effect.match({
          onSuccess: (found) => (found._tag === "Some" ? found.value : undefined),
          onFailure: () => undefined
        }),
        Effect.catchCause(() => Effect.succeed(undefined))
      )
    )
    return items === undefined ? refuse(response, 503) : send(response, 200, contextAnswer(question.version, items))
  }

const listening = (server: Server): Promise<Endpoint> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ host: "127.0.0.1", port: 0, exclusive: true }, () => {
      server.off("error", reject)
      const { port } = server.address() as AddressInfo
      resolve({ scheme: "http", host: "127.0.0.1", port, loopback: true })
    })
  })

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

const announce = async (file: string, discovery: Discovery): Promise<void> => {
  const path = dirname(file)
  const directory = await openOwnDirectory(path)
  try {
    await replaceFile(directory, path, basename(file), discoveryText(discovery), String(process.pid))
  } finally {
    await directory.close()
  }
}

/** Takes back what it announced, unless another Broker has announced itself since. */
const withdraw = async (file: string, instance: string): Promise<void> => {
  const text = await promises.readFile(file, "utf8").catch(ignoring("ENOENT"))
  if (text?.includes(`"${instance}"`) === true) await promises.unlink(file).catch(ignoring("ENOENT"))
}

/** It could not listen, or could not announce itself where it was told to. */
export class BrokerFailed extends Schema.TaggedError<BrokerFailed>()("BrokerFailed", {
  reason: Schema.Literals(["cannot_listen", "cannot_announce"])
}) {}

const quiet = (socket: Duplex): void => {
  socket.destroy()
}

const newServer = (): Server => {
  const server = createServer({
    connectionsCheckingInterval: 1_000,
    headersTimeout: requestMillis,
    requestTimeout: requestMillis
  })
  server.maxConnections = 64
  server.on("clientError", (_, socket) => quiet(socket))
  server.on("connect", (_, socket) => quiet(socket))
  server.on("upgrade", (_, socket) => quiet(socket))
  return server
}

const serve = (server: Server, handle: ReturnType<typeof handler>): void => {
  server.on("request", (request, response) => {
    handle(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else refuse(response, 500)
    })
  })
}

/** Serves until its scope closes. */
export const serveBroker = Effect.fnUntraced(function* (
  options: BrokerOptions
): Effect.fn.Return<Discovery, BrokerFailed, Scope.Scope> {
  const { discoveryFile } = options
  const instance = randomUUID()
  const services = yield* Effect.context<never>()
  const server = yield* Effect.acquireRelease(Effect.sync(newServer), (server) => Effect.promise(() => closed(server)))
  const endpoint = yield* Effect.tryPromise({
    try: () => listening(server),
    catch: () => new BrokerFailed({ reason: "cannot_listen" })
  })
  serve(server, handler(options, instance, endpoint, Effect.runPromiseWith(services)))
  const discovery: Discovery = { instance, pid: process.pid, started: Date.now(), endpoint, protocols }
  yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => announce(discoveryFile, discovery),
      catch: () => new BrokerFailed({ reason: "cannot_announce" })
    }),
    () => Effect.promise(() => withdraw(discoveryFile, instance).catch(() => undefined))
  )
  return discovery
})
