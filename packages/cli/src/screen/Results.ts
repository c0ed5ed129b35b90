/** A search answer for a person: numbered, with id, title and snippet, the matched words emphasised. */
import type { SearchAnswer, SearchResult, TruncatedBy } from "@memory-bridge/core/notes/Notes"
import { emphasise, type Words, wordsOf } from "./Emphasis.ts"
import type { Paint } from "./Paint.ts"
import { wrap } from "./Wrap.ts"

export interface Look {
  readonly paint: Paint
  readonly width: number | undefined
}

// Directional overrides could make a snippet look like something that it is not.
const overrides = /[\u202a-\u202e\u2066-\u2069]/gu

const lines = (text: string, indent: string, words: Words, { paint, width }: Look): ReadonlyArray<string> =>
  wrap(text.replace(overrides, "\ufffd"), width === undefined ? undefined : width - indent.length).map(
    (line) => indent + emphasise(line, words, paint.match)
  )

const resultText = ({ id, line, snippet, title }: SearchResult, number: number, words: Words, look: Look): string => {
  const mark = `${number}. `
  const indent = " ".repeat(mark.length)
  const [first = "", ...rest] = lines(line === undefined ? id : `${id}, line ${line}`, indent, words, look)
  return [
    look.paint.dim(mark) + look.paint.strong(first.slice(indent.length)),
    ...rest.map(look.paint.strong),
    ...(title === undefined ? [] : lines(title, indent, words, look)),
    ...lines(snippet, indent, words, look)
  ].join("\n")
}

const counted = (results: number): string => (results === 1 ? "1 result" : `${results} results`)

const causes: Readonly<Record<TruncatedBy, string>> = {
  results: "More notes match than are shown: raise --limit, or narrow the query.",
  answer_size: "The answer is as long as it may be (limits.total_chars): narrow the query.",
  scan: "Not every permitted note was looked at (limits.max_entries, or the bytes of one search).",
  depth: "Permitted notes lie deeper than limits.max_depth, and were not looked at."
}

/** Ends with a line feed. */
export const resultsText = (
  { results, truncated, truncated_by: by = [] }: SearchAnswer,
  query: string,
  look: Look
): string => {
  const words = wordsOf(query)
  const more =
    by.length === 0
      ? "A limit left something out; --limit, or a narrower query, may show more."
      : by.map((cause) => causes[cause]).join(" ")
  const found = results.length === 0 ? "No note matches." : `${counted(results.length)}.`
  return [
    ...results.map((result, i) => resultText(result, i + 1, words, look) + "\n"),
    ...wrap(truncated ? `${found} ${more}` : found, look.width),
    ""
  ].join("\n")
}
