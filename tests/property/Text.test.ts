/** Properties of what is made of a text. (seed 000 "Tools", design.md section 8) */
import { assert, describe, it } from "@effect/vitest"
import { countMatches, termsOf } from "@memory-bridge/core/notes/Query"
import { signatureOf } from "@memory-bridge/core/notes/Signature"
import { around, snippetOf } from "@memory-bridge/core/notes/Snippet"
import { collapse, cut, fold, lengthOf, withoutControls } from "@memory-bridge/core/notes/Text"
import { maxTitleChars, titleOf } from "@memory-bridge/core/notes/Title"
import { decided, type Dice } from "./Generators.ts"

/** Pieces that are hard to fold, to cut or to read as Markdown. */
const pieces = [
  ..."abcXYZ 019#=-`~>*.",
  "needle",
  "İ",
  "ß",
  "ẞ",
  "Σ",
  "ς",
  "e\u0301",
  "E\u0301",
  "\u00e9",
  "\u0301",
  "\u0345",
  "ﬃ",
  "\u1100\u1161\u11a8",
  "각",
  "茶",
  "🎉",
  "👨‍👩‍👧‍👦",
  "👍🏽",
  "🇩🇪",
  "\u200d",
  "\ufe0f",
  "क्षि",
  "\n",
  "\r\n",
  "\n\n",
  "\t",
  "\u00a0",
  "\u2028",
  "\u0000",
  "\u001b[1m",
  "\u0085",
  "\u202e",
  "\ufeff",
  "```\n",
  "---\n",
  "# ",
  "## ",
  "\n===\n"
]

const textFrom = ({ chance, pick, times }: Dice): string => {
  const short = times(0, 40, () => pick(pieces))
  return (chance(60) ? short : short.flatMap((piece) => Array<string>(pick([1, 3, 20])).fill(piece))).join("")
}

const textsAnd = decided((dice) => {
  const text = textFrom(dice)
  const characters = [...text]
  const from = dice.below(characters.length + 1)
  const within = characters.slice(from, from + 1 + dice.below(8)).join("")
  const query = dice.chance(80) ? within : dice.times(1, 3, () => dice.pick(pieces)).join("")
  return { text, query, limit: 1 + dice.below(dice.pick([10, 60, 300])) }
})
const runs = (seed: number, runs = 8_000) => ({ arbitrary: { runs, seed, size: 60 } })

const graphemesOf = (text: string) => Array.from(new Intl.Segmenter("und").segment(text), ({ segment }) => segment)

describe("fold", () => {
  it.prop(
    "is idempotent, and one for all cases and Unicode forms of a text",
    [decided(textFrom)],
    ([text]) => {
      const folded = fold(text)
      assert.strictEqual(fold(folded), folded)
      for (const other of [text.normalize("NFD"), text.normalize("NFC"), text.toLowerCase()]) {
        assert.strictEqual(fold(other), folded)
      }
    },
    runs(31)
  )

  it.prop(
    "keeps what is a part a part, where the cut is between graphemes",
    [decided(textFrom)],
    ([text]) => {
      const parts = graphemesOf(text)
      const half = parts.slice(0, parts.length / 2).join("")
      assert.isTrue(fold(text).includes(fold(half)))
    },
    runs(32)
  )
})

/** The longest beginning of whole graphemes within a limit, grapheme by grapheme. */
const wholeWithin = (text: string, limit: number): string => {
  let found = ""
  for (const part of graphemesOf(text)) {
    if (lengthOf(found + part) > limit) break
    found += part
  }
  return found
}

describe("a cut", () => {
  it.prop(
    "is the longest beginning of whole graphemes within the limit",
    [textsAnd],
    ([{ limit, text }]) => {
      const result = cut(text, limit)
      assert.isTrue(text.startsWith(result))
      assert.isAtMost(lengthOf(result), limit)
      assert.strictEqual(result, wholeWithin(text, limit))
    },
    runs(33)
  )

  it.prop(
    "length counts code points, and cleaning changes no length",
    [decided(textFrom)],
    ([text]) => {
      assert.strictEqual(lengthOf(text), [...text].length)
      assert.lengthOf(withoutControls(text), text.length)
      assert.notMatch(withoutControls(text), /(?![\t\n\f\r])\p{Cc}/u)
    },
    runs(34)
  )
})

