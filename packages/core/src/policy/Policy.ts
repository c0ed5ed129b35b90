/**
 * The policy file: which notes of which root a profile may see, in which kinds of run. (seed 000 "Policy")
 *
 * Version 1 is the seed's. Version 2 has the same keys and more, each of which, left out, means what version 1 does, but
 * for `ranking`; the keys of a root may stand under `roots`, once for each name, in place of the top. (design.md section 7)
 * Decoding is strict: a defect anywhere refuses the whole file and is named by key and rule, for the operator alone.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AccessRules from "./AccessRules.ts"
import { crossDefect, type Limits, LimitsField, withDefaults } from "./Limits.ts"
import {
  NamedRoots,
  nestedRoot,
  type Root,
  type Rooted,
  rootFields,
  rootFields2,
  rootNamesDefect,
  trustOf
} from "./Roots.ts"
import { allDefects, firstDefect } from "./SchemaDefect.ts"
import * as StrictJson from "./StrictJson.ts"

/** Bytes of a policy file. */
export const maxPolicyBytes = 65_536

/** How a search orders what it finds: by how well it answers, or as version 1 does. */
export const rankings = ["relevance", "path"] as const
export type Ranking = (typeof rankings)[number]

/** Its own `root` and `rules` are those of its only root; with several there is no such root, and they serve nothing. */
export interface Policy extends Rooted {
  readonly version: 1 | 2
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

/** The keys of every version, those of its root apart. */
const common = {
  allow_cron: Schema.optionalKey(Schema.Boolean),
  allow_subagents: Schema.optionalKey(Schema.Boolean),
  limits: Schema.optionalKey(LimitsField)
} as const

const PolicyFile = Schema.Struct({ version: Schema.Literal(1), ...rootFields, ...common })

/** The keys of version 2, those of its roots apart. */
const common2 = {
  version: Schema.Literal(2),
  ...common,
  ranking: Schema.optionalKey(Schema.Literals(rankings))
} as const

const PolicyFile2 = Schema.Struct({ ...common2, ...rootFields2 })
const PolicyFileOfRoots = Schema.Struct({ ...common2, roots: NamedRoots })

const strictly = (errors: "first" | "all") => ({ onExcessProperty: "error", errors }) as const

type File = typeof PolicyFile.Type | typeof PolicyFile2.Type | typeof PolicyFileOfRoots.Type

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whatever does not say that it is version 2 is judged as version 1. */
const isSecond = (value: unknown): value is object => isObject(value) && "version" in value && value.version === 2

const decoderOf = (errors: "first" | "all") => {
  const first = Schema.decodeUnknownResult(PolicyFile, strictly(errors))
  const second = Schema.decodeUnknownResult(PolicyFile2, strictly(errors))
  const several = Schema.decodeUnknownResult(PolicyFileOfRoots, strictly(errors))
  return (value: unknown): Result.Result<File, Schema.SchemaError> =>
    !isSecond(value) ? first(value) : "roots" in value ? several(value) : second(value)
}
const decodeFile = decoderOf("first")
const decodeWholeFile = decoderOf("all")

/** The value itself, unless its roots have names that no decoder should see. */
const namesChecked = (value: unknown): Result.Result<unknown, PolicyDefect> => {
  const misnamed =
    isSecond(value) && "roots" in value && isObject(value.roots) ? rootNamesDefect(value.roots) : undefined
  return misnamed === undefined ? Result.succeed(value) : Result.fail({ key: "roots", rule: misnamed })
}

type RootKeys = (typeof NamedRoots.Type)[string]

const rootFrom = (keys: RootKeys, prefix: string, trustKey: string): Root => {
  const names = keys.names ?? "portable"
  return {
    prefix,
    root: keys.root,
    rules: AccessRules.make(keys.allow, keys.deny ?? [], names),
    names,
    trust: trustOf(keys.trust ?? {}, trustKey)
  }
}

/** Its path is none, so that it cannot be opened even by mistake. */
const noRoot: Root = {
  prefix: "",
  root: "",
  rules: AccessRules.make([], []),
  names: "portable",
  trust: trustOf({}, "")
}

/** By their prefixes, in the order that ids sort in. */
const byPrefix = (one: Root, other: Root): number =>
  one.prefix < other.prefix ? -1 : one.prefix > other.prefix ? 1 : 0

const rootedFrom = (file: File): Result.Result<Rooted, PolicyDefect> => {
  if (!("roots" in file)) return Result.succeed({ ...rootFrom(file, "", "trust"), named: [] })
  const named = Object.entries(file.roots).map(([name, keys]) => rootFrom(keys, `${name}:`, `roots.${name}.trust`))
  const nested = nestedRoot(named)
  return nested === undefined
    ? Result.succeed({ ...noRoot, named: named.toSorted(byPrefix) })
    : Result.fail({ key: `roots.${nested.prefix.slice(0, -1)}.root`, rule: "lies in another root, or is the same" })
}

const rankingOf = (file: File): Ranking => (file.version === 1 ? "path" : (file.ranking ?? "relevance"))

const fromFile = (file: File): Result.Result<Policy, PolicyDefect> => {
  const limits = withDefaults(file.limits ?? {})
  const crossed = crossDefect(limits)
  return crossed === undefined
    ? Result.map(rootedFrom(file), (rooted) => ({
        ...rooted,
        version: file.version,
        allowCron: file.allow_cron ?? false,
        allowSubagents: file.allow_subagents ?? false,
        limits,
        ranking: rankingOf(file)
      }))
    : Result.fail({ key: `limits.${crossed.key}`, rule: crossed.rule })
}

/** Decodes the text of a policy file. */
export const decode = (text: string): Result.Result<Policy, PolicyDefect> => {
  if (text.startsWith("\ufeff")) return Result.fail({ key: "", rule: "starts with a byte order mark" })
  return valueOf(text).pipe(
    Result.flatMap((value) => Result.mapError(decodeFile(value), firstDefect)),
    Result.flatMap(fromFile)
  )
}

const valueOf = (text: string): Result.Result<unknown, PolicyDefect> =>
  Result.mapError(StrictJson.parse(text), ({ key, rule }): PolicyDefect => ({ key, rule })).pipe(
    Result.flatMap(namesChecked)
  )

/** Everything that is wrong with a text, for an operator who corrects it. Empty exactly where `decode` succeeds. */
export const defects = (text: string): ReadonlyArray<PolicyDefect> => {
  const first = decode(text)
  if (Result.isSuccess(first)) return []
  const whole = Result.mapError(valueOf(text), () => [first.failure]).pipe(
    Result.flatMap((value) => Result.mapError(decodeWholeFile(value), allDefects))
  )
  return Result.isFailure(whole) ? whole.failure : [first.failure]
}
