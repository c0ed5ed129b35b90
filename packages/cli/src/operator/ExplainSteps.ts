/**
 * The steps of an explanation: what the watched tree was asked, and which rule it ended with. (issue 7 item 3)
 *
 * A refusal names its rule; here that rule is put at the look that it speaks of. Everything before it was passed, since
 * the engine went on. No rule is tried anew.
 */
import { type NameRule, nameRules } from "@memory-bridge/core/notes/Notes"
import type { SkipReason } from "@memory-bridge/core/notes/TrustedEntry"
import type { Limits } from "@memory-bridge/core/policy/Limits"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import type { PolicyRefused } from "@memory-bridge/core/policy/PolicyStore"
import type { Root } from "@memory-bridge/core/policy/Roots"
import { type DocumentId, segmentsOf } from "@memory-bridge/core/tree/DocumentId"
import { isFault } from "@memory-bridge/core/tree/Tree"
import { leadsTo } from "./Locate.ts"
import { commonSettings, type GroupNames, rootSettings, type SettingKind, settingKinds } from "./PolicySettings.ts"
import { factsText, type Seen } from "./Steps.ts"

/** What is checked, in the engine's order. */
export const checks = [
  "id",
  "policy_path",
  "policy_file",
  "group_file",
  "policy",
  "runs",
  ...settingKinds,
  "depth",
  "names",
  "markdown",
  "patterns",
  "root_path",
  "directory",
  "kind",
  "links",
  "mount",
  "size",
  "trust",
  "content",
  "search"
] as const
export type Check = (typeof checks)[number]

export interface Step {
  readonly check: Check
  /** A path, an id or a name. */
  readonly subject: string
  readonly verdict: "passed" | "refused" | "told"
  /** The broken rule, or "". */
  readonly rule: string
  readonly detail: string
  /** Whether this step decides. */
  readonly decides: boolean
}

export const step = (check: Check, subject: string, verdict: Step["verdict"], detail = "", rule = ""): Step => ({
  check,
  subject,
  verdict,
  rule,
  detail,
  decides: verdict === "refused"
})

export const passed = (check: Check, subject: string, detail = ""): Step => step(check, subject, "passed", detail)
export const refusedBy = (check: Check, subject: string, rule: string, detail = ""): Step =>
  step(check, subject, "refused", detail, rule)

// ---- The policy.

/** `seen`: the way to the policy and the file; then the way to the group file, where the policy names a group. */
export const policySteps = (
  seen: ReadonlyArray<Seen>,
  user: number,
  path: string,
  refusal: PolicyRefused | undefined
): ReadonlyArray<Step> => {
  const last = seen.findIndex((entry) => entry.wanted === "file" && entry.path === path)
  const steps = seen.map((entry, index): Step => {
    const detail = factsText(entry, user)
    if (last !== -1 && index > last) {
      return step("group_file", entry.path, entry.fault === undefined ? "passed" : "told", detail)
    }
    const check = entry.wanted === "file" ? "policy_file" : "policy_path"
    const broken = refusal !== undefined && refusal.reason !== "policy_invalid" && refusal.component === entry.path
    return broken ? refusedBy(check, entry.path, refusal.rule, detail) : passed(check, entry.path, detail)
  })
  if (refusal === undefined) return [...steps, passed("policy", path, "valid")]
  if (steps.some(({ decides }) => decides)) return steps
  const where = refusal.key === "" ? refusal.rule : `${refusal.key}: ${refusal.rule}`
  return [...steps, refusedBy("policy", path, refusal.reason, where)]
}

export const runStep = ({ allowCron, allowSubagents }: Policy): Step =>
  step(
    "runs",
    "",
    "told",
    `cron ${allowCron ? "allowed" : "refused"}, subagents ${allowSubagents ? "allowed" : "refused"}`
  )

/** What is not the default: of the root that is asked about, and of the policy as a whole. */
export const settingSteps = (policy: Policy, root: Root | undefined, names: GroupNames): ReadonlyArray<Step> =>
  [...commonSettings(policy), ...(root === undefined ? [] : rootSettings(root, names))].map(
    ({ key, kind, text }): Step => step(kind satisfies SettingKind, key, "told", text)
  )

// ---- The names.

export const quoted = (patterns: ReadonlyArray<string>): string =>
  patterns.length === 0 ? "none" : patterns.map((pattern) => JSON.stringify(pattern)).join(", ")

/** Which names a root serves. */
export const namesText = ({ names }: Root): string =>
  names === "portable"
    ? "letters, digits, . _ - and not hidden"
    : "of every script, nothing that cannot be seen, not hidden"

const patternText = ({ rules }: Root, path: DocumentId): string => {
  const { allowed, denied } = rules.matching(path)
  return `deny that match: ${quoted(denied)}; allow that match: ${quoted(allowed)}`
}

