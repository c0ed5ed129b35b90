/**
 * Does a rule do what its author meant? `match` and `not_match` are calls that are decided when the policy loads.
 * (design.md section 9, **beyond**; the habit is Codex execpolicy's)
 *
 * A rule matches an example when it takes part and the verdict is its action. So an allow that some block overrules
 * does not match, which is what an author of `not_match` wants to hear. Judged on an empty tree and without the
 * guard's own roots: a policy loads in the same way on every machine.
 */
import { decide } from "./Decide.ts"
import type { Action, RuleReference } from "./Decision.ts"
import { emptyView } from "./PathFacts.ts"
import type { Policy } from "./Policy.ts"

export interface Example {
  readonly tool: string
  readonly args: unknown
}

export interface Examples {
  readonly match: ReadonlyArray<Example>
  readonly notMatch: ReadonlyArray<Example>
}

/** Which example fails, as the end of its key, and how. */
export interface ExampleDefect {
  readonly key: string
  readonly rule: string
}

const spoken = (action: Action, reason: string): string => `${action} by ${reason}`

export const exampleDefect = (
  policy: Policy,
  reference: RuleReference,
  action: Action,
  { match, notMatch }: Examples
): ExampleDefect | undefined => {
  const verdictOf = ({ args, tool }: Example) => {
    const { decision, findings } = decide(policy, [], emptyView, tool, args)
    const decides = decision.action === action && findings.some((finding) => finding.rule === reference)
    return { decides, verdict: spoken(decision.action, decision.rule ?? decision.reason) }
  }
  for (const [index, example] of match.entries()) {
    const { decides, verdict } = verdictOf(example)
    if (!decides) return { key: `match[${index}]`, rule: `is ${verdict}, not ${spoken(action, "this rule")}` }
  }
  for (const [index, example] of notMatch.entries()) {
    if (verdictOf(example).decides) return { key: `not_match[${index}]`, rule: `is ${spoken(action, "this rule")}` }
  }
  return undefined
}
