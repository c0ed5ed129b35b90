/** A short piece of a document round its first match. (seed 000 "Tools", design.md section 8) */
import type { Term } from "./Query.ts"
import { collapse, cut, fold, lengthOf } from "./Text.ts"

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })
const gap = "…"

/**
 * One line of at most `maxChars` code points that holds the first match, with an ellipsis where text was left out. A
 * document that fits is given whole; one whose text has no match (its id has) is given from its start.
 */
export const snippetOf = (text: string, terms: ReadonlyArray<Term>, maxChars: number): string => {
  const line = collapse(text)
  if (lengthOf(line) <= maxChars) return line
  const start = startFor(line, firstMatch(line, terms), maxChars)
  const rest = line.slice(start).trimStart()
  const before = start === 0 || maxChars < 3 ? "" : gap
  const room = maxChars - before.length
  return lengthOf(rest) <= room
    ? before + rest
    : maxChars < 3
      ? cut(rest, room)
      : before + cut(rest, room - gap.length).trimEnd() + gap
}

/** Index of the earliest match of any term, 0 where there is none. */
const firstMatch = (line: string, terms: ReadonlyArray<Term>): number => {
  const folded = fold(line)
  const found = terms.map(({ text }) => folded.indexOf(text)).filter((index) => index >= 0)
  const index = found.length === 0 ? 0 : Math.min(...found)
  return folded.length === line.length ? index : unfold(line, index)
}

/** The index in the line for an index in its folded form. Folding never reaches across graphemes. */
const unfold = (line: string, foldedIndex: number): number => {
  let passed = 0
  for (const { index, segment } of graphemes.segment(line)) {
    passed += fold(segment).length
    if (passed > foldedIndex) return index
  }
  return line.length
}

/** Where to begin so that the match has a third of the room before it, on a grapheme boundary. */
const startFor = (line: string, match: number, maxChars: number): number => {
  const third = Math.floor(maxChars / 3)
  if (match <= third) return 0
  // Near the end there is no need to leave room unused behind the match.
  const latest = Math.max(0, line.length - maxChars + gap.length)
  return graphemes.segment(line).containing(Math.min(match - third, latest))?.index ?? 0
}
