/**
 * All that is known of a proposed policy, as one value: what the command line and the page show, and what an activation is
 * confirmed against. (cases/guard.md section 5 "Review")
 *
 * Plain data: its JSON text read back is the same value.
 */
import { type Decision, isStronger, type RuleReference } from "../guard/Decision.ts"
import type { View } from "../guard/PathFacts.ts"
import type { Policy } from "../guard/Policy.ts"
import { compare, type Difference } from "./Difference.ts"
import { findingsOf, type PolicyFinding } from "./Findings.ts"
import { fingerprintOf, settingsOf, type SettingsForm } from "./Fingerprint.ts"
import { hasOtherName } from "./Links.ts"
import { type Outcome, type ProposedCall, simulator, type Summary, summing } from "./Simulation.ts"

export interface ReviewedPolicy {
  readonly fingerprint: string
  readonly settings: SettingsForm
}

/** One call under both policies. */
export interface ComparedCall {
  readonly source: Outcome["source"]
  readonly label: string
  readonly tool: string
  readonly shape: string
  /** `null` for a recorded call, which is not shown. */
  readonly args: unknown
  readonly before: Decision
  readonly after: Decision
  /** Rules that take part under the proposed policy. */
  readonly rules: ReadonlyArray<RuleReference>
}

export interface Review {
  readonly version: 1
  readonly active: ReviewedPolicy
  readonly proposed: ReviewedPolicy
  readonly difference: Difference
  /** Of the difference's `linkedRoots` those that have, or may have, another name on this file system. */
  readonly linkedHere: ReadonlyArray<string>
  /** Of the proposed policy. */
  readonly findings: ReadonlyArray<PolicyFinding>
  readonly simulation: {
    /** Under the active and the proposed policy. */
    readonly before: Summary
    readonly after: Summary
    /** How many of the calls weakened and strengthened. */
    readonly weakened: number
    readonly strengthened: number
    /** Every scenario, and of the other calls the first that changed. */
    readonly calls: ReadonlyArray<ComparedCall>
  }
}

export interface ReviewInput {
  readonly active: Policy
  readonly proposed: Policy
  readonly calls: ReadonlyArray<ProposedCall>
  /** The guard's own roots. */
  readonly self: ReadonlyArray<string>
  readonly view: View
}

/** Changed calls that a review lists besides the scenarios. */
export const maxListedCalls = 200

/** Told now and then, for a progress bar. */
export type Progress = (done: number, of: number) => void

const compared = (old: Outcome, now: Outcome): ComparedCall => ({
  source: now.source,
  label: now.label,
  tool: now.tool,
  shape: now.shape,
  args: now.args,
  before: old.decision,
  after: now.decision,
  rules: [...new Set(now.findings.flatMap(({ rule }) => (rule === null ? [] : [rule])))]
})

const progressEvery = 1000

export const review = (
  sha256: (text: string) => string,
  { active, calls, proposed, self, view }: ReviewInput,
  progress: Progress = () => {}
): Review => {
  const under = (policy: Policy) => ({ decide: simulator({ policy, self, view }), sum: summing() })
  const [before, after] = [under(active), under(proposed)]
  const scenarios: Array<ComparedCall> = []
  const changed: Array<ComparedCall> = []
  let weakened = 0
  let strengthened = 0
  for (const [index, call] of calls.entries()) {
    const [old, now] = [before.decide(call), after.decide(call)]
    before.sum.add(old)
    after.sum.add(now)
    const isWeaker = isStronger(old.decision.action, now.decision.action)
    const isStricter = isStronger(now.decision.action, old.decision.action)
    if (isWeaker) weakened += 1
    if (isStricter) strengthened += 1
    if (call.source === "scenario") scenarios.push(compared(old, now))
    else if ((isWeaker || isStricter) && changed.length < maxListedCalls) changed.push(compared(old, now))
    if ((index + 1) % progressEvery === 0 || index + 1 === calls.length) progress(index + 1, calls.length)
  }
  const summary = after.sum.summary()
  const difference = compare(active, proposed)
  const of = (policy: Policy): ReviewedPolicy => ({
    fingerprint: fingerprintOf(sha256, policy),
    settings: settingsOf(policy)
  })
  return {
    version: 1,
    active: of(active),
    proposed: of(proposed),
    difference,
    linkedHere: difference.linkedRoots.filter(hasOtherName(view)),
    findings: findingsOf(proposed, recordedCalls(summary) === 0 ? undefined : summary.hit),
    simulation: {
      before: before.sum.summary(),
      after: summary,
      weakened,
      strengthened,
      calls: [...scenarios, ...changed]
    }
  }
}

const recordedCalls = ({ bySource: { recorded } }: Summary): number =>
  recorded.allow + recorded.approve + recorded.block

/** Whether any call is refused less under the proposed policy: what `--no-new-access` asks. */
export const grantsNewAccess = ({ difference, linkedHere }: Review): boolean =>
  difference.counts.weakened > 0 || linkedHere.length > 0
