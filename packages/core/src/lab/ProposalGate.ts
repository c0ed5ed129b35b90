/**
 * May this proposal be looked at as a policy? (seed 004: "All proposals are untrusted"; cases/guard.md section 5)
 *
 * Text in, decoded policy or one reason out. The text must be the policy as JSON and nothing else: a code fence, a
 * sentence before it or YAML is refused, because where a policy starts and ends is not for us to guess. It must then
 * pass the decoder that typed settings pass, so nothing is accepted here that would not be accepted there, and it may
 * name only what the operator named.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { inspectedTools } from "../guard/Inspection.ts"
import { expandHome, type Policy } from "../guard/Policy.ts"
import { decode } from "../guard/Settings.ts"
import * as StrictJson from "../policy/StrictJson.ts"
import { notShown } from "./proposal/Tokens.ts"
import type { ProposalData } from "./ProposalData.ts"
import { standingPaths } from "./Template.ts"
import { executors } from "./Vocabulary.ts"

/** UTF-8 bytes of a proposal. */
export const maxProposalBytes = 65_536
/** Objects and arrays inside each other. A policy needs four, an example's arguments a few more. */
export const maxProposalDepth = 16

export const proposalReasons = [
  "too_large",
  "too_deep",
  "not_json",
  "duplicate_key",
  "prototype_key",
  "hidden_character",
  "not_a_policy",
  "path_not_given",
  "tool_not_named",
  "default_opens",
  "executor_allowed"
] as const

export type ProposalReason = (typeof proposalReasons)[number]

/** What to do about it. */
export const proposalCures: Readonly<Record<ProposalReason, string>> = {
  too_large: `keep the proposal below ${maxProposalBytes} bytes`,
  too_deep: `keep objects and lists at most ${maxProposalDepth} deep`,
  not_json: "give the policy as one JSON object and nothing round it: no code fence, no sentence, no YAML",
  duplicate_key: "write each key once",
  prototype_key: "leave the key out",
  hidden_character: "leave control, bidi and zero-width characters out",
  not_a_policy: "correct it as you would correct the settings",
  path_not_given: "name the path in the text or with --folder NAME=PATH, or leave the rule out",
  tool_not_named: "name the tool in the text or with --tool NAME, or leave the rule out",
  default_opens: "make default_action block or approve: allow would open every tool that no rule names",
  executor_allowed: "make it approve or block: the guard cannot see what such a tool does"
}

export class ProposalRefused extends Schema.TaggedError<ProposalRefused>()("ProposalRefused", {
  reason: Schema.Literals(proposalReasons),
  /** Dotted key, or "" for the whole. */
  key: Schema.String,
  rule: Schema.String
}) {}

/** What the operator named. */
export interface GateGiven {
  readonly paths: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
  readonly userHome: string
}

export interface Accepted {
  readonly data: ProposalData
  readonly policy: Policy
}

const refuse = (reason: ProposalReason, key: string, rule: string): ProposalRefused =>
  new ProposalRefused({ reason, key, rule })

const utf8Length = (text: string): number => {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/** Without recursion, and before any parser that has it. */
const depthOf = (text: string): number => {
  let depth = 0
  let deepest = 0
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gsu)) {
    if (piece === "[" || piece === "{") deepest = Math.max(deepest, ++depth)
    else if (piece === "]" || piece === "}") depth--
  }
  return deepest
}

const prototypeKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

const member = (key: string, name: string): string => (key === "" ? name : `${key}.${name}`)

/** Depth is bounded by now. */
const characterDefect = (value: unknown, key: string): ProposalRefused | undefined => {
  if (typeof value === "string") {
    return notShown.test(value) ? refuse("hidden_character", key, "holds a character that is not shown") : undefined
  }
  if (typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const defect = characterDefect(item, `${key}[${index}]`)
      if (defect !== undefined) return defect
    }
    return undefined
  }
  for (const [name, item] of Object.entries(value)) {
    if (notShown.test(name)) return refuse("hidden_character", key, "has a key with a character that is not shown")
    if (prototypeKeys.has(name)) return refuse("prototype_key", member(key, name), "is a key of every object")
    const defect = characterDefect(item, member(key, name))
    if (defect !== undefined) return defect
  }
  return undefined
}

const namingDefect = (data: ProposalData, { paths, tools, userHome }: GateGiven): ProposalRefused | undefined => {
  if (data.default_action === "allow") {
    return refuse("default_opens", "default_action", "allows every tool that no rule names")
  }
  const named = new Set([...inspectedTools, ...tools])
  for (const [index, { action, tool }] of data.rules.entries()) {
    if (!named.has(tool)) return refuse("tool_not_named", `rules[${index}].tool`, "is no tool that was named")
    if (action === "allow" && executors.has(tool)) {
      return refuse("executor_allowed", `rules[${index}].action`, "allows a tool that carries out what it is told")
    }
  }
  const given = new Set([...standingPaths.map(({ path }) => path), ...paths].map((path) => expandHome(path, userHome)))
  for (const [index, { path }] of data.protected_paths.entries()) {
    if (!given.has(expandHome(path, userHome))) {
      return refuse("path_not_given", `protected_paths[${index}].path`, "is no path that was given")
    }
  }
  return undefined
}

const ruleOf: Readonly<Record<StrictJson.TextDefect["rule"], string>> = {
  not_json: "is not JSON",
  duplicate_key: "comes twice",
  too_deep: "is nested too deep"
}

const parsed = (text: string): Result.Result<unknown, ProposalRefused> =>
  Result.mapError(StrictJson.parse(text), ({ key, rule }) => refuse(rule, key, ruleOf[rule]))

const checked = (value: unknown, given: GateGiven): Result.Result<Accepted, ProposalRefused> => {
  const shown = characterDefect(value, "")
  if (shown !== undefined) return Result.fail(shown)
  return Result.flatMap(
    Result.mapError(decode(value, given.userHome), ({ key, rule }) => refuse("not_a_policy", key, rule)),
    (policy) => {
      // The decoder has vouched for the form.
      const data = withReasons(value as Undecorated)
      const defect = namingDefect(data, given)
      return defect === undefined ? Result.succeed({ data, policy }) : Result.fail(defect)
    }
  )
}

interface Undecorated {
  readonly default_action: ProposalData["default_action"]
  readonly rules: ReadonlyArray<Omit<ProposalData["rules"][number], "why"> & { readonly why?: string }>
  readonly protected_paths: ReadonlyArray<
    Omit<ProposalData["protected_paths"][number], "why"> & { readonly why?: string }
  >
}

/** Examples have been run by the decoder; they are no part of what is proposed. */
const withReasons = (value: Undecorated): ProposalData => ({
  default_action: value.default_action,
  rules: value.rules.map(({ action, tool, why = "" }) => ({ tool, action, why })),
  protected_paths: value.protected_paths.map(({ action, path, why = "" }) => ({ path, action, why }))
})

export const accept = (text: string, given: GateGiven): Result.Result<Accepted, ProposalRefused> => {
  if (text.length > maxProposalBytes || utf8Length(text) > maxProposalBytes) {
    return Result.fail(refuse("too_large", "", `is longer than ${maxProposalBytes} bytes`))
  }
  if (depthOf(text) > maxProposalDepth) return Result.fail(refuse("too_deep", "", ruleOf.too_deep))
  return Result.flatMap(parsed(text), (value) => checked(value, given))
}