describe("the short ways through plain text", () => {
  const clean = (text: string) => withoutControls(text).replace(/\s+/gu, " ").trim()

  it.prop(
    "a line is collapsed as any other",
    [
      decided(({ pick, times }) =>
        times(0, 8, () => pick([..."ab ~!\t\n\r\f\u0000\u001f\u007f\u0080\u00a0é茶", "ab cd"])).join("")
      )
    ],
    ([text]) => assert.strictEqual(collapse(text), clean(text)),
    runs(37)
  )

  it.prop(
    "a plain text is cut as any other, whatever follows",
    [
      decided(({ below, pick, times }) => ({
        text: times(0, 12, () => pick(["a", "b ", "\n", "\r\n", "\r", "e\u0301", "\u0301", "🎉"])).join(""),
        limit: below(10)
      }))
    ],
    ([{ limit, text }]) => {
      assert.strictEqual(cut(text, limit), wholeWithin(text, limit))
    },
    runs(38)
  )

  it.prop(
    "a plain line is shortened as one with other letters",
    [
      decided(({ below, pick, times }) => {
        const line = times(1, 60, () => pick(["a", "b", "a b", "ab "])).join("")
        const start = below(line.length + 1)
        return { line, match: { start, end: start + below(line.length - start + 1) }, most: below(40) }
      })
    ],
    ([{ line, match, most }]) => {
      // One more letter for another of the same length makes the whole line one that must be divided.
      const other = line.replaceAll("a", "é")
      assert.strictEqual(around(line, match, most), around(other, match, most).replaceAll("é", "a"))
    },
    runs(39)
  )
})

describe("a snippet", () => {
  it.prop(
    "never throws, is one clean line within the limit, and cuts no grapheme",
    [textsAnd],
    ([given]) => {
      const { limit, query, text } = given
      const result = snippetOf(text, termsOf(query), limit)
      const line = collapse(text)
      assert.isAtMost(lengthOf(result), limit)
      assert.isTrue(result.isWellFormed())
      assert.notMatch(result, limit < 3 ? /\p{Cc}|\s\s|^\s/u : /\p{Cc}|\s\s|^\s|\s$/u)
      const inner = result.replace(/^…+/u, "").replace(/…+$/u, "")
      assert.isTrue(line.includes(inner))
      const whole = new Set(graphemesOf(line).map((grapheme) => grapheme.trim()))
      for (const one of graphemesOf(inner)) assert.isTrue(whole.has(one.trim()), JSON.stringify(one))
    },
    runs(35)
  )

  it.prop(
    "holds its first match whole wherever that fits",
    [textsAnd],
    ([{ limit, query, text }]) => {
      const line = collapse(text)
      const terms = termsOf(query)
      const places = terms.flatMap(({ text: term }) => {
        const at = fold(line).indexOf(term)
        return at < 0 ? [] : [{ at, term }]
      })
      const first = places.toSorted((one, other) => one.at - other.at || other.term.length - one.term.length)[0]
      // A match that is larger with the graphemes it touches, or that leaves no room for two ellipses, may be cut.
      if (first === undefined || lengthOf(first.term) * 2 + 2 > limit || longest(line) > limit / 4) return
      const snippet = fold(snippetOf(text, terms, limit))
      assert.isTrue(
        places.some(({ at, term }) => at === first.at && snippet.includes(term)),
        `${first.term} not in ${snippet}`
      )
    },
    runs(36)
  )
})

const longest = (line: string): number => Math.max(0, ...graphemesOf(line).map(lengthOf))

describe("a title", () => {
  it.prop(
    "never throws, is one clean line within its limit, and part of the text",
    [decided(textFrom)],
    ([text]) => {
      const title = titleOf(text)
      if (title === undefined) return
      assert.isNotEmpty(title)
      assert.isAtMost(lengthOf(title), maxTitleChars)
      assert.notMatch(title, /\p{Cc}|\s\s|^\s/u)
      assert.isTrue(collapse(text).includes(title.trim()))
    },
    runs(37)
  )
})

describe("matching", () => {
  it.prop(
    "with a signature is matching without one",
    [textsAnd],
    ([{ query, text }]) => {
      const terms = termsOf(query)
      const plain = countMatches(terms, { text, signature: undefined }, "a.md")
      assert.strictEqual(countMatches(terms, { text, signature: signatureOf(fold(text)) }, "a.md"), plain)
      const expected = terms.filter(({ text: term }) => fold(text).includes(term) || "a.md".includes(term)).length
      assert.strictEqual(plain, expected)
    },
    runs(38)
  )

  it.prop(
    "finds every piece of a text, in any spelling, where it begins and ends between graphemes",
    [
      decided((dice) => {
        const parts = graphemesOf(textFrom(dice))
        const from = dice.below(parts.length + 1)
        return { text: parts.join(""), piece: parts.slice(from, from + 1 + dice.below(6)).join("") }
      })
    ],
    ([{ piece, text }]) => {
      for (const query of [piece, piece.toLowerCase(), piece.normalize("NFD"), piece.normalize("NFC")]) {
        const terms = termsOf(query)
        assert.strictEqual(
          countMatches(terms, { text, signature: signatureOf(fold(text)) }, "a.md"),
          terms.length,
          JSON.stringify(query)
        )
      }
    },
    runs(39)
  )
})