const nameCheck: Readonly<Record<NameRule, Check>> = {
  too_deep: "depth",
  odd_name: "names",
  not_markdown: "markdown",
  denied: "patterns",
  no_allow: "patterns"
}
export const isNameRule = (rule: string): rule is NameRule => nameRules.some((known) => known === rule)

/** Up to the one that refuses; the patterns are told in any case. */
export const nameSteps = (
  { max_depth: most }: Limits,
  root: Root,
  path: DocumentId,
  rule: string
): ReadonlyArray<Step> => {
  const id = root.prefix + path
  const details: ReadonlyArray<readonly [Check, string]> = [
    ["depth", `${segmentsOf(path).length} of at most ${most} (limits.max_depth)`],
    ["names", namesText(root)],
    ["markdown", "ends in .md"],
    ["patterns", patternText(root, path)]
  ]
  const deciding = isNameRule(rule) ? details.findIndex(([check]) => check === nameCheck[rule]) : details.length
  return details.flatMap(([check, detail], index) => {
    if (index < deciding) return [passed(check, id, detail)]
    if (index === deciding) return [refusedBy(check, id, rule, check === "patterns" ? detail : "")]
    return check === "patterns" ? [step(check, id, "told", detail)] : []
  })
}

// ---- The way, and the note itself.

/** The checks of an open note in the engine's order, and the rules of each; what is in none of them is of its content. */
const noteChecks = ["kind", "links", "mount", "size", "trust", "content"] as const

const noteCheck = (rule: SkipReason, { facts, fault }: Seen): (typeof noteChecks)[number] => {
  if (fault !== undefined || facts === undefined || isFault(facts)) return "kind"
  switch (rule) {
    case "not_file":
      return "kind"
    case "hard_link":
      return "links"
    case "other_device":
      return "mount"
    case "too_large":
      return "size"
    case "not_utf8":
    case "binary":
    case "changed":
    case "missing":
    case "link":
    case "not_directory":
    case "not_permitted":
    case "special":
    case "name_too_long":
    case "exhausted":
    case "io":
      return "content"
    case "foreign_owner":
    case "group_writable":
    case "world_writable":
    case "acl_user_writes":
    case "acl_group_writes":
    case "acl_everyone_writes":
    case "acl_unreadable":
    case "acl_unsupported":
    case "acl_malformed":
    case "acl_unmapped_id":
    case "acl_foreign":
      return "trust"
  }
}

const noteDetail = (
  entry: Seen,
  limits: Limits,
  { trust }: Root,
  user: number
): Readonly<Record<(typeof noteChecks)[number], string>> => {
  const { facts, fault, reading } = entry
  const known = facts !== undefined && !isFault(facts) ? facts : undefined
  return {
    kind: known === undefined ? (fault ?? "") : known.kind === "file" ? "a regular file" : `no file: ${known.kind}`,
    links: `${known?.links ?? "?"} of ${trust.hardLinks ? "any number (trust.hard_links)" : "1"}`,
    mount: "on the root's own mount",
    size: `${known?.size ?? "?"} of at most ${limits.max_file_bytes} bytes (limits.max_file_bytes)`,
    trust: factsText(entry, user, trust.groups),
    content: reading === undefined ? "" : "text" in reading ? "whole, UTF-8, no NUL" : `read ${reading.consumed} bytes`
  }
}

const noteSteps = (
  entry: Seen,
  limits: Limits,
  root: Root,
  user: number,
  rule: SkipReason | undefined
): ReadonlyArray<Step> => {
  const details = noteDetail(entry, limits, root, user)
  const deciding = rule === undefined ? noteChecks.length : noteChecks.indexOf(noteCheck(rule, entry))
  return noteChecks
    .slice(0, deciding + 1)
    .map((check, index) =>
      rule !== undefined && index === deciding
        ? refusedBy(
            check,
            entry.path,
            rule,
            check === "mount" ? "on another mount" : check === "content" ? "" : details[check]
          )
        : passed(check, entry.path, details[check])
    )
}

/** The components of the root, the directories on the way, and the note at `path` where it was come to. */
export const treeSteps = (
  seen: ReadonlyArray<Seen>,
  limits: Limits,
  root: Root,
  path: string | undefined,
  user: number,
  rule: string | undefined
): ReadonlyArray<Step> =>
  seen.flatMap((entry, index): ReadonlyArray<Step> => {
    const decides = rule !== undefined && index === seen.length - 1
    if (entry.wanted === "file" && entry.path === path)
      return noteSteps(entry, limits, root, user, decides ? (rule as SkipReason) : undefined)
    const inRoot = leadsTo(entry.path, root)
    const check = inRoot ? "root_path" : "directory"
    // On the way to a root no group is accepted.
    const accepted = inRoot && entry.path !== root.root ? undefined : root.trust.groups
    const detail = factsText(entry, user, accepted)
    return [decides ? refusedBy(check, entry.path, rule, detail) : passed(check, entry.path, detail)]
  })
