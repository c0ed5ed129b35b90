/** Breaks one line of text for a terminal: between words where it can, inside a word only where it must. */
import { displayWidth } from "./Width.ts"

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

/** The pieces of a word that each fit, cut between graphemes. */
const pieces = (word: string, width: number): ReadonlyArray<string> => {
  if (displayWidth(word) <= width) return [word]
  const parts: Array<string> = []
  let part = ""
  for (const { segment } of graphemes.segment(word)) {
    if (part !== "" && displayWidth(part + segment) > width) {
      parts.push(part)
      part = ""
    }
    part += segment
  }
  return [...parts, part]
}

/** `width` is in cells and at least 1; without one the text stays a single line. */
export const wrap = (text: string, width: number | undefined): ReadonlyArray<string> => {
  if (width === undefined) return [text]
  const lines: Array<string> = []
  let line = ""
  for (const piece of text.split(" ").flatMap((word) => pieces(word, width))) {
    const longer = line === "" ? piece : `${line} ${piece}`
    if (displayWidth(longer) <= width) {
      line = longer
    } else {
      lines.push(line)
      line = piece
    }
  }
  return [...lines, line]
}
