/**
 * What the host is told. (seed 004 "Approval semantics")
 *
 * Messages are fixed: no argument, path, rule or system text is in them, so the place to look for a leak is this one.
 * Each approval has a key of its own, so an answer given once is never an answer to another call.
 */
import type { Decision, Reason } from "./Decision.ts"

export type Directive =
  /** The shim returns nothing to the host; other guards may still refuse. */
  | { readonly action: "allow" }
  | { readonly action: "block"; readonly message: string }
  | { readonly action: "approve"; readonly message: string; readonly rule_key: string }

type Kind = "policy" | "unsupported" | "unavailable"

export const blockMessages: Readonly<Record<Kind, string>> = {
  policy: "Hermes Guardian: blocked by policy.",
  unsupported: "Hermes Guardian: blocked, because this use of the tool cannot be checked.",
  unavailable: "Hermes Guardian: blocked, because no decision could be made."
}

export const approveMessage =
  "Hermes Guardian: the policy asks for approval. Inspect the tool call itself before you answer."

const kinds: Readonly<Record<Reason, Kind>> = {
  tool_rule: "policy",
  protected_path: "policy",
  default_action: "policy",
  self_protection: "policy",
  path_unresolved: "policy",
  root_unresolved: "policy",
  hard_link: "policy",
  special_file: "policy",
  arguments_unsupported: "unsupported",
  command_unsupported: "unsupported",
  call_malformed: "unsupported",
  request_malformed: "unavailable",
  settings_unreadable: "unavailable",
  policy_invalid: "unavailable",
  mode_invalid: "unavailable",
  audit_unavailable: "unavailable",
  internal_error: "unavailable"
}

/** `id` is fresh for this call. What is only logged lets the call go on. */
export const directiveOf = (
  { action, reason }: Decision,
  id: string,
  effect: "enforced" | "logged" = "enforced"
): Directive => {
  if (effect === "logged") return { action: "allow" }
  switch (action) {
    case "allow":
      return { action }
    case "approve":
      return { action, message: approveMessage, rule_key: `hermes-guardian:${id}` }
    case "block":
      return { action, message: blockMessages[kinds[reason]] }
  }
}
