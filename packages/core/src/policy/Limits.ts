/** The limits of a version 1 policy with their defaults and ceilings. (seed 000 "Policy") */
import * as Schema from "effect/Schema"

/**
 * `[default, ceiling]`; the floor is 1 for all. Characters are Unicode code points.
 *
 * - `max_results`, `default_results`: results of a search
 * - `snippet_chars`, `total_chars`: characters of one snippet, of all ids, titles and snippets of an answer together
 * - `max_file_bytes`: bytes of one document
 * - `max_entries`: permitted candidate names in one search
 * - `max_depth`: segments of a document id
 * - `read_chars`: characters of document text in one read
 */
const table = {
  max_results: [10, 10],
  default_results: [5, 5],
  snippet_chars: [300, 300],
  total_chars: [4000, 4000],
  max_file_bytes: [262_144, 1_048_576],
  max_entries: [2000, 10_000],
  max_depth: [8, 16],
  read_chars: [8000, 8000]
} as const

export type LimitName = keyof typeof table
export type Limits = Readonly<Record<LimitName, number>>

const names = Object.keys(table) as ReadonlyArray<LimitName>

const limit = (name: LimitName) =>
  Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: table[name][1] }))))

/** The `limits` object as it stands in the file; every key may be left out. */
export const LimitsField = Schema.Struct({
  max_results: limit("max_results"),
  default_results: limit("default_results"),
  snippet_chars: limit("snippet_chars"),
  total_chars: limit("total_chars"),
  max_file_bytes: limit("max_file_bytes"),
  max_entries: limit("max_entries"),
  max_depth: limit("max_depth"),
  read_chars: limit("read_chars")
})

/** The highest value that a policy may give to a limit. */
export const ceilingOf = (name: LimitName): number => table[name][1]

/** Fills in the defaults. */
export const withDefaults = (given: typeof LimitsField.Type): Limits =>
  Object.fromEntries(names.map((name) => [name, given[name] ?? table[name][0]])) as Limits

/** The cross check that fails, if any, as the key to correct and the rule it breaks. */
export const crossDefect = (limits: Limits): { readonly key: LimitName; readonly rule: string } | undefined =>
  limits.default_results > limits.max_results
    ? {
        key: "default_results",
        rule: `is ${limits.default_results}, must not exceed max_results ${limits.max_results}`
      }
    : limits.total_chars < limits.snippet_chars
      ? { key: "total_chars", rule: `is ${limits.total_chars}, must be at least snippet_chars ${limits.snippet_chars}` }
      : undefined
