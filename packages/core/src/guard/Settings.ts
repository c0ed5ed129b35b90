/**
 * From the operator's settings to a policy, strictly. (seed 004 "Configuration")
 *
 * All three fields are required, unknown keys are refused at any depth, and so is every rule that could never match:
 * a dead rule is worse than no policy. Settings are data that the host already parsed; their JSON text is what counts,
 * so a policy is a function of that text and of the home that `~/` stands for.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { PolicyDefect } from "../policy/Policy.ts"
import { firstDefect } from "../policy/SchemaDefect.ts"
import * as StrictJson from "../policy/StrictJson.ts"
import type { RuleReference } from "./Decision.ts"
import { type Example, exampleDefect } from "./Examples.ts"
import { rootDefect } from "./LiteralPath.ts"
import { defaultPolicy, expandHome, make, type Policy } from "./Policy.ts"

export const maxRules = 256
export const maxProtectedPaths = 256
/** Calls in one `match` or `not_match`. */
export const maxExamples = 16
/** UTF-16 units of the settings as JSON. */
export const maxSettingsLength = 262_144

/** What the host's `ctx.get_config("policy")` came to. `unset`: the operator wrote no policy. */
export const PolicySetting = Schema.Union([
  Schema.Struct({ state: Schema.Literal("value"), value: Schema.Unknown }),
  Schema.Struct({ state: Schema.Literal("unset") }),
  Schema.Struct({ state: Schema.Literal("raised") })
])
export type PolicySetting = typeof PolicySetting.Type

const ruleText =
  (rule: string) =>
  <A>(holds: (value: A) => boolean) =>
    Schema.makeFilter((value: A) => (holds(value) ? undefined : rule))

/** As tools are named by the host, by MCP servers and by plugins. No pattern, no space: such a rule would be dead. */
const ToolName = Schema.String.pipe(
  Schema.check(
    ruleText("is no tool name: 1 to 128 letters, digits and _ . : / -, no pattern")((name: string) =>
      /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$/.test(name)
    )
  )
)

const Why = Schema.String.pipe(
  Schema.check(ruleText("is longer than 512 characters")((why: string) => why.length <= 512))
)

const CallExample = Schema.Struct({
  tool: Schema.String,
  args: Schema.Unknown.pipe(
    Schema.check(
      ruleText("is no object")((args: unknown) => typeof args === "object" && args !== null && !Array.isArray(args))
    )
  )
})
const CallExamples = Schema.Array(CallExample).pipe(Schema.check(Schema.isMaxLength(maxExamples)))

const annotations = {
  why: Schema.optionalKey(Why),
  match: Schema.optionalKey(CallExamples),
  not_match: Schema.optionalKey(CallExamples)
}

const SettingsData = Schema.Struct({
  default_action: Schema.Literals(["allow", "approve", "block"]),
  rules: Schema.Array(
    Schema.Struct({ tool: ToolName, action: Schema.Literals(["allow", "approve", "block"]), ...annotations })
  ).pipe(Schema.check(Schema.isMaxLength(maxRules))),
  protected_paths: Schema.Array(
    Schema.Struct({ path: Schema.String, action: Schema.Literals(["approve", "block"]), ...annotations })
  ).pipe(Schema.check(Schema.isMaxLength(maxProtectedPaths)))
})
type SettingsData = typeof SettingsData.Type

const decodeData = Schema.decodeUnknownResult(SettingsData, { onExcessProperty: "error", errors: "first" })
const cures = {
  relative: "is not absolute: start with / or ~/",
  too_long: "is too long",
  control_character: "holds a control character",
  empty_segment: "holds //: write one slash",
  dot_segment: "holds a . segment: leave it out",
  parent_segment: "holds a .. segment: write where it leads",
  tilde: "holds a segment that starts with ~, which only stands for the home at the very start",
  trailing_slash: "ends with a slash: leave it out",
  pattern_character: "holds * ? or $: paths are literal, there are no patterns or variables",
  special_file_system: "lies in /proc, /dev or /sys, which are blocked without a rule: leave it out"
} as const

