/**
 * The policy of the notes, what it has that is not the default, the way to it and to its roots, and what becomes of every
 * file. (issue 7 item 2, issue 8; cases/notes.md 9 and 11)
 *
 * The engine loads the policy and walks to each root over a watched tree, as `explain` has it do.
 */
import { RootRefused } from "@memory-bridge/core/notes/Notes"
import { policyPathOf, PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { isRefused, openRoot } from "@memory-bridge/core/notes/TrustedEntry"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { type Root, rootsOf } from "@memory-bridge/core/policy/Roots"
import { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { cureForScan } from "../Cure.ts"
import { policySteps, type Step, treeSteps } from "../ExplainSteps.ts"
import { explain, type Explanation } from "../Explanation.ts"
import { noticesOf, placeOfExample, type Told } from "../Notices.ts"
import { groupNames, policySettings, rootName, type Setting } from "../PolicySettings.ts"
import { quote, show } from "../Quote.ts"
import { cureBelow } from "../RootCure.ts"
import { type Seen, userOf, watched, watchedPolicies } from "../Steps.ts"
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

const skippedFinding = (policy: Policy, { count, example, reason }: Skipped): Finding => {
  const { path, root } = placeOfExample(policy, example)
  const own = reason === "unlistable" || reason === "id_too_long"
  const { cure, meaning } = own
    ? reason === "unlistable"
      ? { meaning: "cannot be listed", cure: `chmod u+rX ${quote(path)}` }
      : { meaning: "has a path too long for an id", cure: "move it up" }
    : cureBelow(root, reason, { part: example.endsWith("/") ? "directory" : "note", path })
  const text = `Not served: ${count} ${count === 1 ? "entry" : "entries"}, ${reason}; ${show(example)} ${meaning}.`
  const make = meant.has(reason) ? ofNotes.info : ofNotes.warning
  return make(`skipped_${reason}`, text, meant.has(reason) ? `memory-bridge explain ${quote(path)}` : cure)
}

const settingFinding = ({ key, kind, text }: Setting): Finding => {
  const told = `${key}: ${show(text)}.`
  switch (kind) {
    case "root":
      return ofPolicy.info("root_named", told)
    case "served_names":
      return ofPolicy.info("names_unicode", told)
    case "groups":
      return ofPolicy.info("groups_accepted", told)
    case "hard_links":
      return ofPolicy.info("hard_links_accepted", told)
    case "ranking":
      return ofPolicy.info("ranking_path", told)
  }
}

const noticeFinding = ({ cure, notice, text }: Told): Finding => {
  const told = `${text}.`
  switch (notice) {
    case "not_composed":
      return ofNotes.warning("names_not_composed", told, cure)
    case "twins":
      return ofNotes.info("names_twins", told, cure)
    case "linked":
      return ofNotes.info("notes_linked", told, cure)
    case "no_setgid":
      return ofNotes.warning("setgid_missing", told, cure)
  }
}

interface LookedAt {
  readonly finding: Finding
  readonly refused: boolean
}

const titleOf = (root: Root): string => (root.prefix === "" ? "The memory root" : `The root ${rootName(root)}`)

/** A root and the way to it, as the engine opens it. */
const rootFinding = Effect.fnUntraced(function* (policy: Policy, root: Root, policyPath: string, user: number) {
  const tree = yield* Tree
  const seen: Array<Seen> = []
  const refusal = yield* Effect.scoped(
    Effect.map(watched(tree, seen).walk, (walk) => {
      const opened = openRoot(walk, root)
      return isRefused(opened) ? new RootRefused(opened) : undefined
    })
  )
  const lines = treeSteps(seen, policy.limits, root, undefined, user, refusal?.rule).map(lineOf)
  if (refusal !== undefined) {
    const explanation = explain(refusal, { policyPath, root })
    const text = root.prefix === "" ? sentence(explanation) : `${titleOf(root)}: ${sentence(explanation)}`
    const finding = ofPolicy.error("root_refused", text, detailOf(explanation, "cure"), lines)
    return { finding, refused: true } satisfies LookedAt
  }
  const text =
    root.trust.groups.size === 0
      ? `${titleOf(root)} and all that leads to it can be written by nobody else.`
      : `${titleOf(root)} can be written by members of the accepted groups, and all that leads to it by nobody else.`
  return { finding: ofPolicy.ok("root_trusted", text, "", lines), refused: false } satisfies LookedAt
})

const surveyFindings = Effect.fnUntraced(function* (policy: Policy, searched: boolean) {
  const found = yield* survey(policy)
  const { beyond, served, skipped, stopped, stoppedAt = "" } = found
  const scan = stopped === undefined ? undefined : cureForScan(stopped, stoppedAt)
  const [first = policy] = rootsOf(policy)
  const where = policy.named.length === 0 ? "the root" : `the root ${show(stoppedAt)}`
  const findings: ReadonlyArray<Finding> = [
    ...(scan === undefined
      ? []
      : [ofNotes.error(`search_${stopped}`, `No search is answered: ${where} ${scan.meaning}.`, scan.cure)]),
    served.length === 0 && beyond === 0
      ? ofNotes.warning("nothing_served", "The policy serves no note.", `memory-bridge explain ${quote(first.root)}`)
      : ofNotes.ok("served", `Served${searched ? "" : ", by id"}: ${served.length + beyond} notes.`),
    ...(beyond === 0
      ? []
      : [
          ofNotes.warning(
            "search_limit",
            `One search does not come to ${beyond} of them.`,
            "raise limits.max_entries, or point the policy at a smaller folder"
          )
        ]),
    ...noticesOf(policy, found).map(noticeFinding),
    ...skipped.map((each) => skippedFinding(policy, each))
  ]
  return findings
})

const rootFindings = Effect.fnUntraced(function* (policy: Policy, policyPath: string, user: number) {
  const looked = yield* Effect.forEach(rootsOf(policy), (root) => rootFinding(policy, root, policyPath, user))
  const refused = looked.filter((each) => each.refused)
  const findings = looked.map(({ finding }) => finding)
  if (refused.length === looked.length) return findings
  return [
    ...findings,
    ...refused
      .slice(0, 1)
      .map(({ finding }) =>
        ofNotes.error(
          "search_root_refused",
          "No search is answered while one root is refused. A read needs the root of its note alone.",
          finding.cure
        )
      ),
    ...(yield* surveyFindings(policy, refused.length === 0))
  ]
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
    const explanation = explain(loaded.failure, { policyPath: path, root: undefined })
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
    ...policySettings(policy, yield* groupNames(tree, policy)).map(settingFinding),
    ...(yield* rootFindings(policy, path, user))
  ]
  return findings
})
