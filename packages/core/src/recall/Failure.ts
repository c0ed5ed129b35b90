/**
 * Why a source gave no memories, and what that means for the next question. (recall-contract 1.4 "Error map")
 *
 * A source that is down or broken is left alone for a while. A mistake on our side is not the source's: a wrong
 * credential, a missing file or a Broker of another version costs nothing to ask again, and the first question after it
 * was set right is answered.
 */
import * as Schema from "effect/Schema"

/** What was wrong with the way to the peer, or with its answer as HTTP. */
export const transportFaults = [
  "unreachable",
  "wrong_peer",
  "not_http",
  "encoded",
  "too_large",
  "not_utf8",
  "tls_untrusted",
  "tls_expired",
  "tls_name",
  "tls_failed",
  "ca_unreadable",
  "ca_invalid"
] as const
export type TransportFault = (typeof transportFaults)[number]

export const failureReasons = [
  ...transportFaults,
  "timed_out",
  /** Status 5xx. */
  "server_error",
  /** 200, and yet the answer says that it failed. */
  "server_refused",
  /** Not the JSON that was asked for. */
  "garbled",
  /** Whoever listens there does not hold the credential. */
  "identity",
  "not_granted",
  "redirected",
  "incompatible",
  "query_too_long",
  "rejected",
  "busy",
  "discovery_missing",
  "discovery_refused",
  "credential_missing",
  "credential_refused",
  "notes_refused",
  /** The circuit breaker, or a peer's wish to be left alone: nothing was asked. */
  "resting",
  "overloaded",
  "defect"
] as const
export type FailureReason = (typeof failureReasons)[number]

export class SourceFailed extends Schema.TaggedError<SourceFailed>()("SourceFailed", {
  reason: Schema.Literals(failureReasons),
  /** The rule behind the reason, for the operator. Never a path, content or credential. */
  rule: Schema.optionalKey(Schema.String),
  /** With `busy`: how long the peer wants to be left alone. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {}

/** What the breaker makes of it: counts towards leaving the source alone, rests at the source's wish, or neither. */
export type Weight = "counts" | "rests" | "free"

const counting: ReadonlySet<FailureReason> = new Set<FailureReason>([
  "unreachable",
  "wrong_peer",
  "not_http",
  "encoded",
  "too_large",
  "not_utf8",
  "timed_out",
  "server_error",
  "server_refused",
  "garbled",
  "identity"
])

export const weightOf = (reason: FailureReason): Weight =>
  reason === "busy" ? "rests" : counting.has(reason) ? "counts" : "free"
