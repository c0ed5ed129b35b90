/**
 * The one HTTP client of recall. (core `Http`; recall-contract 4.1, cases/recall.md 35 to 45)
 *
 * The socket is ours: connected first, its peer looked at, TLS verified on it, and only then given to Node's HTTP for
 * one request, through an agent of its own. So no proxy variable, global agent or redirect has a say in where a byte
 * goes. Node's other clients follow redirects, take proxies from the environment or inflate what they read. Errors are
 * reasons: nothing that Node says about them, which names hosts and paths, goes further.
 */
import { type Credential } from "@memory-bridge/core/recall/Credential"
import { authorityOf, type Endpoint } from "@memory-bridge/core/recall/Endpoint"
import { type Exchange, Http, type HttpAnswer, HttpFailed } from "@memory-bridge/core/recall/Http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Agent, type IncomingMessage, request } from "node:http"
import { connect, isIP, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { decodeUtf8 } from "../Utf8.ts"
import { authoritiesOf, systemAuthorities } from "./Authorities.ts"

type Reason = HttpFailed["reason"]

const failed = (reason: Reason): HttpFailed => new HttpFailed({ reason })

const tlsReasons: ReadonlyMap<string, Reason> = new Map([
  ["CERT_HAS_EXPIRED", "tls_expired"],
  ["CERT_NOT_YET_VALID", "tls_expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_name"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_untrusted"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "tls_untrusted"],
  ["UNABLE_TO_GET_ISSUER_CERT", "tls_untrusted"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "tls_untrusted"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_untrusted"],
  ["CERT_UNTRUSTED", "tls_untrusted"],
  ["CERT_REJECTED", "tls_untrusted"],
  ["CERT_REVOKED", "tls_untrusted"],
  ["INVALID_CA", "tls_untrusted"],
  ["INVALID_PURPOSE", "tls_untrusted"]
])

const codeOf = (error: unknown): string => (error as { readonly code?: unknown }).code?.toString() ?? ""

const tlsReasonOf = (error: unknown): Reason => {
  const code = codeOf(error)
  return tlsReasons.get(code) ?? (code === "ECONNRESET" || code === "ETIMEDOUT" ? "unreachable" : "tls_failed")
}

/** The parser's own errors begin so. */
const exchangeReasonOf = (error: unknown): Reason => (/^HPE_|^ERR_/.test(codeOf(error)) ? "not_http" : "unreachable")

/** Ends with its scope, whatever state it is in. */
const held = <S extends Socket>(make: () => S): Effect.Effect<S, never, Scope.Scope> =>
  Effect.acquireRelease(
    // Without a listener a late error would end the process.
    Effect.sync(() => make().on("error", () => {})),
    (socket) => Effect.sync(() => socket.destroy())
  )

const ready = (socket: Socket, event: "connect" | "secureConnect", reasonOf: (error: unknown) => Reason) =>
  Effect.callback<void, HttpFailed>((resume) => {
    socket.once(event, () => resume(Effect.void))
    socket.once("error", (error) => resume(Effect.fail(failed(reasonOf(error)))))
    socket.once("close", () => resume(Effect.fail(failed("unreachable"))))
  })

const secured = Effect.fnUntraced(function* (
  socket: Socket,
  { host }: Endpoint,
  ca: ReadonlyArray<string> | undefined
) {
  const tls = yield* held((): TLSSocket =>
    connectTls({
      socket,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined ? {} : { ca: [...ca] }),
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      ALPNProtocols: ["http/1.1"]
    })
  )
  yield* ready(tls, "secureConnect", tlsReasonOf)
  return tls
})

const headersOf = (endpoint: Endpoint, { body, credential }: Exchange): Record<string, string> => ({
  Host: authorityOf(endpoint),
  Accept: "application/json",
  "Accept-Encoding": "identity",
  Connection: "close",
  ...(body === undefined
    ? {}
    : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) }),
  ...(credential === undefined ? {} : authorization(credential))
})

const authorization = (credential: Credential) => ({ Authorization: `Bearer ${Redacted.value(credential)}` })

const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()

/** Whether the body would have to be made into something else before it is read. */
const isEncoded = ({ headers }: IncomingMessage): boolean =>
  !/^(?:identity)?$/i.test(headers["content-encoding"]?.trim() ?? "") ||
  !/^(?:chunked)?$/i.test(headers["transfer-encoding"] ?? "")

type Done = (outcome: HttpAnswer | Reason) => void

const readBody = (
  response: IncomingMessage,
  maxBytes: number,
  done: (outcome: string | Reason, ok: boolean) => void
) => {
  const chunks: Array<Buffer> = []
  let length = 0
  response.on("data", (chunk: Buffer) => {
    length += chunk.length
    if (length > maxBytes) done("too_large", false)
    else chunks.push(chunk)
  })
  // Also where it breaks off before its end, which Node then does not tell as an end.
  response.on("error", (error) => done(exchangeReasonOf(error), false))
  response.on("end", () => {
    const text = decodeUtf8(Buffer.concat(chunks), 0, length)
    if (text === undefined) done("not_utf8", false)
    else done(text, true)
  })
}

const answered = (response: IncomingMessage, maxBytes: number, done: Done): void => {
  if (isEncoded(response)) return done("encoded")
  const head = {
    status: response.statusCode ?? 0,
    mediaType: mediaTypeOf(response),
    retryAfter: response.headers["retry-after"]
  }
  if (head.status !== 200) return done({ ...head, body: "" })
  readBody(response, maxBytes, (outcome, ok) => done(ok ? { ...head, body: outcome } : (outcome as Reason)))
}

/** One request on a socket that is connected. Whoever interrupts ends the socket with its scope. */
const exchangeOn = (socket: Socket, endpoint: Endpoint, exchange: Exchange): Effect.Effect<HttpAnswer, HttpFailed> =>
  Effect.callback<HttpAnswer, HttpFailed>((resume) => {
    const agent = new Agent({ keepAlive: false, maxSockets: 1 })
    agent.createConnection = () => socket
    const done: Done = (outcome) => {
      resume(typeof outcome === "string" ? Effect.fail(failed(outcome)) : Effect.succeed(outcome))
      socket.destroy()
    }
    const { body, maxBytes, method, path } = exchange
    const sent = request({ agent, method, path, headers: headersOf(endpoint, exchange), setHost: false })
    sent.on("response", (response) => answered(response, maxBytes, done))
    sent.on("upgrade", () => done("not_http"))
    sent.on("error", (error) => done(exchangeReasonOf(error)))
    sent.on("close", () => done("unreachable"))
    sent.end(body)
    return Effect.sync(() => socket.destroy())
  })

/** The loopback address in the spelling of the endpoint, and no other one. */
const isPeer = ({ host, loopback }: Endpoint, socket: Socket): boolean => !loopback || socket.remoteAddress === host

export const layer: Layer.Layer<Http> = Layer.succeed(
  Http,
  Http.of({
    connect: Effect.fnUntraced(function* (endpoint, caFile) {
      const secure = endpoint.scheme === "https"
      const ca = !secure ? undefined : caFile === undefined ? yield* systemAuthorities : yield* authoritiesOf(caFile)
      const plain = yield* held(() => connect({ host: endpoint.host, port: endpoint.port, noDelay: true }))
      yield* ready(plain, "connect", () => "unreachable")
      if (!isPeer(endpoint, plain)) return yield* failed("wrong_peer")
      const socket = secure ? yield* secured(plain, endpoint, ca) : plain
      return { exchange: (exchange) => exchangeOn(socket, endpoint, exchange) }
    })
  })
)
