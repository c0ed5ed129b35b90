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
export const compile = (text: string): Pattern => {
  const folded = foldName(text)
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
