/**
 * Between lines and Effect's MCP server: each line that asks something gets exactly one answer. (issue 7 item 5)
 *
 * Effect's own transport on standard input holds a line of any length, answers bad JSON by reading nothing for half a
 * second, and puts no bound on what is under way, so the lines are ours and the protocol behind them is Effect's.
 *
 * What is not in the two lists here does not reach the server: the library offers log levels, completions, prompts and
 * subscriptions whether there is anything behind them or not. What the server sends unasked is dropped, since it
 * announces nothing of the kind.
 */
import type { Line } from "@memory-bridge/hermes-plugin/rpc/Lines"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as RpcMessage from "effect/rpc/RpcMessage"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import { errorLine, errors, type Id, type Message, readMessage, resultLine, type RpcError } from "./Message.ts"

const servedMethods: ReadonlySet<string> = new Set([
  "initialize",
  "server/discover",
  "ping",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read"
])

const cancelled = "notifications/cancelled"
const servedNotifications: ReadonlySet<string> = new Set(["notifications/initialized", cancelled])

export class Exchange extends Context.Service<
  Exchange,
  {
    /** The line to write, or `undefined` where none is due. */
    readonly answer: (line: Line) => Effect.Effect<string | undefined>
  }
>()("@memory-bridge/mcp-server/wire/Exchange") {}

/** There is one client: whoever holds the other end of standard input. */
const client = 0

type Asked = Extract<Message, { readonly method: string }>

const requestOf = (message: Asked): RpcMessage.RequestEncoded => ({
  _tag: "Request",
  id: message.kind === "call" ? message.id : "",
  tag: message.method,
  payload: message.params ?? {},
  headers: [],
  ...(message.kind === "notification" ? { isNotification: true as const } : {})
})

const isRpcError = (error: unknown): error is RpcError =>
  typeof error === "object" &&
  error !== null &&
  typeof (error as RpcError).code === "number" &&
  typeof (error as RpcError).message === "string"

const lineOf = ({ exit, requestId }: RpcMessage.ResponseExitEncoded): string => {
  if (exit._tag === "Success") return resultLine(requestId, exit.value)
  const failed = exit.cause.find((reason) => reason._tag === "Fail")
  if (failed === undefined || !isRpcError(failed.error)) return errorLine(requestId, errors.internal_error)
  const { code, data, message } = failed.error
  return errorLine(requestId, data === undefined ? { code, message } : { code, message, data })
}

const keyOf = (id: Id): string => `${typeof id} ${id}`

/** The request that a cancellation speaks of. */
const cancelledIn = (params: unknown): Id | undefined => {
  const id = (params as { readonly requestId?: unknown } | undefined)?.requestId
  return typeof id === "string" || typeof id === "number" ? id : undefined
}

type Serve = (client: number, request: RpcMessage.FromClientEncoded) => Effect.Effect<void>

export const layer: Layer.Layer<Exchange | RpcServer.Protocol> = Layer.effectContext(
  Effect.gen(function* () {
    const waiting = new Map<string, { readonly id: Id; readonly answer: Deferred.Deferred<string | undefined> }>()
    const disconnects = yield* Queue.make<number>()
    // Not `Protocol.make`: what it is handed in the moment in which the server begins is kept for nobody.
    const serving = yield* Deferred.make<Serve>()
    const write = (request: RpcMessage.FromClientEncoded) =>
      Effect.flatMap(Deferred.await(serving), (serve) => serve(client, request))

    const finish = (id: Id, answer: string | undefined): Effect.Effect<void> => {
      const call = waiting.get(keyOf(id))
      return call === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(call.answer, answer))
    }

    const protocol = RpcServer.Protocol.of({
      run: (serve) => Effect.andThen(Deferred.succeed(serving, serve), Effect.never),
      disconnects,
      send: (_, response) => {
        if (response._tag === "Exit") return finish(response.requestId, lineOf(response))
        if (response._tag !== "Defect") return Effect.void
        const ids = Array.from(waiting.values(), ({ id }) => id)
        return Effect.forEach(ids, (id) => finish(id, errorLine(id, errors.internal_error)), { discard: true })
      },
      end: () => Effect.void,
      clientIds: Effect.succeed(new Set([client])),
      initialMessage: Effect.succeedNone,
      supportsAck: false,
      supportsTransferables: false,
      supportsSpanPropagation: false,
      supportsNotifications: false,
      codecFor: RpcSerialization.jsonRpc().codecFor
    })

    const call = Effect.fnUntraced(function* (message: Extract<Asked, { readonly kind: "call" }>) {
      const key = keyOf(message.id)
      if (!servedMethods.has(message.method)) return errorLine(message.id, errors.method_not_found)
      if (waiting.has(key)) return errorLine(message.id, errors.id_in_use)
      const answer = yield* Deferred.make<string | undefined>()
      waiting.set(key, { id: message.id, answer })
      return yield* Effect.andThen(write(requestOf(message)), Deferred.await(answer)).pipe(
        Effect.ensuring(Effect.sync(() => waiting.delete(key)))
      )
    })

    const notified = Effect.fnUntraced(function* (message: Extract<Asked, { readonly kind: "notification" }>) {
      if (!servedNotifications.has(message.method)) return
      yield* write(requestOf(message))
      const id = message.method === cancelled ? cancelledIn(message.params) : undefined
      // The server drops the answer to a cancelled request; here nobody waits for it any more.
      if (id !== undefined) yield* finish(id, undefined)
    })

    const answer = (line: Line): Effect.Effect<string | undefined> => {
      const message = readMessage(line)
      switch (message.kind) {
        case "nothing":
          return Effect.succeed(undefined)
        case "refused":
          return Effect.succeed(errorLine(message.id, message.error))
        case "notification":
          return Effect.as(notified(message), undefined)
        case "call":
          return call(message)
      }
    }

    return Context.make(RpcServer.Protocol, protocol).pipe(Context.add(Exchange, Exchange.of({ answer })))
  })
)
