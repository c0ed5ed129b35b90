/**
 * The policy of the notes, the way to it and to its root, and what becomes of every file. (issue 7 item 2; cases/notes.md 9
 * and 11)
 *
 * The engine loads the policy and walks to the root over a watched tree, as `explain` has it do.
 */
import { RootRefused } from "@memory-bridge/core/notes/Notes"
import { policyPathOf, PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { Tree } from "@memory-bridge/core/tree/Tree"
import { openTrustedDirectory } from "@memory-bridge/core/trust/TrustedPath"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { cureFor, cureForScan } from "../Cure.ts"
import { policySteps, type Step, treeSteps } from "../ExplainSteps.ts"
import { explain, type Explanation } from "../Explanation.ts"
import { quote, show } from "../Quote.ts"
import { below, type Seen, userOf, watched, watchedPolicies } from "../Steps.ts"
import { type Finding, findingsOf } from "./Finding.ts"
import { type Skip, type Skipped, survey } from "./Survey.ts"

const ofPolicy = findingsOf("policy")
const ofNotes = findingsOf("notes")

const lineOf = ({ detail, rule, subject, verdict }: Step): string =>
  `${show(subject)}: ${verdict === "refused" ? rule : "ok"}${detail === "" ? "" : ` (${detail})`}`

const detailOf = ({ details }: Explanation, label: string): string =>
  details.find(([name]) => name === label)?.[1] ?? ""

/** A refusal in one sentence; its rule stands with the component that it is about. */
const sentence = (explanation: Explanation): string =>
  [explanation.headline, detailOf(explanation, "component"), detailOf(explanation, "rule")]
    .filter((part) => part !== "")
    .join(" ")

/** Reasons that a policy means to have. */
const meant: ReadonlySet<Skip> = new Set<Skip>([
  "denied",
  "no_allow",
  "odd_name",
  "not_markdown",
  "too_deep",
  "id_too_long"
])

const skippedFinding = ({ root }: Policy, { count, example, reason }: Skipped): Finding => {
  const directory = example.endsWith("/")
  const path = below(root, example.replace(/\/$/, ""))
  const own = reason === "unlistable" || reason === "id_too_long"
  const { cure, meaning } = own
    ? reason === "unlistable"
      ? { meaning: "cannot be listed", cure: `chmod u+rX ${quote(path)}` }
      : { meaning: "has a path too long for an id", cure: "move it up" }
    : cureFor(reason, { part: directory ? "directory" : "note", path })
  const text = `Not served: ${count} ${count === 1 ? "entry" : "entries"}, ${reason}; ${show(example)} ${meaning}.`
  const make = meant.has(reason) ? ofNotes.info : ofNotes.warning
  return make(`skipped_${reason}`, text, meant.has(reason) ? `memory-bridge explain ${quote(path)}` : cure)
}

const rootFindings = Effect.fnUntraced(function* (policy: Policy, policyPath: string, user: number) {
  const tree = yield* Tree
  const seen: Array<Seen> = []
  const refusal = yield* Effect.scoped(
    Effect.map(watched(tree, seen).walk, (walk) => {
      const opened = openTrustedDirectory(walk, policy.root)
      return typeof opened === "object" ? new RootRefused(opened) : undefined
    })
  )
  const lines = treeSteps(seen, policy, undefined, user, refusal?.rule).map(lineOf)
  if (refusal !== undefined) {
    const explanation = explain(refusal, { policyPath, root: policy.root })
    return [ofPolicy.error("root_refused", sentence(explanation), detailOf(explanation, "cure"), lines)]
  }
  const { beyond, served, skipped, stopped } = yield* survey(policy)
  const scan = stopped === undefined ? undefined : cureForScan(stopped, policy.root)
  const findings: ReadonlyArray<Finding> = [
    ofPolicy.ok("root_trusted", "The memory root and all that leads to it can be written by nobody else.", "", lines),
    ...(scan === undefined
      ? []
      : [ofNotes.error(`search_${stopped}`, `No search is answered: the root ${scan.meaning}.`, scan.cure)]),
    served.length === 0 && beyond === 0
      ? ofNotes.warning("nothing_served", "The policy serves no note.", `memory-bridge explain ${quote(policy.root)}`)
      : ofNotes.ok("served", `Served: ${served.length + beyond} notes.`),
    ...(beyond === 0
      ? []
      : [
          ofNotes.warning(
            "search_limit",
            `One search does not come to ${beyond} of them.`,
            "raise limits.max_entries, or point the policy at a smaller folder"
          )
        ]),
    ...skipped.map((each) => skippedFinding(policy, each))
  ]
  return findings
})

export const permissionFindings = Effect.fnUntraced(function* (home: string) {
  const tree = yield* Tree
  const user = yield* userOf(tree)
  const path = policyPathOf(home)
  const seen: Array<Seen> = []
  const loaded = yield* Effect.result(
    PolicyStore.use((policies) => policies.load(path)).pipe(Effect.provide(watchedPolicies(tree, seen)))
  )
  if (Result.isFailure(loaded)) {
    const { component, key, rule } = loaded.failure
    const lines = policySteps(seen, user, path, loaded.failure).map(lineOf)
    if (rule === "missing" && key === "" && component.startsWith(`${home === "/" ? "" : home}/`)) {
      const text = "This home has no policy, so no note is served."
      return [ofPolicy.warning("policy_missing", text, `memory-bridge init --home ${quote(home)}`, lines)]
    }
    const explanation = explain(loaded.failure, { policyPath: path, root: "" })
    return [ofPolicy.error("policy_refused", sentence(explanation), detailOf(explanation, "cure"), lines)]
  }
  const policy = loaded.success
  const findings: ReadonlyArray<Finding> = [
    ofPolicy.ok(
      "policy_valid",
      "The policy is valid, and nobody else can write it.",
      "",
      policySteps(seen, user, path, undefined).map(lineOf)
    ),
    ...(policy.allowCron || policy.allowSubagents
      ? [
          ofPolicy.info(
            "runs_allowed",
            `The policy opts in to ${[policy.allowCron ? "cron runs" : "", policy.allowSubagents ? "subagents" : ""].filter((word) => word !== "").join(" and ")}.`
          )
        ]
      : []),
    ...(yield* rootFindings(policy, path, user))
  ]
  return findings
})
