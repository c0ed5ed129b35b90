/**
 * What would be decided, call by call, without running anything. (seed 004 "Simulate"; cases/guard.md section 5: "read only;
 * snapshot once; verdict per call with all matching rules")
 *
 * The verdict is the enforcing plugin's own (`guard/Decide.ts`), on one state of the file system for the whole run. An
 * outcome of a recorded call holds nothing that the model wrote but the tool's name, and that only if it is one.
 */
import { judge } from "../guard/Decide.ts"
import type { Action, Decision, Reason, RuleReference } from "../guard/Decision.ts"
import type { Finding } from "../guard/Evaluation.ts"
import { inspect, type Inspection } from "../guard/Inspection.ts"
import type { View } from "../guard/PathFacts.ts"
import type { Policy } from "../guard/Policy.ts"

export type Source = "scenario" | "neighbour" | "recorded"

export const sources: ReadonlyArray<Source> = ["scenario", "neighbour", "recorded"]

/** A call that could be made. */
export interface ProposedCall {
  readonly source: Source
  /** For a person: what the call shows, or where it was recorded. Never made from a recorded call's own text. */
  readonly label: string
  readonly tool: string
  readonly args: unknown
}

/** One world for a whole run. */
export interface World {
  readonly policy: Policy
  /** The guard's own roots. */
  readonly self: ReadonlyArray<string>
  readonly view: View
}

export interface Outcome {
  readonly source: Source
  readonly label: string
  readonly tool: string
  /** How the arguments read: the uses of the paths, or why they cannot be checked. */
  readonly shape: string
  readonly decision: Decision
  /** All that matched. */
  readonly findings: ReadonlyArray<Finding>
  /** `null` for a recorded call, which is not shown. */
  readonly args: unknown
}

/** What a recorded call's tool is called when its name is no tool's name. */
export const otherTool = "(other)"

const toolName = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$/

const shownTool = ({ source, tool }: ProposedCall): string =>
  source !== "recorded" || toolName.test(tool) ? tool : otherTool

/** In closed words: how the guard reads the arguments, without any of them. */
export const shapeOf = (inspection: Inspection): string => {
  switch (inspection.kind) {
    case "by_name":
      return "name alone"
    case "unsupported":
      return inspection.detail
    case "paths":
      return inspection.operands.length === 0 ? "no path" : inspection.operands.map(({ use }) => use).join(", ")
  }
}

/** Decides one call after the other, all on the state that the first looks found. */
export const simulator = ({ policy, self, view }: World): ((call: ProposedCall) => Outcome) => {
  const judged = judge(policy, self, view)
  return (call) => {
    const { args, label, source, tool } = call
    const inspection = inspect(tool, args)
    const { decision, findings } = judged(tool, inspection)
    return {
      source,
      label,
      tool: shownTool(call),
      shape: shapeOf(inspection),
      decision,
      findings,
      args: source === "recorded" ? null : args
    }
  }
}

export const simulate = (world: World, calls: ReadonlyArray<ProposedCall>): ReadonlyArray<Outcome> =>
  calls.map(simulator(world))

export type Tally = Readonly<Record<Action, number>>

export interface Summary {
  readonly calls: number
  readonly actions: Tally
  readonly bySource: Readonly<Record<Source, Tally>>
  /** Most frequent first. */
  readonly reasons: ReadonlyArray<{ readonly reason: Reason; readonly calls: number }>
  /** Rules that took part in a recorded call, whether or not they decided it. */
  readonly hit: ReadonlyArray<RuleReference>
}

type Counting = Record<Action, number>

const nothing = (): Counting => ({ allow: 0, approve: 0, block: 0 })

/** Counts outcomes as they come, so that a long recording need not be held. */
export interface Summing {
  readonly add: (outcome: Outcome) => void
  readonly summary: () => Summary
}

export const summing = (): Summing => {
  const actions = nothing()
  const bySource: Record<Source, Counting> = { scenario: nothing(), neighbour: nothing(), recorded: nothing() }
  const reasons = new Map<Reason, number>()
  const hit = new Set<RuleReference>()
  let calls = 0
  return {
    add: ({ decision: { action, reason }, findings, source }) => {
      calls += 1
      actions[action] += 1
      bySource[source][action] += 1
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      if (source !== "recorded") return
      for (const { rule } of findings) if (rule !== null) hit.add(rule)
    },
    summary: () => ({
      calls,
      actions,
      bySource,
      reasons: [...reasons].map(([reason, count]) => ({ reason, calls: count })).toSorted((a, b) => b.calls - a.calls),
      hit: [...hit].toSorted()
    })
  }
}

export const summaryOf = (outcomes: ReadonlyArray<Outcome>): Summary => {
  const sum = summing()
  for (const outcome of outcomes) sum.add(outcome)
  return sum.summary()
}
