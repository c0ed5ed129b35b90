/** A call, the whole way to its evaluation: inspect, gather facts, evaluate. (seed 004 "Supported argument inspection") */
import { gather, noFacts } from "./CallFacts.ts"
import { evaluate, type Evaluation } from "./Evaluation.ts"
import { inspect } from "./Inspection.ts"
import type { View } from "./PathFacts.ts"
import type { Policy } from "./Policy.ts"

/** `self`: the guard's own roots, which no policy can open. */
export const decide = (
  policy: Policy,
  self: ReadonlyArray<string>,
  view: View,
  tool: string,
  args: unknown
): Evaluation => {
  const inspection = inspect(tool, args)
  const facts = inspection.kind === "paths" ? gather(view, inspection.operands, policy.protectedPaths, self) : noFacts
  return evaluate(policy, tool, inspection, facts)
}
