/** Reading on by line: every part of every note has a number, and none is given twice. (design.md section 8) */
import { assert, describe, it } from "@effect/vitest"
import { numberedLines, numberOf, pageFrom } from "@memory-bridge/core/notes/Lines"
import { lengthOf } from "@memory-bridge/core/notes/Text"
import { costsLess } from "../given/Cost.ts"

describe("lines", () => {
  it.each<readonly [string, string, number, ReadonlyArray<string>]>([
    ["of an empty text", "", 5, []],
    ["with every kind of end", "a\nb\r\nc\rd", 9, ["a\n", "b\r\n", "c\r", "d"]],
    ["that are blank", "\n\na\n", 9, ["\n", "\n", "a\n"]],
    ["that are too long", "abcdefg\nh", 3, ["abc", "def", "g\n", "h"]],
    ["are cut between graphemes", "ae\u0301e\u0301", 2, ["a", "e\u0301", "e\u0301"]],
    ["of a grapheme that is too long itself", "e\u0301\u0302\u0303", 2, ["e\u0301", "\u0302\u0303"]],
    ["never cut a surrogate pair", "🎉🎉", 1, ["🎉", "🎉"]]
  ])("%s", (_, text, most, expected) => {
    assert.deepStrictEqual(numberedLines(text, most), expected)
  })

  it("of one line of a megabyte cost little", () => {
    costsLess(1_500, () => {
      assert.strictEqual(numberedLines("é".repeat(1_000_000), 8_000).length, 125)
      assert.strictEqual(numberedLines("x".repeat(100_000), 1).length, 100_000)
    })
  })
})

describe("a page", () => {
  const text = "one\ntwo\nthree\nfour\n"
  it.each<readonly [number, number, string, number | undefined]>([
    [1, 100, text, undefined],
    [1, 8, "one\ntwo\n", 3],
    [3, 11, "three\nfour\n", undefined],
    [3, 10, "three\n", 4],
    [1, 7, "one\n", 2],
    [5, 100, "", undefined],
    [9_007_199_254_740_991, 100, "", undefined]
  ])("from line %i of at most %i characters", (from, most, content, nextLine) => {
    assert.deepStrictEqual(pageFrom(text, from, most), { content, nextLine })
  })

  it.each([1, 2, 3, 5, 8, 1000])("after page of %i characters covers the note exactly once", (most) => {
    const whole = "# T\r\n\r\nlong line of words e\u0301e\u0301 🎉 and more\n\n\nend without a line end"
    let [read, from]: [string, number | undefined] = ["", 1]
    for (let guard = 0; from !== undefined && guard < 1000; guard++) {
      const page = pageFrom(whole, from, most)
      assert.isAtMost(lengthOf(page.content), most)
      assert.isTrue(page.nextLine === undefined || page.nextLine > from)
      read += page.content
      from = page.nextLine
    }
    assert.strictEqual(read, whole)
  })

  it("begins at the line whose number a search told", () => {
    const line = numberOf("a\nb needle\n", 1, 100, (piece) => piece.includes("needle"))
    assert.strictEqual(pageFrom("a\nb needle\n", line, 100).content, "b needle\n")
    const long = `head\n${"x".repeat(25)}needle${"y".repeat(25)}`
    const inside = numberOf(long, 1, 10, (piece) => piece.includes("needle"))
    assert.include(pageFrom(long, inside, 10).content, "xxxxxneedl".slice(0, 5))
  })
})
