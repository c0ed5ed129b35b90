/** Seed 000 "Tools", design.md section 8: one short line that holds the match. */
import { assert, describe, it } from "@effect/vitest"
import { collapse, fold, lengthOf } from "@memory-bridge/core/notes/Text"
import { costsLess } from "./given/Cost.ts"
import { snippet } from "./given/Searching.ts"

const filler = (length: number) => "lorem ipsum dolor sit amet ".repeat(Math.ceil(length / 27)).slice(0, length)
const graphemes = (text: string) => Array.from(new Intl.Segmenter("und").segment(text), ({ segment }) => segment)

/** Asserts that a snippet holds the match, is short enough and cuts nothing in two. */
const holds = (text: string, query: string, maxChars = 300): string => {
  const result = snippet(text, query, maxChars)
  const line = collapse(text)
  assert.isAtMost(lengthOf(result), maxChars, result)
  assert.isTrue(fold(result).includes(fold(query)), `no ${query} in ${result}`)
  assert.isTrue(result.isWellFormed(), "a surrogate pair is cut")
  const inner = result.replace(/^…/, "").replace(/…$/, "")
  const whole = new Set(graphemes(line))
  for (const one of graphemes(inner)) assert.isTrue(whole.has(one), `${JSON.stringify(one)} is part of a grapheme`)
  assert.isTrue(line.includes(inner), "not a piece of the text")
  return result
}

describe("a document that fits is given whole, on one line", () => {
  it("white space is collapsed and control characters are replaced", () => {
    assert.strictEqual(snippet("# Garden\n\n  Blue\tasters.\r\n", "garden"), "# Garden Blue asters.")
    assert.strictEqual(snippet("a\u0000b\u001b[1m", "a"), "a\ufffdb\ufffd[1m")
  })

  it("exactly as long as the limit, without an ellipsis; one longer, with", () => {
    assert.strictEqual(snippet("a".repeat(300), "a"), "a".repeat(300))
    assert.strictEqual(snippet("a".repeat(301), "a"), `${"a".repeat(299)}…`)
    assert.strictEqual(snippet("🎉".repeat(300), "x"), "🎉".repeat(300))
  })

  it("an empty document has an empty snippet", () => {
    assert.strictEqual(snippet("", "a"), "")
    assert.strictEqual(snippet(" \n ", "a"), "")
  })
})

describe("a longer one is cut round its first match", () => {
  it("a match at the start: from the start", () => {
    const result = holds(`needle ${filler(1_000)}`, "needle")
    assert.isTrue(result.startsWith("needle lorem") && result.endsWith("…"))
  })

  it("a match in the middle: an ellipsis at both ends and text on both sides", () => {
    const result = holds(`${filler(2_000)} needle ${filler(2_000)}`, "needle")
    assert.match(result, /^….+ needle .+…$/u)
    assert.isAbove(lengthOf(result), 280)
  })

  it("a match at the end: no ellipsis after it, and the room is used", () => {
    const result = holds(`${filler(2_000)} needle`, "needle")
    assert.match(result, /^….+ needle$/u)
    assert.isAbove(lengthOf(result), 280)
  })

  it("a match at column 20,000 of one line (case 53)", () => {
    holds(`${filler(20_000)} needle ${filler(5_000)}`, "needle")
    holds(`${"a".repeat(20_000)}needle${"b".repeat(20_000)}`, "needle")
  })

  it("a match at every place round the limit", () => {
    for (let before = 0; before <= 700; before += 7) {
      for (const after of [0, 1, 10, 290, 300, 700]) {
        holds(`${"a".repeat(before)}needle${"b".repeat(after)}`, "needle")
      }
    }
  })

  it("the earliest of several terms, in whichever order they were asked", () => {
    const text = `${filler(1_000)} first ${filler(3_000)} second ${filler(1_000)}`
    for (const query of ["first second", "second first", "absent first"]) {
      assert.include(snippet(text, query), "first")
    }
  })

  it("no match in the text, as when only the id matches: from the start", () => {
    assert.isTrue(snippet(filler(1_000), "absent").startsWith("lorem ipsum"))
  })

  it("a match across what collapsing changed", () => {
    holds(`${"a \n\n\t b ".repeat(500)}needle${" \n\n c".repeat(500)}`, "needle")
    holds(`${"a\u0001\u0002".repeat(500)}needle${"\u0003c".repeat(500)}`, "needle")
  })
})

