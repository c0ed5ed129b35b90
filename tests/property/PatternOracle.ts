/**
 * A second matcher, written from the seed's words alone and slow on purpose: "Patterns are root-relative and match path
 * segments without regard to case. `*` matches within one segment and `**` matches any number of segments."
 */

/** One spelling for all cases and Unicode forms of a text. */
const same = (text: string): ReadonlyArray<string> => [
  ...text.normalize("NFC").toLowerCase().replaceAll("\u03c2", "\u03c3").normalize("NFC")
]

/** One spelling besides for what is the same in upper case or a space: taken from one case to the other till it stays. */
const sameWidely = (text: string): ReadonlyArray<string> => {
  let [before, now] = ["", text]
  while (before !== now) [before, now] = [now, now.toLowerCase().toUpperCase().normalize("NFD")]
  return [...now.replaceAll(/\p{Zs}/gu, " ").normalize("NFC")]
}

type Spelling = typeof same

/** Whether a pattern without slashes matches one segment. `reach[j]`: the pattern so far ends at the j-th character. */
const segmentMatches = (pattern: string, segment: string, same: Spelling): boolean => {
  const characters = same(segment)
  let reach = [true, ...characters.map(() => false)]
  for (const sign of same(pattern)) {
    const next = reach.map(() => false)
    for (let j = 0; j <= characters.length; j++) {
      if (sign === "*") next[j] = (reach[j] ?? false) || (j > 0 && (next[j - 1] ?? false))
      else if (j > 0) next[j] = (reach[j - 1] ?? false) && characters[j - 1] === sign
    }
    reach = next
  }
  return reach[characters.length] ?? false
}

const allMatch = (patterns: ReadonlyArray<string>, segments: ReadonlyArray<string>, same: Spelling): boolean => {
  const [first, ...others] = patterns
  if (first === undefined) return segments.length === 0
  if (first === "**") {
    // None, one, two … segments.
    return Array.from({ length: segments.length + 1 }, (_, taken) => segments.slice(taken)).some((rest) =>
      allMatch(others, rest, same)
    )
  }
  const [segment, ...rest] = segments
  return segment !== undefined && segmentMatches(first, segment, same) && allMatch(others, rest, same)
}

export const oracleMatches = (pattern: string, path: string): boolean =>
  allMatch(pattern.split("/"), path.split("/"), same)

/** A deny among Unicode names: what it matches anyway, and what it matches in the widest spelling of both. */
export const oracleDeniesWidely = (pattern: string, path: string): boolean =>
  oracleMatches(pattern, path) || allMatch(pattern.split("/"), path.split("/"), sameWidely)

/** Deny wins, then allow, then nothing. */
export const oraclePermits = (allow: ReadonlyArray<string>, deny: ReadonlyArray<string>, path: string): boolean =>
  !deny.some((pattern) => oracleMatches(pattern, path)) && allow.some((pattern) => oracleMatches(pattern, path))
