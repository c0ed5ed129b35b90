/**
 * Would this policy file be used, and what would it serve? (issue 7 item 1, issue 8)
 *
 * The file is loaded as for every call, path and trust included; then each of its roots is walked, and all are surveyed. Of
 * what is wrong with the text everything is named, not only the first. A root that is refused refuses every search, so it
 * refuses the policy here; what a read of the others would give is told all the same.
 */
import { defects, type Policy } from "@memory-bridge/core/policy/Policy"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { type Root, rootsOf } from "@memory-bridge/core/policy/Roots"
import { RootRefused } from "@memory-bridge/core/notes/Notes"
import { isRefused, openRoot } from "@memory-bridge/core/notes/TrustedEntry"
import { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { resolve } from "node:path"
import { Stopped } from "../Exit.ts"
import { surveyText } from "../screen/ExplainText.ts"
import { Screen } from "../screen/Screen.ts"
import { type Explanation, explain, explanationText } from "./Explanation.ts"
import { noticesOf, skippedCures, type Told } from "./Notices.ts"
import { groupNames, policySettings, rootName, type Setting } from "./PolicySettings.ts"
import { show } from "./Quote.ts"
import { survey, type Survey } from "./doctor/Survey.ts"

export interface PolicyCheckOptions {
  readonly file: string
  readonly json: boolean
}

/** Why a root cannot be served at all. */
export const rootRefusal = Effect.fnUntraced(function* (of: Root) {
  const tree = yield* Tree
  return yield* Effect.scoped(
    Effect.map(tree.walk, (walk) => {
      const root = openRoot(walk, of)
      return isRefused(root) ? new RootRefused(root) : undefined
    })
  )
})

/** The defects beside the first, which the explanation names. */
const others = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.orElseSucceed(files.readFileString(path), () => "")
  return defects(text)
})

const refusalJson = ({ details, headline }: Explanation) => ({ headline, ...Object.fromEntries(details) })

const settingText = ({ key, text }: Setting): string => `set    ${key}: ${show(text)}`

const limitsText = (policy: Policy, settings: ReadonlyArray<Setting>): string =>
  [
    ...(policy.named.length === 0 ? [`root   ${show(policy.root)}`] : []),
    `runs   cron ${policy.allowCron ? "allowed" : "refused"}, subagents ${policy.allowSubagents ? "allowed" : "refused"}`,
    ...settings.map(settingText),
    `limits ${Object.entries(policy.limits)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}`
  ].join("\n")

const adviceText = (
  notices: ReadonlyArray<Told>,
  cures: ReadonlyArray<readonly [reason: string, cure: string]>
): ReadonlyArray<string> => [
  ...notices.flatMap(({ cure, text }) => [`${text}.`, `  -> ${cure}`]),
  ...cures.flatMap(([reason, cure]) => [`What to do about ${reason}:`, `  -> ${cure}`])
]

interface Looked {
  readonly root: Root
  readonly refusal: Explanation | undefined
}

/** `root` is a policy's only root, `roots` are those that have names. */
const asJson = (
  file: string,
  policy: Policy,
  ok: boolean,
  looked: ReadonlyArray<Looked>,
  settings: ReadonlyArray<Setting>,
  found: Survey
) => ({
  ok,
  file,
  ...(policy.named.length === 0
    ? { root: policy.root }
    : {
        roots: looked.map(({ refusal, root }) => ({
          name: rootName(root),
          root: root.root,
          refusal: refusal === undefined ? null : refusalJson(refusal)
        }))
      }),
  runs: { cron: policy.allowCron, subagents: policy.allowSubagents },
  limits: policy.limits,
  settings,
  survey: found,
  notices: noticesOf(policy, found),
  cures: Object.fromEntries(skippedCures(policy, found))
})

export const checkPolicy = Effect.fnUntraced(function* ({ file, json }: PolicyCheckOptions) {
  const screen = yield* Screen
  const path = resolve(file)
  const loaded = yield* Effect.result(PolicyStore.use((policies) => policies.load(path)))
  if (Result.isFailure(loaded)) {
    const refusal = explain(loaded.failure, { policyPath: path, root: undefined })
    const named = loaded.failure.reason === "policy_invalid" ? yield* others(path) : []
    const all = named.map(({ key, rule }) => ({ key, rule, cure: key === "" ? "correct the file" : `correct ${key}` }))
    if (json)
      yield* screen.out(JSON.stringify({ ok: false, file: path, refusal: refusalJson(refusal), defects: all }) + "\n")
    else {
      const more = all.length < 2 ? "" : all.map(({ key, rule }) => `  ${show(key)}: ${show(rule)}\n`).join("")
      yield* screen.err(explanationText(refusal) + (more === "" ? "" : `All that is wrong with it:\n${more}`))
    }
    return yield* new Stopped({ code: refusal.exitCode })
  }
  const policy = loaded.success
  const tree = yield* Tree
  const settings = policySettings(policy, yield* groupNames(tree, policy))
  const roots = yield* Effect.forEach(rootsOf(policy), (root) =>
    Effect.map(rootRefusal(root), (refused) => ({
      root,
      refusal: refused === undefined ? undefined : explain(refused, { policyPath: path, root })
    }))
  )
  const refusals = roots.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]))
  const [first] = refusals
  if (first !== undefined && !json) yield* screen.err(refusals.map(explanationText).join(""))
  if (first !== undefined && refusals.length === roots.length) {
    if (json)
      yield* screen.out(JSON.stringify({ ok: false, file: path, refusal: refusalJson(first), defects: [] }) + "\n")
    return yield* new Stopped({ code: first.exitCode })
  }
  const found = yield* survey(policy)
  const ok = found.stopped === undefined && first === undefined
  if (json) yield* screen.out(JSON.stringify(asJson(path, policy, ok, roots, settings, found)) + "\n")
  else {
    const notices = adviceText(noticesOf(policy, found), skippedCures(policy, found))
    yield* screen.out(
      [
        first === undefined
          ? screen.paint.good(`${show(path)} is valid.`)
          : screen.paint.bad(`${show(path)} is valid, and no search is answered while a root is refused.`),
        limitsText(policy, settings),
        ...surveyText(found, screen),
        ...notices,
        ""
      ].join("\n")
    )
  }
  if (!ok) return yield* new Stopped({ code: 2 })
})
