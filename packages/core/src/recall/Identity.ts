/**
 * Does the process on this port hold the credential? Asked before the credential is sent. (recall-contract 1.4 "Identity
 * before credential", cases/recall.md 39)
 *
 * Both sides know the credential, so both can sign: what is signed names a nonce of this request, the instance and the
 * port, so that no signature of another time, start or port fits. A Broker signs with each credential that it grants,
 * because the asker does not say which is its own.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Credential } from "./Credential.ts"
import { type Discovery, product } from "./Discovery.ts"
import { type Mac, sameText } from "./Mac.ts"

export const identityPath = "/identity"

const nonceForm = /^[A-Za-z0-9-]{16,64}$/

export const identityQuery = (nonce: string): string => `${identityPath}?nonce=${nonce}`

/** The nonce of a request's target, which is this path with a nonce and nothing else. */
export const nonceOf = (target: string): string | undefined => {
  const nonce = target.startsWith(`${identityPath}?nonce=`) ? target.slice(identityPath.length + 7) : ""
  return nonceForm.test(nonce) ? nonce : undefined
}

type Sign = Mac["Service"]["sign"]

export const proof = (sign: Sign, credential: Credential, nonce: string, instance: string, port: number): string =>
  sign(Redacted.value(credential), `${nonce}|${instance}|${port}`)

/** Grants of one Broker, and so signatures of one answer. */
export const maxGrants = 32
export const maxIdentityBytes = 4_096

const IdentityAnswer = Schema.Struct({
  version: Schema.Literal(1),
  product: Schema.Literal(product),
  instance: Schema.String,
  proofs: Schema.Array(Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/)))).pipe(
    Schema.check(Schema.isMaxLength(maxGrants))
  )
})

const decodeAnswer = Schema.decodeUnknownResult(IdentityAnswer, { onExcessProperty: "error" })

export const identityAnswer = (instance: string, proofs: ReadonlyArray<string>): typeof IdentityAnswer.Type => ({
  version: 1,
  product,
  instance,
  proofs
})

/** Whether the answer proves it. Every signature is compared, in constant time. */
export const proves = (
  sign: Sign,
  answer: unknown,
  credential: Credential,
  nonce: string,
  { endpoint, instance }: Discovery
): boolean => {
  const decoded = decodeAnswer(answer)
  if (Result.isFailure(decoded) || decoded.success.instance !== instance) return false
  const expected = proof(sign, credential, nonce, instance, endpoint.port)
  return decoded.success.proofs.reduce((found, given) => sameText(given, expected) || found, false)
}
