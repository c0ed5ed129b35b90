/**
 * The decision: every rule that matches takes part, the strongest action wins, the first of equals gives the reason.
 * (seed 004 "All matching rules participate; block > approve > allow")
 *
 * A pure function of policy, call and facts. What cannot be checked blocks like a rule of its own, and so do the
 * guard's own files, whatever the policy says. The findings stay in the result, so explaining is a view of them.
 */
import type { CallFacts, Ways } from "./CallFacts.ts"
import { type Action, type Decision, type EvaluationReason, isStronger, type RuleReference } from "./Decision.ts"
import type { Inspection, Operand, Use } from "./Inspection.ts"
import type { Policy } from "./Policy.ts"
import { type Relation, relation } from "./Protection.ts"
import { isRefused, type Refused, type Walked } from "./Walk.ts"

/** Something that speaks for an action. */
export interface Finding {
  readonly action: Action
  readonly reason: EvaluationReason
  readonly rule: RuleReference | null
  /** Position of the path in the call that it is about, or -1 for the call as a whole. */
  readonly operand: number
  /** Short code: how the path lies to the root, or what could not be checked. */
  readonly detail: Relation | string
}

export interface Evaluation {
  readonly decision: Decision
  /** All that matched. Checks first, then the guard's own files, then the rules as they stand in the policy. */
  readonly findings: ReadonlyArray<Finding>
}

const block = (
  reason: EvaluationReason,
  operand: number,
  detail: string,
  rule: RuleReference | null = null
): Finding => ({
  action: "block",
  reason,
  rule,
  operand,
  detail
})

/** Tools whose writing goes into the file that the name leads to. */
const changesContent = (use: Use): boolean => use === "write" || use === "receive"

const takesAway = (use: Use): boolean => use === "remove" || use === "take"

/** A path without facts is not a path that touches nothing. */
const noFacts: Refused = { refused: "io" }

/** What the target is by nature, rules apart. */
const natureFinding = ({ use }: Operand, index: number, ways: Ways): Finding | undefined => {
  for (const { end } of ways) {
    if (end?.kind === "other" && !takesAway(use)) return block("special_file", index, "neither file nor directory")
    if (end?.kind === "file" && end.links > 1 && changesContent(use))
      return block("hard_link", index, "more than one link")
  }
  return undefined
}

/** One reading of one operand. */
interface Way {
  readonly operand: number
  readonly use: Use
  readonly walked: Walked
}

const waysOf = (operands: ReadonlyArray<Operand>, found: CallFacts["operands"]): ReadonlyArray<Way> =>
  operands.flatMap(({ use }, operand) => {
    const ways = found[operand] ?? noFacts
    return isRefused(ways) ? [] : ways.map((walked) => ({ operand, use, walked }))
  })

/** To stand in a directory takes nothing in it along: what a command touches it names by absolute paths. */
const guards = (touch: Relation, use: Use): boolean => touch !== "above" || use !== "enter"

/** Named only when it is needed: most rules find nothing. */
const pathRule = (index: number | "self"): RuleReference | null => (index === "self" ? null : `path:${index}`)

/** The first way that touches the root, and how. `index`: of the protected path, or one of the guard's own roots. */
const rootFinding = (
  ways: ReadonlyArray<Way>,
  root: Walked | Refused,
  action: Action,
  index: number | "self"
): Finding | undefined => {
  if (isRefused(root)) return block("root_unresolved", -1, root.refused, pathRule(index))
  for (const { operand, use, walked } of ways) {
    const detail = relation(walked, root)
    if (detail === undefined || !guards(detail, use)) continue
    const reason = index === "self" ? "self_protection" : "protected_path"
    return { action, reason, rule: pathRule(index), operand, detail }
  }
  return undefined
}

const collect = (policy: Policy, tool: string, inspection: Inspection, facts: CallFacts): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const add = (finding: Finding | undefined): void => {
    if (finding !== undefined) findings.push(finding)
  }
  const operands = inspection.kind === "paths" ? inspection.operands : []
  if (inspection.kind === "unsupported") findings.push(block(inspection.reason, -1, inspection.detail))
  operands.forEach((operand, index) => {
    const found = facts.operands[index] ?? noFacts
    add(isRefused(found) ? block("path_unresolved", index, found.refused) : natureFinding(operand, index, found))
  })
  const ways = waysOf(operands, facts.operands)
  for (const root of facts.self) add(rootFinding(ways, root, "block", "self"))

  const named = policy.byTool.get(tool)
  for (const index of named ?? []) {
    const action = policy.rules[index]?.action ?? "block"
    findings.push({ action, reason: "tool_rule", rule: `tool:${index}`, operand: -1, detail: "" })
  }
  if (operands.length > 0) {
    policy.protectedPaths.forEach(({ action }, index) => {
      const root = facts.protectedPaths[index] ?? noFacts
      add(rootFinding(ways, root, action, index))
    })
  }
  if (named === undefined) {
    findings.push({ action: policy.defaultAction, reason: "default_action", rule: null, operand: -1, detail: "" })
  }
  return findings
}

const strongest = (findings: ReadonlyArray<Finding>): Finding =>
  findings.reduce((best, next) => (isStronger(next.action, best.action) ? next : best))

export const evaluate = (policy: Policy, tool: string, inspection: Inspection, facts: CallFacts): Evaluation => {
  const findings = collect(policy, tool, inspection, facts)
  const { action, reason, rule } = strongest(findings)
  return { decision: { action, reason, rule }, findings }
}
