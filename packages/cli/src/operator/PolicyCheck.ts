/**
 * Would this policy file be used, and what would it serve? (issue 7 item 1)
 *
 * The file is loaded as for every call, path and trust included; then its root is walked and surveyed. Of what is wrong
 * with the text everything is named, not only the first.
 */
import { defects, type Policy } from "@memory-bridge/core/policy/Policy"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { RootRefused } from "@memory-bridge/core/notes/Notes"
import { Tree } from "@memory-bridge/core/tree/Tree"
import { openTrustedDirectory } from "@memory-bridge/core/trust/TrustedPath"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { resolve } from "node:path"
import { Stopped } from "../Exit.ts"
import { surveyText } from "../screen/ExplainText.ts"
import { Screen } from "../screen/Screen.ts"
import { type Explanation, explain, explanationText } from "./Explanation.ts"
import { show } from "./Quote.ts"
import { survey } from "./doctor/Survey.ts"

export interface PolicyCheckOptions {
  readonly file: string
  readonly json: boolean
}

/** Why the root cannot be served at all. */
export const rootRefusal = Effect.fnUntraced(function* (root: string) {
  const tree = yield* Tree
  return yield* Effect.scoped(
    Effect.map(tree.walk, (walk) => {
      const opened = openTrustedDirectory(walk, root)
      return typeof opened === "object" ? new RootRefused(opened) : undefined
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

const limitsText = ({ allowCron, allowSubagents, limits, root }: Policy): string =>
  [
    `root   ${show(root)}`,
    `runs   cron ${allowCron ? "allowed" : "refused"}, subagents ${allowSubagents ? "allowed" : "refused"}`,
    `limits ${Object.entries(limits)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}`
  ].join("\n")

export const checkPolicy = Effect.fnUntraced(function* ({ file, json }: PolicyCheckOptions) {
  const screen = yield* Screen
  const path = resolve(file)
  const loaded = yield* Effect.result(PolicyStore.use((policies) => policies.load(path)))
  if (Result.isFailure(loaded)) {
    const refusal = explain(loaded.failure, { policyPath: path, root: "" })
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
  const refused = yield* rootRefusal(policy.root)
  if (refused !== undefined) {
    const refusal = explain(refused, { policyPath: path, root: policy.root })
    if (json)
      yield* screen.out(JSON.stringify({ ok: false, file: path, refusal: refusalJson(refusal), defects: [] }) + "\n")
    else yield* screen.err(explanationText(refusal))
    return yield* new Stopped({ code: refusal.exitCode })
  }
  const found = yield* survey(policy)
  const ok = found.stopped === undefined
  if (json) {
    const { limits, root } = policy
    const runs = { cron: policy.allowCron, subagents: policy.allowSubagents }
    yield* screen.out(JSON.stringify({ ok, file: path, root, runs, limits, survey: found }) + "\n")
  } else {
    yield* screen.out(
      [screen.paint.good(`${show(path)} is valid.`), limitsText(policy), ...surveyText(found, screen), ""].join("\n")
    )
  }
  if (!ok) return yield* new Stopped({ code: 2 })
})
