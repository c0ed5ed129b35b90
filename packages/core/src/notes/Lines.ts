/**
 * A note line by line, for reading it in pieces: every line has a number, and together they are the note.
 * (design.md section 8, cases/notes.md 52)
 *
 * A line is what an editor counts as one, with its line end. One that is longer than an answer may be is several, so that
 * every part of every note has a number to begin at.
 */
import { lengthOf } from "./Text.ts"

const oneLine = /[^\r\n]*(?:\r\n|\r|\n|$)/gu

/** The physical lines with their ends; none for an empty text. */
export const physicalLines = (text: string): ReadonlyArray<string> =>
  (text.match(oneLine) ?? []).filter((line) => line !== "")

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

/** The first code points of a longer text, at most so many; none of a grapheme that does not fit, unless it is the first. */
const beginning = (text: string, most: number): string => {
  let end = 0
  for (let points = 0; points < most; points++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, graphemes.segment(text).containing(end)?.index || end)
}

/** A line as pieces of at most `most` code points, cut between graphemes where that leaves anything. */
const pieces = (line: string, most: number): ReadonlyArray<string> => {
  if (line.length <= most) return [line]
  const found: Array<string> = []
  for (let at = 0; at < line.length;) {
    // Longer than `most` code points by more than a grapheme that is no attack, so that the cut sees where it ends.
    const near = line.slice(at, at + 2 * most + 64)
    const piece = lengthOf(near) <= most ? near : beginning(near, most)
    found.push(piece)
    at += piece.length
  }
  return found
}

/** The numbered lines of a text where no answer holds more than `most` code points. Their join is the text. */
export const numberedLines = (text: string, most: number): ReadonlyArray<string> =>
  physicalLines(text).flatMap((line) => pieces(line, most))

export interface Page {
  readonly content: string
  /** Where the rest begins; undefined where there is none. */
  readonly nextLine: number | undefined
}

/** As many whole lines from a number on, the first being 1, as `most` code points hold; at least one of them. */
export const pageFrom = (text: string, fromLine: number, most: number): Page => {
  const lines = numberedLines(text, most)
  let [end, length] = [fromLine - 1, 0]
  for (; end < lines.length; end++) {
    length += lengthOf(lines[end]!)
    if (length > most && end > fromLine - 1) break
  }
  return {
    content: lines.slice(fromLine - 1, end).join(""),
    nextLine: end < lines.length ? end + 1 : undefined
  }
}

/** The number of a physical line's piece that passes a test, or of its first. `index` counts physical lines from 0. */
export const numberOf = (text: string, index: number, most: number, isIt: (piece: string) => boolean): number => {
  const lines = physicalLines(text)
  const before = lines.slice(0, index).reduce((sum, line) => sum + pieces(line, most).length, 0)
  const inside = pieces(lines[index] ?? "", most).findIndex(isIt)
  return before + Math.max(0, inside) + 1
}
