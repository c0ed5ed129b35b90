/**
 * Why a call was decided as it was, for the operator: a view of the evaluation, never a second engine. (design.md
 * section 1, style.md)
 *
 * Speaks of the operator's own rules and of positions in the call; what stands in the call is not repeated.
 */
import type { Action, EvaluationReason, RuleReference } from "./Decision.ts"
import type { Evaluation, Finding } from "./Evaluation.ts"
import type { Policy } from "./Policy.ts"

export interface Explained {
  /** Whether this is the finding that gave the verdict its reason. */
  readonly decides: boolean
  readonly action: Action
  readonly reason: EvaluationReason
  readonly rule: RuleReference | null
  /** The rule in the operator's own words: tool or path, and why; "" where there is none. */
  readonly subject: string
  readonly why: string
  /** Position of the path in the call, or `null` for the call as a whole. */
  readonly operand: number | null
  readonly detail: string
}

const ruleOf = (
  policy: Policy,
  reference: RuleReference | null
): { readonly subject: string; readonly why: string } => {
  const index = Number(reference?.slice(reference.indexOf(":") + 1))
  if (reference?.startsWith("tool:")) {
    const rule = policy.rules[index]
    if (rule !== undefined) return { subject: rule.tool, why: rule.why }
  }
  const rule = reference?.startsWith("path:") ? policy.protectedPaths[index] : undefined
  return rule === undefined ? { subject: "", why: "" } : { subject: rule.path, why: rule.why }
}

/** All findings in the order of the evaluation; exactly one decides. */
export const explain = (policy: Policy, { decision, findings }: Evaluation): ReadonlyArray<Explained> => {
  const decides = findings.findIndex((finding) => finding.action === decision.action)
  return findings.map((finding: Finding, index) => ({
    decides: index === decides,
    action: finding.action,
    reason: finding.reason,
    rule: finding.rule,
    ...ruleOf(policy, finding.rule),
    operand: finding.operand < 0 ? null : finding.operand,
    detail: finding.detail
  }))
}