const deadRoot = (paths: Policy["protectedPaths"]): PolicyDefect | undefined => {
  for (const [index, { path }] of paths.entries()) {
    const defect = rootDefect(path)
    if (defect !== undefined) return { key: `protected_paths[${index}].path`, rule: cures[defect] }
  }
  return undefined
}

type Annotated = { readonly match?: ReadonlyArray<Example>; readonly not_match?: ReadonlyArray<Example> }

const failingExample = (data: SettingsData, policy: Policy): PolicyDefect | undefined => {
  const all: ReadonlyArray<readonly [string, RuleReference, SettingsData["default_action"], Annotated]> = [
    ...data.rules.map((rule, index) => [`rules[${index}]`, `tool:${index}`, rule.action, rule] as const),
    ...data.protected_paths.map(
      (rule, index) => [`protected_paths[${index}]`, `path:${index}`, rule.action, rule] as const
    )
  ]
  for (const [key, reference, action, { match = [], not_match: notMatch = [] }] of all) {
    const defect = exampleDefect(policy, reference, action, { match, notMatch })
    if (defect !== undefined) return { key: `${key}.${defect.key}`, rule: defect.rule }
  }
  return undefined
}

const fromData = (data: SettingsData, userHome: string): Result.Result<Policy, PolicyDefect> => {
  const policy = make(
    data.default_action,
    data.rules.map(({ action, tool, why = "" }) => ({ tool, action, why })),
    data.protected_paths.map(({ action, path, why = "" }) => ({ path: expandHome(path, userHome), action, why }))
  )
  const defect = deadRoot(policy.protectedPaths) ?? failingExample(data, policy)
  return defect === undefined ? Result.succeed(policy) : Result.fail(defect)
}

/** Decodes settings that are already data. `userHome` is what `~/` stands for; the caller vouches for it. */
export const decode = (value: unknown, userHome: string): Result.Result<Policy, PolicyDefect> =>
  Result.flatMap(Result.mapError(decodeData(value), firstDefect), (data) => fromData(data, userHome))

/** Decodes settings that are JSON text, where a key may not come twice. */
export const decodeText = (text: string, userHome: string): Result.Result<Policy, PolicyDefect> => {
  if (text.length > maxSettingsLength) return Result.fail(tooLong)
  return Result.mapError(StrictJson.parse(text), ({ key, rule }): PolicyDefect => ({ key, rule })).pipe(
    Result.flatMap((value) => decode(value, userHome))
  )
}

const tooLong: PolicyDefect = { key: "", rule: `is longer than ${maxSettingsLength} characters` }
const notData: PolicyDefect = { key: "", rule: "is not JSON data" }

const textOf = (value: unknown): string | undefined =>
  Result.getOrElse(
    Result.try({ try: (): string | undefined => JSON.stringify(value), catch: () => undefined }),
    () => undefined
  )

export type PolicyReader = (setting: PolicySetting, userHome: string) => Result.Result<Policy, PolicyDefect | "raised">

interface Read {
  readonly text: string
  readonly home: string
  readonly policy: Result.Result<Policy, PolicyDefect>
}

/** Reads the setting of each call anew; decodes again only when its text or the home is another than last time. */
export const policyReader = (): PolicyReader => {
  let last: Read | undefined
  const read = (value: unknown, home: string): Result.Result<Policy, PolicyDefect> => {
    const text = textOf(value)
    if (text === undefined) return Result.fail(notData)
    if (text.length > maxSettingsLength) return Result.fail(tooLong)
    if (last?.text !== text || last.home !== home) last = { text, home, policy: decode(JSON.parse(text), home) }
    return last.policy
  }
  return (setting, userHome) => {
    switch (setting.state) {
      case "raised":
        return Result.fail("raised")
      case "unset":
        return Result.succeed(defaultPolicy(userHome))
      case "value":
        return read(setting.value, userHome)
    }
  }
}
