/** A call, the whole way to its evaluation: inspect, gather facts, evaluate. (seed 004 "Supported argument inspection") */
import { gatherer, noFacts } from "./CallFacts.ts"
import { evaluate, type Evaluation } from "./Evaluation.ts"
import { inspect, type Inspection } from "./Inspection.ts"
import type { View } from "./PathFacts.ts"
import type { Policy } from "./Policy.ts"

/**
 * Judges any number of inspected calls on one state of the file system, as it is when each name is first looked at. For
 * one call at a time, and for the lab, which replays many on a state that does not change meanwhile.
 *
 * `self`: the guard's own roots, which no policy can open.
 */
export const judge = (
  policy: Policy,
  self: ReadonlyArray<string>,
  view: View
): ((tool: string, inspection: Inspection) => Evaluation) => {
  const factsOf = gatherer(view, policy.protectedPaths, self)
  return (tool, inspection) =>
    evaluate(policy, tool, inspection, inspection.kind === "paths" ? factsOf(inspection.operands) : noFacts)
}

/** The same for calls as they come. */
export const decider = (
  policy: Policy,
  self: ReadonlyArray<string>,
  view: View
): ((tool: string, args: unknown) => Evaluation) => {
  const judged = judge(policy, self, view)
  return (tool, args) => judged(tool, inspect(tool, args))
}

/** Decides one call on the state of now. */
export const decide = (
  policy: Policy,
  self: ReadonlyArray<string>,
  view: View,
  tool: string,
  args: unknown
): Evaluation => decider(policy, self, view)(tool, args)
