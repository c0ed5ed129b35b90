/** How text is compared, cleaned and cut. (design.md section 8) */
import { assert, describe, it } from "@effect/vitest"
import { collapse, cut, fold, lengthOf, withoutControls } from "@memory-bridge/core/notes/Text"
import { costsLess } from "./given/Cost.ts"

const family = "👨‍👩‍👧‍👦"

describe("folding makes spellings that differ in case or Unicode form one", () => {
  it.each([
    ["Garden", "gARDEN"],
    ["caf\u00e9", "CAFE\u0301"],
    ["\u212b", "a\u030a"],
    ["\u1e69", "s\u0307\u0323"],
    ["ΛΟΓΟΣ", "λογος"],
    ["ΛΟΓΟΣ", "λογοσ"],
    ["각", "\u1100\u1161\u11a8"],
    ["ẞ", "ß"],
    ["\u212a", "k"]
  ])("%s and %s", (one, other) => {
    assert.strictEqual(fold(one), fold(other))
  })

  it.each([
    ["a", "b"],
    ["e", "é"],
    ["i", "ı"],
    ["会議", "会计"],
    ["ss", "ß"]
  ])("%s and %s stay two", (one, other) => {
    assert.notStrictEqual(fold(one), fold(other))
  })

  it("does not depend on what stands beside a letter", () => {
    for (const after of ["", " ", "Α", "α", "!", "x"]) {
      assert.isTrue(fold(`ΛΟΓΟΣ${after}`).startsWith(fold("ΛΟΓΟΣ")), JSON.stringify(after))
    }
  })

  it("every character: twice is once, and the Unicode form does not matter", () => {
    for (let point = 0; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point < 0xe000) continue
      const character = String.fromCodePoint(point)
      const folded = fold(character)
      if (fold(folded) !== folded || fold(character.normalize("NFD")) !== folded) {
        assert.fail(`U+${point.toString(16)}`)
      }
    }
  })

  it("lone surrogates do no harm", () => {
    assert.strictEqual(fold("A\ud800"), "a\ud800")
  })
})

describe("control characters are replaced, white space is not", () => {
  it("every C0, DEL and C1 but tab, line feed, form feed and carriage return", () => {
    for (let point = 0; point < 0x100; point++) {
      const character = String.fromCharCode(point)
      const control = (point < 0x20 && !"\t\n\f\r".includes(character)) || (point >= 0x7f && point < 0xa0)
      assert.strictEqual(withoutControls(`a${character}b`), control ? "a\ufffdb" : `a${character}b`, String(point))
    }
  })

  it("an escape sequence cannot reach a terminal", () => {
    assert.strictEqual(withoutControls("\u001b[2J\u009b1m"), "\ufffd[2J\ufffd1m")
  })

  it("the length stays the same, so places in the text do as well", () => {
    const text = "a\u0000b\u001bc\r\nd"
    assert.lengthOf(withoutControls(text), text.length)
  })
})

describe("a collapsed text is one line", () => {
  it.each([
    ["  a  b\t\tc \n\r\n d ", "a b c d"],
    ["a\u00a0\u2003b\u3000c\ufeffd", "a b c d"],
    ["a\u2028b\u2029c", "a b c"],
    ["\n\n", ""],
    ["", ""],
    ["a\u0000 \u0007b", "a\ufffd \ufffdb"]
  ])("%j becomes %j", (text, line) => {
    assert.strictEqual(collapse(text), line)
  })

  it("is quick on long runs of white space", () => {
    costsLess(1_000, () => collapse(`a${" ".repeat(1_000_000)}b${"\n".repeat(1_000_000)}`))
  })
})

describe("length counts code points", () => {
  it.each([
    ["", 0],
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 2],
    ["🎉", 1],
    ["a🎉b", 3],
    [family, 7],
    ["🎉🎉", 2]
  ])("%j has %i", (text, length) => {
    assert.strictEqual(lengthOf(text), length)
    assert.strictEqual(lengthOf(text), [...text].length)
  })
})

describe("a cut keeps at most so many code points and never parts a grapheme", () => {
  it.each([
    ["abcdef", 3, "abc"],
    ["abc", 3, "abc"],
    ["abc", 4, "abc"],
    ["abc", 0, ""],
    ["ab🎉c", 3, "ab🎉"],
    ["ab🎉c", 2, "ab"],
    ["🎉🎉🎉", 2, "🎉🎉"],
    ["🎉🎉🎉", 3, "🎉🎉🎉"],
    [`a${family}b`, 7, "a"],
    [`a${family}b`, 8, `a${family}`],
    [`${family}${family}`, 13, family],
    ["ae\u0301b", 2, "a"],
    ["ae\u0301b", 3, "ae\u0301"],
    ["🇩🇪🇫🇷", 3, "🇩🇪"],
    ["a\r\nb", 2, "a"],
    ["각각", 2, "각각"]
  ])("%j at %i is %j", (text, atMost, expected) => {
    assert.strictEqual(cut(text, atMost), expected)
  })

  it("is quick on a text of a megabyte", () => {
    costsLess(1_000, () => cut("🎉".repeat(500_000), 8_000))
    costsLess(1_000, () => cut(`e${"\u0301".repeat(1_000_000)}`, 8_000))
  })
})
