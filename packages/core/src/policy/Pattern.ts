/**
 * Path patterns: root-relative, case-blind, `*` within one segment, `**` over any number of segments, none included.
 * (seed 000 "Policy", design.md section 7)
 *
 * Everything else in a pattern is literal, and what other tools would read as a wildcard is refused, because a deny
 * that silently never matches is worse than no policy. Limits at load time bound the matching cost. minimatch does the
 * matching with all else switched off; `tests/property/PatternOracle.ts` holds a second matcher against it.
 */
import { Minimatch } from "minimatch"

/** Patterns in one list. */
export const maxPatterns = 256
/** UTF-16 code units of one pattern. */
export const maxPatternLength = 512
export const maxPatternSegments = 16
/** `**` segments in one pattern. */
export const maxGlobstars = 4

export type PatternDefect =
  | "empty"
  | "too_long"
  | "too_deep"
  | "absolute"
  | "empty_segment"
  | "dot_segment"
  | "unsupported_character"
  | "partial_globstar"
  | "too_many_globstars"

// Control characters, and what some glob dialect treats as special.
const unsupported = /[\p{Cc}?[\]{}()!|\\]/u

export const patternDefect = (pattern: string): PatternDefect | undefined => {
  if (pattern === "") return "empty"
  if (pattern.length > maxPatternLength) return "too_long"
  if (pattern.startsWith("/")) return "absolute"
  if (unsupported.test(pattern) || !pattern.isWellFormed()) return "unsupported_character"
  const segments = pattern.split("/")
  if (segments.length > maxPatternSegments) return "too_deep"
  if (segments.includes("")) return "empty_segment"
  if (segments.includes(".") || segments.includes("..")) return "dot_segment"
  if (segments.some((segment) => segment !== "**" && segment.includes("**"))) return "partial_globstar"
  return segments.filter((segment) => segment === "**").length > maxGlobstars ? "too_many_globstars" : undefined
}

/** Folds case and Unicode form, so that two spellings of a name on a case-blind or normalising volume are one. */
export const foldName = (name: string): string =>
  name.normalize("NFC").toLowerCase().replaceAll("ς", "σ").normalize("NFC")

/**
 * Folds more than that, for a deny among names of every script: what differs in the case of any one letter (`ſ` and `s`,
 * `ß` and `ss`), in Unicode form, or in the kind of a space. Lower case first, because `ẞ` is its own upper case.
 *
 * It never tells apart what `foldName` takes for one. Letters that merely look alike stay apart.
 */
export const foldWidely = (name: string): string => foldName(foldName(name).toUpperCase()).replace(/\p{Zs}/gu, " ")

const options = {
  dot: true,
  nobrace: true,
  noext: true,
  nonegate: true,
  nocomment: true,
  optimizationLevel: 0,
  platform: "linux"
} as const

/** A pattern ready to match. Every path is root-relative and folded by `foldName`; none is empty. */
export interface Pattern {
  readonly text: string
  /** Whether the path itself matches. */
  readonly matches: (path: string) => boolean
  /** Whether every path below that directory matches. May say no where the answer is yes; never the reverse. */
  readonly coversAllBelow: (directory: string) => boolean
  /** Whether some path below that directory may match. May say yes where the answer is no; never the reverse. */
  readonly mayMatchBelow: (directory: string) => boolean
}

/** Compiles a pattern that has no defect. */
export const compile = (text: string): Pattern => compiled(text, foldName(text))

/**
 * Compiles a pattern of a deny list that must hold among names of every script: it matches what `compile` would, and what
 * is the same once folded widely. An allow list has no such thing, since it must never grow.
 */
export const compileWidely = (text: string): Pattern => {
  const narrow = compile(text)
  const wide = compiled(text, foldWidely(text))
  return {
    text,
    matches: (path) => narrow.matches(path) || wide.matches(foldedWidely(path)),
    coversAllBelow: (directory) => narrow.coversAllBelow(directory) || wide.coversAllBelow(foldedWidely(directory)),
    mayMatchBelow: (directory) => narrow.mayMatchBelow(directory) || wide.mayMatchBelow(foldedWidely(directory))
  }
}

/** One path is held against all patterns of a list before the next is. */
let last = { path: "", folded: "" }
const foldedWidely = (path: string): string => {
  if (last.path !== path) last = { path, folded: foldWidely(path) }
  return last.folded
}

const compiled = (text: string, folded: string): Pattern => {
  const whole = new Minimatch(folded, options)
  // minimatch lets a final `**` match one segment or more; in a policy it may match none.
  const stemText = folded.replace(/(?:\/\*\*)+$/, "")
  const stem = stemText === folded ? undefined : new Minimatch(stemText, options)
  const everything = stemText === "**"
  const matches = (path: string) => everything || whole.match(path) || (stem?.match(path) ?? false)
  return {
    text,
    matches,
    coversAllBelow: (directory) => everything || (stem !== undefined && matches(directory)),
    mayMatchBelow: (directory) => everything || whole.match(directory, true)
  }
}
