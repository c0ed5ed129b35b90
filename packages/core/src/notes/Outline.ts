/**
 * What each line of a note is: front matter, heading, code, prose or blank. (cases/notes.md 55; CommonMark 4.2, 4.3, 4.5)
 *
 * One pass by rules that a reader can check: a fence opens with three or more backticks or tildes after at most three
 * spaces and runs to its like or to the end; a heading is an ATX line, or a line of prose over `===` or `---`.
 */
import { type FrontMatter, frontMatterOf } from "./FrontMatter.ts"
import { apart, collapse, cut } from "./Text.ts"
import { atxText, fenceOf, maxTitleChars } from "./Title.ts"

export type LineKind = "front" | "heading" | "code" | "prose" | "blank"

export interface Line {
  readonly kind: LineKind
  /** For a heading what stands in it, else the line as it is. */
  readonly text: string
}

export interface Outline {
  readonly lines: ReadonlyArray<Line>
  readonly front: FrontMatter | undefined
  /** From the front matter, else the first heading that is not empty; on one line. */
  readonly title: string | undefined
}

const underline = /^ {0,3}(?:=+|-+)[ \t]*$/u
/** What may not be the text of an underlined heading: lists, quotes, tables, indented code. */
const notParagraph = /^(?: {4}|\t| {0,3}(?:[-*+>|]|\d{1,9}[.)][ \t]))/u

/** Line ends are those of Title.ts, and the ones that an editor counts. */
export const splitLines = (text: string): ReadonlyArray<string> => text.split(/\r\n|\r|\n/u)

/** The lines of a text whose body starts at `bodyAt`, in UTF-16 units; 0 for one without front matter. */
export const linesOf = (text: string, bodyAt: number): ReadonlyArray<Line> => {
  const written = splitLines(text)
  const before = splitLines(text.slice(0, bodyAt)).length - 1
  // A block that ends with the text has no line of its own after it.
  const frontLines = bodyAt > 0 && bodyAt === text.length && !/[\r\n]$/u.test(text) ? before + 1 : before
  const lines: Array<Line> = []
  let open: string | undefined
  for (const [index, line] of written.entries()) {
    if (index < frontLines) {
      lines.push({ kind: "front", text: line })
      continue
    }
    const mark = fenceOf(line)
    if (open !== undefined) {
      if (mark !== undefined && mark.startsWith(open) && line.trim() === mark) open = undefined
      lines.push({ kind: "code", text: line })
    } else if (mark !== undefined) {
      open = mark
      lines.push({ kind: "code", text: line })
    } else {
      lines.push(plainLine(line, lines))
    }
  }
  return lines
}

export const outlineOf = (text: string): Outline => {
  const front = frontMatterOf(text)
  const lines = linesOf(text, front?.bodyAt ?? 0)
  const heading = front?.title ?? lines.find(({ kind, text }) => kind === "heading" && text.trim() !== "")?.text
  const title = heading === undefined ? "" : apart(cut(collapse(heading), maxTitleChars))
  return { lines, front, title: title === "" ? undefined : title }
}

/** A line outside fences. An underline makes a heading of the prose line above it. */
const plainLine = (line: string, above: Array<Line>): Line => {
  if (line.trim() === "") return { kind: "blank", text: line }
  const heading = atxText(line)
  if (heading !== undefined) return { kind: "heading", text: heading }
  const last = above.at(-1)
  if (last?.kind === "prose" && underline.test(line) && !notParagraph.test(last.text)) {
    above[above.length - 1] = { kind: "heading", text: last.text }
    return { kind: "blank", text: line }
  }
  return { kind: "prose", text: line }
}
