/**
 * One request to one peer, as a service. (recall-contract 1.4 and 4.1; cases/recall.md 35 to 45)
 *
 * The adapter promises: no proxy, no redirect, no compression, nothing sent before the peer's address (and certificate)
 * is right, no more of a body than asked for, a name resolved once. It has no clock. Whoever calls interrupts it, at any
 * stage, and the connection is gone: so one deadline spans connecting, TLS, headers and body.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Credential } from "./Credential.ts"
import type { Endpoint } from "./Endpoint.ts"
import { transportFaults } from "./Failure.ts"

export class HttpFailed extends Schema.TaggedError<HttpFailed>()("HttpFailed", {
  reason: Schema.Literals(transportFaults),
  /** Which rule a certificate file broke. */
  rule: Schema.optionalKey(Schema.String)
}) {}

export interface Exchange {
  readonly method: "GET" | "POST"
  /** Begins with `/`. */
  readonly path: string
  readonly credential: Credential | undefined
  /** JSON. `undefined` with GET. */
  readonly body: string | undefined
  /** Of the answer's body. */
  readonly maxBytes: number
}

export interface HttpAnswer {
  readonly status: number
  /** Media type in lower case without parameters, "" where there is none. */
  readonly mediaType: string
  /** As it came. */
  readonly retryAfter: string | undefined
  /** Read with status 200 alone, so that no error text travels on. */
  readonly body: string
}

/** An open connection whose peer is the right one as far as addresses and certificates tell. Good for one exchange. */
export interface Connection {
  readonly exchange: (exchange: Exchange) => Effect.Effect<HttpAnswer, HttpFailed>
}

export class Http extends Context.Service<
  Http,
  {
    /** `caFile`: the only authorities that count, read anew; otherwise those of the system. */
    readonly connect: (
      endpoint: Endpoint,
      caFile: string | undefined
    ) => Effect.Effect<Connection, HttpFailed, Scope.Scope>
  }
>()("@memory-bridge/core/recall/Http") {}
