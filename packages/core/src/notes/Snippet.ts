/** A short piece of a document round its first match. (seed 000 "Tools", design.md section 8) */
import type { Term } from "./Query.ts"
import { collapse, cut, fold, isPlain, lengthOf } from "./Text.ts"

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })
const gap = "…"

/**
 * One line of at most `maxChars` code points that holds the first match, with an ellipsis where text was left out. A
 * document that fits is given whole; one whose text has no match (its id has) is given from its start.
 */
export const snippetOf = (text: string, terms: ReadonlyArray<Term>, maxChars: number): string => {
  const line = collapse(text)
  return lengthOf(line) <= maxChars ? line : around(line, firstMatch(line, terms), maxChars)
}

/** Where something lies in a line, in UTF-16 units. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** At most `maxChars` code points of a line that is longer, round a stretch of it. */
export const around = (line: string, match: Stretch, maxChars: number): string => {
  const plain = isPlain(line)
  const start = startOf(line, match.start, plain)
  if (maxChars < 3) return cut(line.slice(start).trimStart(), maxChars).trimEnd()

  const after = lengthOf(line.slice(start))
  // A third of the room, but never so much that the match falls out, nor so little that room is left unused at the end.
  const wanted = Math.min(Math.floor(maxChars / 3), maxChars - 2 * gap.length - lengthOf(line.slice(start, match.end)))
  const begin = back(line, start, Math.max(wanted, maxChars - gap.length - after), plain)
  const rest = line.slice(begin).trimStart()
  const before = begin === 0 ? "" : gap
  const room = maxChars - before.length
  return lengthOf(rest) <= room ? before + rest : before + cut(rest, room - gap.length).trimEnd() + gap
}

/** Where the grapheme at an index begins; 0 beyond the end. */
const startOf = (line: string, index: number, plain: boolean): number => {
  if (index >= line.length) return 0
  return plain ? index : (graphemes.segment(line).containing(index)?.index ?? 0)
}

/** As many graphemes back from an index as have at most so many code points. */
const back = (line: string, from: number, points: number, plain: boolean): number => {
  if (plain) return Math.max(0, from - Math.max(0, points))
  const segments = graphemes.segment(line)
  let [left, begin] = [points, from]
  for (let before = segments.containing(begin - 1); before !== undefined; before = segments.containing(begin - 1)) {
    left -= lengthOf(before.segment)
    if (left < 0) break
    begin = before.index
  }
  return begin
}

/** Where the earliest match of any term lies in the line; at its start where there is none. */
const firstMatch = (line: string, terms: ReadonlyArray<Term>): Stretch => {
  const folded = fold(line)
  let [start, length] = [folded.length, 0]
  for (const { text } of terms) {
    const index = folded.indexOf(text)
    if (index >= 0 && (index < start || (index === start && text.length > length)))
      [start, length] = [index, text.length]
  }
  if (length === 0) return { start: 0, end: 0 }
  return { start: unfold(line, folded, start, "start"), end: unfold(line, folded, start + length, "end") }
}

/** The grapheme boundary in the line at or round an index in its folded form. Folding never reaches across graphemes. */
export const unfold = (
  line: string,
  folded: string,
  index: number,
  side: "start" | "end",
  folding: (text: string) => string = fold
): number => {
  if (folding(line.slice(0, index)) === folded.slice(0, index)) return index
  let passed = 0
  for (const { index: at, segment } of graphemes.segment(line)) {
    if (side === "end" && passed >= index) return at
    passed += folding(segment).length
    if (side === "start" && passed > index) return at
  }
  return line.length
}
