/**
 * May a path be served? Deny wins over every allow, and nothing is served that no allow names. (seed 000 "Which files")
 *
 * Decided on names alone, before anything is opened. The order of patterns has no influence.
 */
import type { NameSet } from "../tree/ServedName.ts"
import { compile, compileWidely, foldName, type Pattern } from "./Pattern.ts"

/** A decision with the pattern that made it; `no_allow` has none. */
export type Decision =
  | { readonly verdict: "allowed"; readonly pattern: string }
  | { readonly verdict: "denied"; readonly pattern: string }
  | { readonly verdict: "no_allow" }

export interface AccessRules {
  /** Decides and names the deciding pattern; of several, the first in the file. */
  readonly decide: (id: string) => Decision
  /** `decide` as a yes or no, remembered for as long as the rules live. */
  readonly permits: (id: string) => boolean
  /** Whether the directory may hold something permitted. A no means that it is never opened. */
  readonly mayEnter: (directory: string) => boolean
  /** Every pattern that names the path, in the order of the file, for explaining `decide`. */
  readonly matching: (id: string) => { readonly denied: ReadonlyArray<string>; readonly allowed: ReadonlyArray<string> }
  /** The deny pattern that leaves nothing of the directory, for explaining `mayEnter`. */
  readonly closedBy: (directory: string) => string | undefined
}

/** Entries; a bound on memory, not on correctness. */
const rememberedPaths = 20_000

const remember = (answer: (path: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (path: string): boolean => {
    const before = known.get(path)
    if (before !== undefined) return before
    if (known.size >= rememberedPaths) known.clear()
    const result = answer(path)
    known.set(path, result)
    return result
  }
}

/** Among `unicode` names a deny folds more than an allow does: it reaches further, and no allow ever does. */
export const make = (
  allow: ReadonlyArray<string>,
  deny: ReadonlyArray<string>,
  names: NameSet = "portable"
): AccessRules => {
  const allowed: ReadonlyArray<Pattern> = allow.map(compile)
  const denied: ReadonlyArray<Pattern> = deny.map(names === "unicode" ? compileWidely : compile)
  const closing = (path: string) => denied.find((pattern) => pattern.coversAllBelow(path))
  const decide = (id: string): Decision => {
    const path = foldName(id)
    const by = (pattern: Pattern) => pattern.matches(path)
    const no = denied.find(by)
    if (no !== undefined) return { verdict: "denied", pattern: no.text }
    const yes = allowed.find(by)
    return yes === undefined ? { verdict: "no_allow" } : { verdict: "allowed", pattern: yes.text }
  }
  return {
    decide,
    permits: remember((id) => decide(id).verdict === "allowed"),
    mayEnter: remember((directory) => {
      const path = foldName(directory)
      return closing(path) === undefined && allowed.some((pattern) => pattern.mayMatchBelow(path))
    }),
    matching: (id) => {
      const path = foldName(id)
      const textsOf = (patterns: ReadonlyArray<Pattern>) =>
        patterns.filter((pattern) => pattern.matches(path)).map(({ text }) => text)
      return { denied: textsOf(denied), allowed: textsOf(allowed) }
    },
    closedBy: (directory) => closing(foldName(directory))?.text
  }
}
