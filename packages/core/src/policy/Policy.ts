/**
 * The policy file: which notes of which root a profile may see, in which kinds of run. (seed 000 "Policy")
 *
 * Version 1 is the seed's. Version 2 has the same keys and more, each of which, left out, means what version 1 does, but
 * for `ranking`. (design.md section 7) Decoding is strict: a defect anywhere refuses the whole file and is named by key and rule, for the operator alone.
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

/** How a search orders what it finds: by how well it answers, or as version 1 does. */
export const rankings = ["relevance", "path"] as const
export type Ranking = (typeof rankings)[number]

export interface Policy {
  readonly version: 1 | 2
  /** Canonical absolute path of the memory root. */
  readonly root: string
  readonly rules: AccessRules.AccessRules
  readonly allowCron: boolean
  readonly allowSubagents: boolean
  readonly limits: Limits
  readonly ranking: Ranking
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

/** The keys of every version. */
const common = {
  root: Root,
  allow: Patterns,
  deny: Schema.optionalKey(Patterns),
  allow_cron: Schema.optionalKey(Schema.Boolean),
  allow_subagents: Schema.optionalKey(Schema.Boolean),
  limits: Schema.optionalKey(LimitsField)
} as const

const PolicyFile = Schema.Struct({ version: Schema.Literal(1), ...common })

const PolicyFile2 = Schema.Struct({
  version: Schema.Literal(2),
  ...common,
  ranking: Schema.optionalKey(Schema.Literals(rankings))
})

const strictly = (errors: "first" | "all") => ({ onExcessProperty: "error", errors }) as const

type File = typeof PolicyFile.Type | typeof PolicyFile2.Type

/** Whatever does not say that it is version 2 is judged as version 1. */
const decoderOf = (errors: "first" | "all") => {
  const first = Schema.decodeUnknownResult(PolicyFile, strictly(errors))
  const second = Schema.decodeUnknownResult(PolicyFile2, strictly(errors))
  return (value: unknown): Result.Result<File, Schema.SchemaError> =>
    typeof value === "object" && value !== null && "version" in value && value.version === 2
      ? second(value)
      : first(value)
}
const decodeFile = decoderOf("first")
const decodeWholeFile = decoderOf("all")

const rankingOf = (file: File): Ranking => (file.version === 1 ? "path" : (file.ranking ?? "relevance"))

const fromFile = (file: File): Result.Result<Policy, PolicyDefect> => {
  const limits = withDefaults(file.limits ?? {})
  const crossed = crossDefect(limits)
  return crossed === undefined
    ? Result.succeed({
        version: file.version,
        root: file.root,
        rules: AccessRules.make(file.allow, file.deny ?? []),
        allowCron: file.allow_cron ?? false,
        allowSubagents: file.allow_subagents ?? false,
        limits,
        ranking: rankingOf(file)
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
