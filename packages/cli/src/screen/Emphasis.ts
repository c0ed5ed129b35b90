/**
 * Where the terms of a query stand in a text, as the search itself would find them. (design.md section 8)
 *
 * Matching is done on the folded text; the positions are those of the text as it is shown.
 */
import { termsOf } from "@memory-bridge/core/notes/Query"
import { fold } from "@memory-bridge/core/notes/Text"

/** The folded words of a query, each to be found as a substring. */
export type Words = ReadonlyArray<string>

export const wordsOf = (query: string): Words => termsOf(query).map(({ text }) => text)

/** Start and end, UTF-16 code units. */
export type Range = readonly [start: number, end: number]

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

/** The folded text with, for each of its code units and its end, the grapheme's place in the text. */
const foldWithPlaces = (text: string) => {
  const starts: Array<number> = []
  const ends: Array<number> = []
  let folded = ""
  for (const { index, segment } of graphemes.segment(text)) {
    const part = fold(segment)
    for (let i = 0; i < part.length; i++) {
      starts.push(index)
      ends.push(index + segment.length)
    }
    folded += part
  }
  return { folded, starts, ends }
}

const join = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const joined: Array<Range> = []
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0])) {
    const last = joined.at(-1)
    if (last !== undefined && start <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], end)]
    else joined.push([start, end])
  }
  return joined
}

/** Ranges in order, not touching each other, never inside a grapheme. */
export const rangesOf = (text: string, words: Words): ReadonlyArray<Range> => {
  const { ends, folded, starts } = foldWithPlaces(text)
  const found: Array<Range> = []
  for (const word of words) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      found.push([starts[at] ?? 0, ends[at + word.length - 1] ?? text.length])
    }
  }
  return join(found)
}

/** The text with each match handed through `mark`. */
export const emphasise = (text: string, words: Words, mark: (match: string) => string): string => {
  let shown = ""
  let done = 0
  for (const [start, end] of rangesOf(text, words)) {
    shown += text.slice(done, start) + mark(text.slice(start, end))
    done = end
  }
  return shown + text.slice(done)
}
