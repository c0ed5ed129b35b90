/** Markdown: a line for the snippet's limit, a line for the query, then the text. Title and snippet are clean and true. */
import { countMatches, termsOf } from "@memory-bridge/core/notes/Query"
import { snippetOf } from "@memory-bridge/core/notes/Snippet"
import { collapse, cut, fold, lengthOf, withoutControls } from "@memory-bridge/core/notes/Text"
import { maxTitleChars, titleOf } from "@memory-bridge/core/notes/Title"
import { holds, partsOf, type Target } from "../Target.ts"

const graphemes = new Intl.Segmenter("und")
const longestGrapheme = (line: string): number => {
  let longest = 0
  for (const { segment } of graphemes.segment(line)) longest = Math.max(longest, segment.length)
  return longest
}

/** The first match whole, wherever it fits with an ellipsis on both sides. */
const checkMatch = (line: string, terms: ReturnType<typeof termsOf>, snippet: string, limit: number): void => {
  const folded = fold(line)
  const first = terms
    .map(({ text }) => ({ text, at: folded.indexOf(text) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at || other.text.length - one.text.length)[0]
  if (first === undefined || lengthOf(first.text) * 2 + 2 > limit || longestGrapheme(line) > limit / 4) return
  const inside = fold(snippet)
  holds(
    "the snippet holds a match",
    terms.some(({ text }) => inside.includes(text)),
    first.text
  )
}

export const markdown: Target = {
  name: "markdown",
  input: "text",
  json: false,
  words: [
    "# ",
    "## ",
    "#",
    "\n",
    "\n\n",
    "===",
    "\n===\n",
    "```\n",
    "~~~",
    "---\n",
    "...\n",
    "    ",
    "\t",
    "\r\n",
    "\r",
    "needle",
    "N\u00e9edle",
    "e\u0301",
    "\u0130",
    "\u03a3",
    "\u1100\u1161\u11a8",
    "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67",
    "\ud83c\udde9\ud83c\uddea",
    "\u0000",
    "\u001b[1m",
    "\u202e",
    "\u2028",
    "`",
    "\u0915\u094d\u0937\u093f"
  ],
  seeds: [
    "60\nneedle\n# Title\n\nA text with a needle in it, and some more of it after that, so that it is cut.",
    "10\nb\n---\ntags: a\n---\nSetext\n===\nbody b",
    "300\n\u8336\n```\n# no title\n```\n## \u8336\u9053 ##\n\u8336",
    "20\nx y\n\r\n#\tTab title #\rtext x",
    "3\n\u03c2\n\u03a3\u03a3\u03a3 \u03c2"
  ],
  check: (input) => {
    const [number = "", query = "", raw = ""] = partsOf(input, 3)
    const limit = 1 + ((Math.abs(Number.parseInt(number.slice(0, 3), 10)) || 0) % 300)
    const text = raw.toWellFormed()
    const title = titleOf(text)
    const line = collapse(text)
    if (title !== undefined) {
      holds("a title is not empty and within its limit", title !== "" && lengthOf(title) <= maxTitleChars)
      holds("a title is one clean line", !/\p{Cc}|\s\s|^\s/u.test(title))
      holds("a title stands in the text", line.includes(title.trim()))
    }
    const terms = termsOf(query)
    const snippet = snippetOf(text, terms, limit)
    holds("a snippet is within its limit", lengthOf(snippet) <= limit)
    holds("a snippet is one clean, well-formed line", snippet.isWellFormed() && !/\p{Cc}|\s\s|^\s/u.test(snippet))
    holds(
      "a snippet stands in the text",
      line.includes(snippet.replace(/^\u2026/u, "").replace(/\u2026$/u, "")) || line.includes(snippet)
    )
    checkMatch(line, terms, snippet, limit)
    holds(
      "counting never exceeds the terms",
      countMatches(terms, { text, signature: undefined }, "a.md") <= terms.length
    )
    const short = cut(text, limit)
    holds(
      "a cut is a beginning within its limit",
      text.startsWith(short) && lengthOf(short) <= Math.max(limit, text.length)
    )
    holds("cleaning changes no length", withoutControls(text).length === text.length)
  }
}
