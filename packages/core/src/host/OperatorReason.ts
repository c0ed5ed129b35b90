/**
 * What the operator's log says of a refusal: a short reason code with the key or helper and the rule it broke, never
 * a path, an id or content. (seed 000 "Install and configure", "Refusal logs and timing")
 */
import type { Refusal } from "./PublicAnswer.ts"

export interface OperatorReason {
  readonly reason: string
  /** Policy key or host helper that the reason speaks of. */
  readonly subject?: string
  readonly rule?: string
}

export const operatorReason = (refusal: Refusal): OperatorReason => {
  switch (refusal._tag) {
    case "InvalidRequest":
      return { reason: "invalid_request" }
    // One reason for every refused read: the log does not tell missing from denied.
    case "NoteRefused":
      return { reason: "not_found_or_denied" }
    case "IdentityRefused":
      return refusal.helper === "" ? { reason: refusal.reason } : { reason: refusal.reason, subject: refusal.helper }
    case "PolicyRefused":
      // An unknown key is whatever the file holds: only what looks like a key of a policy is repeated.
      return !/^[\w.[\]-]{1,64}$/u.test(refusal.key)
        ? { reason: refusal.reason, rule: refusal.rule }
        : { reason: refusal.reason, subject: refusal.key, rule: refusal.rule }
    case "RootRefused":
      return { reason: "root_untrusted", rule: refusal.rule }
    case "RunRefused":
    case "ScanRefused":
      return { reason: refusal.reason }
  }
}
