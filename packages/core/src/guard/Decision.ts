/**
 * The three answers to a tool call, which of two is the stronger, and why one was given. (seed 004 "Policy syntax":
 * "block > approve > allow")
 *
 * A reason is a fixed code: it goes to the audit and to the operator, and no argument can become part of it.
 */
export type Action = "allow" | "approve" | "block"

/** Weakest first. */
export const actions: ReadonlyArray<Action> = ["allow", "approve", "block"]

const rank: Readonly<Record<Action, number>> = { allow: 0, approve: 1, block: 2 }

export const isStronger = (one: Action, other: Action): boolean => rank[one] > rank[other]

/**
 * - `tool_rule`, `protected_path`: the rule that `Decision.rule` names
 * - `default_action`: no rule names the tool
 * - `self_protection`: the guard's own files, or the active Hermes home
 * - `arguments_unsupported`, `command_unsupported`: a supported tool, used in a way that cannot be checked
 * - `path_unresolved`, `root_unresolved`: the system would not say what a path of the call, or a protected root, is
 * - `hard_link`, `special_file`: the target has another name, or is neither a file nor a directory
 */
export const evaluationReasons = [
  "tool_rule",
  "protected_path",
  "default_action",
  "self_protection",
  "arguments_unsupported",
  "command_unsupported",
  "path_unresolved",
  "root_unresolved",
  "hard_link",
  "special_file"
] as const

/**
 * Nothing could be evaluated.
 *
 * - `request_malformed`: the host's part of the request is not of the agreed form; `call_malformed`: the call's part
 * - `settings_unreadable`: the host could not read its settings; `policy_invalid`: what it read is no policy
 * - `mode_invalid`: the setting `mode` is neither of the two there are
 * - `audit_unavailable`: the decision could not be recorded, so it does not count; `internal_error`: a defect
 */
export const failureReasons = [
  "request_malformed",
  "call_malformed",
  "settings_unreadable",
  "policy_invalid",
  "mode_invalid",
  "audit_unavailable",
  "internal_error"
] as const

export type EvaluationReason = (typeof evaluationReasons)[number]
export type FailureReason = (typeof failureReasons)[number]
export type Reason = EvaluationReason | FailureReason

/** A rule by its position in the policy, from 0. */
export type RuleReference = `tool:${number}` | `path:${number}`

export interface Decision {
  readonly action: Action
  readonly reason: Reason
  readonly rule: RuleReference | null
}

/** The answer to every failure. */
export const failed = (reason: FailureReason): Decision => ({ action: "block", reason, rule: null })
