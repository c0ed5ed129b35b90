/**
 * What an operator should know of a policy before it decides anything. (cases/guard.md section 5 "unreachable and duplicate
 * rules; coverage; always-allow and always-block findings shown")
 *
 * Reachability is not guessed: a rule that decides no class of calls decides no call (`Classes.ts` says why single paths
 * are enough: a rule that decides a call with several paths decides it with the path that the rule is about).
 */
import { type Action, isStronger, type RuleReference } from "../guard/Decision.ts"
import { inspectedTools } from "../guard/Inspection.ts"
import { covers } from "../guard/LiteralPath.ts"
import type { PathRule, Policy } from "../guard/Policy.ts"
import { type CallClass, classesOf, groundOf } from "./Classes.ts"

/**
 * - `duplicate_tool`, `duplicate_root`: an earlier rule, `by`, speaks of the same tool or path; the strongest counts
 * - `covered_root`: lies in the root of `by`, whose action is as strong, so it adds nothing unless it is a link
 * - `unreachable_rule`: never gives a verdict, because something as strong or stronger always does
 * - `never_hit`: took part in none of the recorded calls
 * - `default_allows`: every tool that no rule names may run
 * - `allowed_unseen`: the tool may run whatever its arguments are, because the guard does not look at them
 * - `always_allowed`: an inspected tool whose supported calls are all allowed; `always_blocked`: none is ever let through
 */
export const findingCodes = [
  "default_allows",
  "allowed_unseen",
  "always_allowed",
  "always_blocked",
  "duplicate_tool",
  "duplicate_root",
  "covered_root",
  "unreachable_rule",
  "never_hit"
] as const
export type FindingCode = (typeof findingCodes)[number]

export interface PolicyFinding {
  readonly code: FindingCode
  /** The rule it is about; `null` for the default action. */
  readonly rule: RuleReference | null
  /** The other rule, where there is one. */
  readonly by: RuleReference | null
  /** The tool or path, in the operator's own words; "" for the default action. */
  readonly subject: string
}

const duplicates = <A>(
  rules: ReadonlyArray<A>,
  subjectOf: (rule: A) => string,
  code: FindingCode,
  reference: (index: number) => RuleReference
): ReadonlyArray<PolicyFinding> => {
  const first = new Map<string, number>()
  return rules.flatMap((rule, index) => {
    const subject = subjectOf(rule)
    const earlier = first.get(subject)
    if (earlier !== undefined) return [{ code, rule: reference(index), by: reference(earlier), subject }]
    first.set(subject, index)
    return []
  })
}

const coveredRoots = (paths: ReadonlyArray<PathRule>): ReadonlyArray<PolicyFinding> =>
  paths.flatMap(({ action, path }, index) => {
    const by = paths.findIndex(
      (other) => other.path !== path && covers(other.path, path) && !isStronger(action, other.action)
    )
    return by < 0 ? [] : [{ code: "covered_root", rule: `path:${index}`, by: `path:${by}`, subject: path } as const]
  })

const references = ({ protectedPaths, rules }: Policy): ReadonlyArray<readonly [RuleReference, string]> => [
  ...rules.map(({ tool }, index) => [`tool:${index}`, tool] as const),
  ...protectedPaths.map(({ path }, index) => [`path:${index}`, path] as const)
]

/** The actions of a tool's classes that can be checked. */
const actionsOf = (classes: ReadonlyArray<CallClass>, tool: string): ReadonlySet<Action> =>
  new Set(
    classes
      .filter((found) => found.tool === tool && !found.shape.startsWith("unsupported"))
      .map(({ after }) => after.action)
  )

const alwaysFindings = (
  { byTool, defaultAction }: Policy,
  classes: ReadonlyArray<CallClass>
): ReadonlyArray<PolicyFinding> => {
  const tools = [...new Set([...byTool.keys(), ...(defaultAction === "allow" ? inspectedTools : [])])]
  return tools.flatMap((tool): ReadonlyArray<PolicyFinding> => {
    const actions = actionsOf(classes, tool)
    const [only] = actions
    if (actions.size !== 1 || only === undefined || only === "approve") return []
    const inspected = inspectedTools.includes(tool)
    const code = only === "block" ? "always_blocked" : inspected ? "always_allowed" : "allowed_unseen"
    const index = byTool.get(tool)?.[0]
    return [{ code, rule: index === undefined ? null : `tool:${index}`, by: null, subject: tool }]
  })
}

/** `hit`: the rules that took part in recorded calls; `undefined` where none were recorded. */
export const findingsOf = (
  policy: Policy,
  hit: ReadonlyArray<RuleReference> | undefined
): ReadonlyArray<PolicyFinding> => {
  const classes = classesOf(groundOf(policy, policy))
  const deciding = new Set(classes.map(({ after }) => after.rule))
  const repeated = [
    ...duplicates(
      policy.rules,
      ({ tool }) => tool,
      "duplicate_tool",
      (index) => `tool:${index}`
    ),
    ...duplicates(
      policy.protectedPaths,
      ({ path }) => path,
      "duplicate_root",
      (index) => `path:${index}`
    ),
    ...coveredRoots(policy.protectedPaths)
  ]
  const known = new Set(repeated.map(({ rule }) => rule))
  const of = (code: FindingCode, holds: (rule: RuleReference) => boolean): ReadonlyArray<PolicyFinding> =>
    references(policy).flatMap(([rule, subject]) => (holds(rule) ? [{ code, rule, by: null, subject }] : []))
  return [
    ...(policy.defaultAction === "allow"
      ? [{ code: "default_allows", rule: null, by: null, subject: "" } as const]
      : []),
    ...alwaysFindings(policy, classes),
    ...repeated,
    ...of("unreachable_rule", (rule) => !deciding.has(rule) && !known.has(rule)),
    ...(hit === undefined ? [] : of("never_hit", (rule) => !hit.includes(rule)))
  ]
}