describe("places are right where folding changes lengths", () => {
  it.each([
    ["capital i with a dot, which folds longer", "İ".repeat(500)],
    ["decomposed accents, which fold shorter", "e\u0301".repeat(500)],
    ["sharp capital s", "ẞ".repeat(500)],
    ["conjoining Hangul", "\u1100\u1161\u11a8".repeat(300)],
    ["both kinds mixed", "İe\u0301".repeat(250)],
    ["a few of one kind far before", `İİİ${"a".repeat(5_000)}`]
  ])("%s before the match", (_, before) => {
    for (const after of ["b".repeat(1_000), "İ".repeat(450), "e\u0301".repeat(450)])
      holds(`${before}needle${after}`, "needle")
  })

  it("the match itself in another form than the query", () => {
    holds(`${filler(1_000)} cafe\u0301 ${filler(1_000)}`, "CAF\u00c9")
    holds(`${filler(1_000)} İstanbul ${filler(1_000)}`, "İSTANBUL")
    holds(`${filler(1_000)} ΛΟΓΟΣ ${filler(1_000)}`, "λογος")
  })

  it("as much longer before the match as shorter after it", () => {
    holds(`${"İ".repeat(200)}needle${"e\u0301".repeat(200)}`, "needle", 100)
    holds(`${"e\u0301".repeat(200)}needle${"İ".repeat(200)}`, "needle", 100)
  })
})

describe("graphemes are not parted, however long", () => {
  it.each([
    ["emoji", "🎉"],
    ["families", "👨‍👩‍👧‍👦"],
    ["flags", "🇩🇪"],
    ["skin tones", "👍🏽"],
    ["accents in a pile", `e${"\u0301".repeat(9)}`],
    ["Devanagari", "क्षि"],
    ["CJK", "茶"]
  ])("%s on both sides of the match", (_, one) => {
    for (let shift = 0; shift < 12; shift++) {
      holds(`${"a".repeat(shift)}${one.repeat(400)}needle${one.repeat(400)}`, "needle")
    }
  })

  it("characters of several code points before a match that ends the document do not push it out", () => {
    for (const one of ["🎉", "👨‍👩‍👧‍👦", "e\u0301", "\u1100\u1161\u11a8", "क्षि"]) {
      for (let shift = 0; shift < 12; shift++) holds(`${"a".repeat(shift)}${one.repeat(400)}needle`, "needle")
    }
  })

  it("a match that is an emoji", () => {
    holds(`${"🎉".repeat(500)}👍${"🎉".repeat(500)}`, "👍")
  })

  it("a grapheme longer than the room before the match does not push it out", () => {
    const result = snippet(`${filler(500)} e${"\u0301".repeat(400)} needle ${filler(500)}`, "needle")
    assert.include(result, "needle")
    assert.isAtMost(lengthOf(result), 300)
  })
})

describe("every limit that a policy may set is kept", () => {
  const texts = [
    filler(500),
    "🎉".repeat(500),
    "👨‍👩‍👧‍👦".repeat(100),
    "e\u0301".repeat(300),
    "a b ".repeat(200),
    "茶".repeat(400)
  ]

  it("from 1 to 300 characters", () => {
    for (let limit = 1; limit <= 300; limit++) {
      for (const text of texts) {
        const result = snippet(`${text} needle ${text}`, "needle", limit)
        assert.isAtMost(lengthOf(result), limit)
        assert.isTrue(result.isWellFormed())
        assert.notMatch(result, /\s\s|^\s|\s$/u)
      }
    }
  })

  it("a match that fits into a small limit is held whole", () => {
    for (let limit = 8; limit <= 60; limit++) holds(`${filler(500)} needle ${filler(500)}`, "needle", limit)
  })

  it("a long match is held whole", () => {
    const long = "n".repeat(250)
    holds(`${filler(1_000)} ${long} ${filler(1_000)}`, long)
    holds(`${filler(1_000)} ${long}`, long)
    holds(`${filler(99)} ${long} ${filler(1_000)}`, long)
  })

  it("a match longer than the limit begins in the snippet", () => {
    const result = snippet(`${filler(1_000)} ${"xyz".repeat(80)} ${filler(1_000)}`, "xyz".repeat(80), 60)
    assert.include(result, "xyzxyz")
  })
})

describe("a document of a megabyte is described quickly", () => {
  it.each(["a", "茶", "İ", "e\u0301", "👨‍👩‍👧‍👦", " a"])("made of %j", (one) => {
    const text = `${one.repeat(1_000_000 / one.length)} needle`
    costsLess(3_000, () => snippet(text, "needle"))
  })
})
