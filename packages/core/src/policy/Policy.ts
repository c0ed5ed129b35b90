/**
 * The policy file, version 1: which notes of which root a profile may see, in which kinds of run. (seed 000 "Policy")
 *
 * Decoding is strict: a defect anywhere refuses the whole file and is named by key and rule, for the operator alone.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { components } from "../trust/TrustedPath.ts"
import * as AccessRules from "./AccessRules.ts"
import { crossDefect, type Limits, LimitsField, withDefaults } from "./Limits.ts"
import { maxPatterns, patternDefect } from "./Pattern.ts"
import { allDefects, firstDefect } from "./SchemaDefect.ts"
import * as StrictJson from "./StrictJson.ts"

/** Bytes of a policy file. */
export const maxPolicyBytes = 65_536

export interface Policy {
  /** Canonical absolute path of the memory root. */
  readonly root: string
  readonly rules: AccessRules.AccessRules
  readonly allowCron: boolean
  readonly allowSubagents: boolean
  readonly limits: Limits
}

/** What is wrong with a policy: the dotted key ("" is the file as a whole) and the broken rule in words. */
export interface PolicyDefect {
  readonly key: string
  readonly rule: string
}

const Root = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((root: string) => {
      const names = components(root)
      return typeof names === "string" ? `is ${names}: give the canonical absolute path` : undefined
    })
  )
)

const OnePattern = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((pattern: string) => {
      const defect = patternDefect(pattern)
      return defect === undefined ? undefined : `pattern refused: ${defect}`
    })
  )
)

const Patterns = Schema.Array(OnePattern).pipe(Schema.check(Schema.isMaxLength(maxPatterns)))

const PolicyFile = Schema.Struct({
  version: Schema.Literal(1),
  root: Root,
  allow: Patterns,
  deny: Schema.optionalKey(Patterns),
  allow_cron: Schema.optionalKey(Schema.Boolean),
  allow_subagents: Schema.optionalKey(Schema.Boolean),
  limits: Schema.optionalKey(LimitsField)
})

const decodeFile = Schema.decodeUnknownResult(PolicyFile, { onExcessProperty: "error", errors: "first" })
const decodeWholeFile = Schema.decodeUnknownResult(PolicyFile, { onExcessProperty: "error", errors: "all" })

const fromFile = (file: typeof PolicyFile.Type): Result.Result<Policy, PolicyDefect> => {
  const limits = withDefaults(file.limits ?? {})
  const crossed = crossDefect(limits)
  return crossed === undefined
    ? Result.succeed({
        root: file.root,
        rules: AccessRules.make(file.allow, file.deny ?? []),
        allowCron: file.allow_cron ?? false,
        allowSubagents: file.allow_subagents ?? false,
        limits
      })
    : Result.fail({ key: `limits.${crossed.key}`, rule: crossed.rule })
}

/** Decodes the text of a policy file. */
export const decode = (text: string): Result.Result<Policy, PolicyDefect> => {
  if (text.startsWith("\ufeff")) return Result.fail({ key: "", rule: "starts with a byte order mark" })
  return Result.mapError(StrictJson.parse(text), ({ key, rule }): PolicyDefect => ({ key, rule })).pipe(
    Result.flatMap((value) => Result.mapError(decodeFile(value), firstDefect)),
    Result.flatMap(fromFile)
  )
}

/** Everything that is wrong with a text, for an operator who corrects it. Empty exactly where `decode` succeeds. */
export const defects = (text: string): ReadonlyArray<PolicyDefect> => {
  const first = decode(text)
  if (Result.isSuccess(first)) return []
  const whole = Result.mapError(StrictJson.parse(text), () => [first.failure]).pipe(
    Result.flatMap((value) => Result.mapError(decodeWholeFile(value), allDefects))
  )
  return Result.isFailure(whole) ? whole.failure : [first.failure]
}
