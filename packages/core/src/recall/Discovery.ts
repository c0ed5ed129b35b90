/**
 * The discovery file: which Broker runs, where it listens and what it speaks. (recall-contract 1.4 "Discovery file")
 *
 * Written anew by each start of a Broker, read anew for each request. It proves nothing about who listens there now;
 * that is what Identity.ts is for.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { strictJson } from "./Connection.ts"
import { type Endpoint, endpointOf, originOf } from "./Endpoint.ts"

export const maxDiscoveryBytes = 8_192

export const product = "memhub-broker"

/** The protocols of this contract, best first. */
export const protocols = ["context/2", "context/1"] as const
export type Protocol = (typeof protocols)[number]

export interface Discovery {
  /** Random for each start. */
  readonly instance: string
  readonly pid: number
  /** Milliseconds since 1970. */
  readonly started: number
  readonly endpoint: Endpoint
  readonly protocols: ReadonlyArray<string>
}

const Instance = Schema.String.pipe(Schema.check(Schema.isPattern(/^[A-Za-z0-9_-]{16,128}$/)))
const Name = Schema.String.pipe(Schema.check(Schema.isPattern(/^[a-z0-9./_-]{1,64}$/)))

const DiscoveryFile = Schema.Struct({
  version: Schema.Literal(1),
  product: Schema.Literal(product),
  instance: Instance,
  pid: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 1 }))),
  started: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
  url: Schema.String,
  protocols: Schema.Array(Name).pipe(Schema.check(Schema.isMaxLength(16)))
})

const decodeFile = Schema.decodeUnknownResult(DiscoveryFile, { onExcessProperty: "error" })

export type DiscoveryDefect = "not_json" | "duplicate_key" | "wrong_form" | "not_loopback"

export const discoveryOf = (text: string): Result.Result<Discovery, DiscoveryDefect> =>
  Result.gen(function* () {
    const value = yield* strictJson(text)
    const { instance, pid, protocols, started, url } = yield* Result.mapError(
      decodeFile(value),
      () => "wrong_form" as const
    )
    const endpoint = yield* Result.mapError(endpointOf(url), () => "not_loopback" as const)
    return endpoint.scheme === "http" && endpoint.loopback
      ? { instance, pid, started, endpoint, protocols }
      : yield* Result.fail("not_loopback" as const)
  })

export const discoveryText = ({ endpoint, instance, pid, protocols, started }: Discovery): string =>
  `${JSON.stringify({ version: 1, product, instance, pid, started, url: originOf(endpoint), protocols }, undefined, 2)}\n`

/** The best protocol that both sides speak. */
export const spokenWith = ({ protocols: offered }: Discovery): Protocol | undefined =>
  protocols.find((protocol) => offered.includes(protocol))
