/**
 * What a search shows of a note: the line of prose that says most of what was asked, with what stands round it, and its
 * number for reading on from there. (design.md section 8 "Version 2", cases/notes.md 53, 55)
 *
 * Front matter is never shown, code only where no prose and no heading has a word of the query. A note that has them in
 * its path, tags or title alone is shown from its start.
 */
import { numberOf } from "./Lines.ts"
import { type Line, linesOf } from "./Outline.ts"
import { around, type Stretch, unfold } from "./Snippet.ts"
import { collapse, lengthOf } from "./Text.ts"
import type { Wanted } from "./Wanted.ts"
import { chunksOf, foldWords } from "./Words.ts"

export interface Passage {
  /** On one line; at most as many code points as asked for. */
  readonly snippet: string
  /** Of the line that has the match, or of the first that is shown; 1 for a note with nothing to show. */
  readonly line: number
}

export interface Room {
  readonly snippetChars: number
  /** Of one answer of a read, on which line numbers depend where lines are longer than that. */
  readonly readChars: number
}

/** A query's word with how much it tells. */
export interface Weighed {
  readonly want: Wanted
  readonly worth: number
}

/** Where a line says a word of the query. */
interface Found {
  readonly at: number
  readonly text: string
  /** 1 as a word of its own, less as a part of one. */
  readonly fit: number
}

interface Best {
  readonly index: number
  readonly score: number
  readonly found: Found
}

const gap = " … "

const isText = ({ kind }: Line): boolean => kind === "prose" || kind === "heading"
const isCode = ({ kind }: Line): boolean => kind === "code"

/** `bodyAt` is where the body starts, in UTF-16 units, as the note's index has it. */
export const passageOf = (text: string, bodyAt: number, weighed: ReadonlyArray<Weighed>, room: Room): Passage => {
  const lines = linesOf(text, bodyAt)
  const inText = bestLine(lines, isText, weighed)
  const best = inText ?? bestLine(lines, isCode, weighed)
  const shown = best !== undefined && inText === undefined ? isCode : lines.some(isText) ? isText : isCode
  const { line, starts } = joined(lines, shown)

  const index = best?.index ?? lines.findIndex((one) => shown(one) && one.text.trim() !== "")
  const stretch = best === undefined ? { start: 0, end: 0 } : stretchIn(line, starts.get(best.index) ?? 0, best.found)
  const snippet = lengthOf(line) <= room.snippetChars ? line : around(line, stretch, room.snippetChars)
  const says = (piece: string) => best !== undefined && foldWords(collapse(piece)).includes(best.found.text)
  return { snippet, line: index < 0 ? 1 : numberOf(text, index, room.readChars, says) }
}

const bestLine = (
  lines: ReadonlyArray<Line>,
  among: (line: Line) => boolean,
  weighed: ReadonlyArray<Weighed>
): Best | undefined => {
  let best: Best | undefined
  for (const [index, line] of lines.entries()) {
    if (!among(line)) continue
    const folded = foldWords(collapse(line.text))
    let score = 0
    let [found, tells]: [Found | undefined, number] = [undefined, 0]
    for (const { want, worth } of weighed) {
      const here = findIn(folded, want)
      if (here === undefined) continue
      const value = worth * here.fit
      score += value
      if (found === undefined || value > tells) [found, tells] = [here, value]
    }
    // A heading tells that the text below speaks of it; a sentence that says as much is more worth showing.
    if (line.kind === "heading") score *= 0.9
    if (found !== undefined && (best === undefined || score > best.score)) best = { index, score, found }
  }
  return best
}

const letter = /[\p{L}\p{N}]/u
const isLetter = (text: string, at: number): boolean => letter.test(text.charAt(at))

/** Where the word stands in a folded line, as a word of its own if it does anywhere, else as a part, else a piece of it. */
const findIn = (folded: string, want: Wanted): Found | undefined => {
  const whole = occurrence(folded, want.text, want.unspaced)
  if (whole !== undefined) return whole
  for (const piece of want.pieces) {
    const part = occurrence(folded, piece, false)
    if (part?.fit === 1) return { ...part, fit: 0.5 }
  }
  return folded.includes("-") ? hyphenated(folded, want) : undefined
}

/** The word where the line has it with hyphens and the query without. */
const hyphenated = (folded: string, want: Wanted): Found | undefined => {
  const chunk = chunksOf(folded).find(
    ({ text, tokens }) => text.includes("-") && tokens.some((one) => one.text === want.text)
  )
  return chunk === undefined ? undefined : { at: folded.indexOf(chunk.text), text: chunk.text, fit: 1 }
}

/** Occurrences of a part that are passed over in search of a word of its own. */
const patience = 50

const occurrence = (folded: string, text: string, unspaced: boolean): Found | undefined => {
  const first = folded.indexOf(text)
  if (first < 0) return undefined
  let at = first
  for (let passed = 0; at >= 0 && passed < patience; passed++) {
    const alone = unspaced || (!isLetter(folded, at - 1) && !isLetter(folded, at + text.length))
    if (alone) return { at, text, fit: 1 }
    at = folded.indexOf(text, at + 1)
  }
  return { at: first, text, fit: 0.5 }
}

interface Joined {
  readonly line: string
  /** Where the lines that are shown begin in it. */
  readonly starts: ReadonlyMap<number, number>
}

/** The lines that are shown as one, with a mark where code is left out between them. */
const joined = (lines: ReadonlyArray<Line>, shown: (line: Line) => boolean): Joined => {
  const starts = new Map<number, number>()
  const parts: Array<string> = []
  let [length, skipped] = [0, false]
  for (const [index, line] of lines.entries()) {
    if (!shown(line)) {
      if (line.kind === "code" || line.kind === "prose") skipped = true
      continue
    }
    const words = collapse(line.text)
    if (words === "") continue
    const between = parts.length === 0 ? "" : skipped ? gap : " "
    starts.set(index, length + between.length)
    parts.push(between, words)
    length += between.length + words.length
    skipped = false
  }
  return { line: parts.join(""), starts }
}

/** What was found in a folded line, in the line that is shown. */
const stretchIn = (line: string, start: number, { at, text }: Found): Stretch => {
  const rest = line.slice(start)
  const folded = foldWords(rest)
  return {
    start: start + unfold(rest, folded, at, "start", foldWords),
    end: start + unfold(rest, folded, at + text.length, "end", foldWords)
  }
}
