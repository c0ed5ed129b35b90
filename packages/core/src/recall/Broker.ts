/**
 * Managed recall: from the files of a connection to the memories that its Broker grants. (seed 003 "Native Hermes memory
 * provider", recall-contract 1.4, cases/recall.md 39)
 *
 * Discovery and credential are read for each request, so rotation and revocation hold at once. The connection that will
 * carry the credential is opened before the proof is asked for on another one: whoever answers the proof has held the
 * port all the while, so nobody else can be at the other end. Without proof that connection is closed unused.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { FreshId } from "../guard/FreshId.ts"
import { objectOf } from "./Answer.ts"
import type { Connection } from "./Connection.ts"
import { contextPath, maxLimit, memoriesOf, questionText } from "./ContextWire.ts"
import { type Credential, credentialOfFile } from "./Credential.ts"
import { type Discovery, discoveryOf, maxDiscoveryBytes, spokenWith } from "./Discovery.ts"
import { SourceFailed } from "./Failure.ts"
import { Http, type HttpFailed } from "./Http.ts"
import { identityQuery, maxIdentityBytes, proves } from "./Identity.ts"
import { Mac } from "./Mac.ts"
import type { Question, Source } from "./Source.ts"
import { TrustedFiles } from "./TrustedFile.ts"

/** Bytes of a credential file. */
const maxCredentialBytes = 4_096

const failed = (reason: SourceFailed["reason"], rule?: string): SourceFailed =>
  new SourceFailed(rule === undefined ? { reason } : { reason, rule })

export const transport = <A, R>(effect: Effect.Effect<A, HttpFailed, R>): Effect.Effect<A, SourceFailed, R> =>
  Effect.mapError(effect, ({ reason, rule }) => failed(reason, rule))

/** Reads what a connection points to. */
export const brokerSource = Effect.gen(function* () {
  const files = yield* TrustedFiles
  const http = yield* Http
  const mac = yield* Mac
  const ids = yield* FreshId

  const discovery = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Discovery, SourceFailed> {
    const reading = yield* files.read(path, "public", maxDiscoveryBytes)
    if (reading.kind === "refused") {
      return yield* reading.fault === "missing"
        ? failed("discovery_missing")
        : failed("discovery_refused", reading.fault)
    }
    return yield* Effect.fromResult(
      Result.mapError(discoveryOf(reading.text), (rule) => failed("discovery_refused", rule))
    )
  })

  const credential = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Credential, SourceFailed> {
    const reading = yield* files.read(path, "private", maxCredentialBytes)
    if (reading.kind === "refused") {
      return yield* reading.fault === "missing"
        ? failed("credential_missing")
        : failed("credential_refused", reading.fault)
    }
    const found = credentialOfFile(reading.text)
    return found ?? (yield* failed("credential_refused", "wrong_form"))
  })

  const prove = Effect.fnUntraced(function* (broker: Discovery, credential: Credential) {
    const nonce = yield* ids.next
    const { exchange } = yield* transport(http.connect(broker.endpoint, undefined))
    const answer = yield* transport(
      exchange({
        method: "GET",
        path: identityQuery(nonce),
        credential: undefined,
        body: undefined,
        maxBytes: maxIdentityBytes
      })
    )
    const proven = Result.match(objectOf(answer), {
      onSuccess: (object) => proves(mac.sign, object, credential, nonce, broker),
      onFailure: () => false
    })
    if (!proven) return yield* failed("identity")
  }, Effect.scoped)

  const search = Effect.fnUntraced(function* (
    broker: Discovery,
    credentialFile: string,
    maxBytes: number,
    question: Question
  ) {
    const protocol = spokenWith(broker)
    if (protocol === undefined) return yield* failed("incompatible", "protocols")
    const own = yield* credential(credentialFile)
    const carrier = yield* transport(http.connect(broker.endpoint, undefined))
    yield* prove(broker, own)
    const answer = yield* transport(
      carrier.exchange({
        method: "POST",
        path: contextPath,
        credential: own,
        body: questionText(protocol, question),
        maxBytes
      })
    )
    return yield* Effect.fromResult(
      Result.flatMap(objectOf(answer), (object) => memoriesOf(object, Math.min(question.limit, maxLimit)))
    )
  }, Effect.scoped)

  return Effect.fnUntraced(function* (
    { credentialFile, discoveryFile }: Connection,
    maxBytes: number
  ): Effect.fn.Return<Source, SourceFailed> {
    const broker = yield* discovery(discoveryFile)
    return {
      peer: `broker ${broker.instance} ${broker.endpoint.port}`,
      search: (question) => search(broker, credentialFile, maxBytes, question)
    }
  })
})
