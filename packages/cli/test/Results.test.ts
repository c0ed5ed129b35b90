/** Results for a person: emphasised as the search matched, broken to the terminal, plain without colour. */
import { assert, describe, it } from "@effect/vitest"
import type { SearchAnswer, SearchResult } from "@memory-bridge/core/notes/Notes"
import type { DocumentId } from "@memory-bridge/core/tree/DocumentId"
import { emphasise, rangesOf, wordsOf } from "memory-bridge/screen/Emphasis"
import { coloured, plain } from "memory-bridge/screen/Paint"
import { resultsText } from "memory-bridge/screen/Results"
import { displayWidth } from "memory-bridge/screen/Width"
import { wrap } from "memory-bridge/screen/Wrap"

const marked = (text: string, query: string) => emphasise(text, wordsOf(query), (match) => `[${match}]`)

describe("emphasis", () => {
  it.each([
    ["Water the garden", "garden", "Water the [garden]"],
    ["WATER the Garden", "garden water", "[WATER] the [Garden]"],
    ["gardener", "garden den", "[garden]er"],
    ["aaaa", "aa", "[aaaa]"],
    ["nothing", "garden", "nothing"],
    ["", "garden", ""],
    ["Cafe\u0301 con leche", "caf\u00e9", "[Cafe\u0301] con leche"],
    ["ΣΟΦΟΣ", "σοφος", "[ΣΟΦΟΣ]"],
    ["İstanbul", "i", "[İ]stanbul"],
    ["日本語のメモ", "本語", "日[本語]のメモ"],
    ["👩‍🌾 plants", "plants", "👩‍🌾 [plants]"]
  ])("in %j for %j", (text, query, expected) => {
    assert.strictEqual(marked(text, query), expected)
  })

  it("joins matches that touch or overlap", () => {
    assert.deepStrictEqual(rangesOf("abcdef", ["abc", "cd", "ef"]), [[0, 6]])
  })
})

describe("wrapping", () => {
  const text = "Synthetic memory: plant blue asters beside the east gate"

  it.each([1, 5, 12, 20, 200])("to %d cells keeps every character and the width", (width) => {
    const lines = wrap(text, width)
    for (const line of lines) assert.isAtMost(displayWidth(line), width)
    assert.strictEqual(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""))
  })

  it("counts wide characters as two cells and cuts between graphemes", () => {
    assert.deepStrictEqual(wrap("日本語", 4), ["日本", "語"])
    assert.deepStrictEqual(wrap("👩‍🌾👩‍🌾", 3), ["👩‍🌾", "👩‍🌾"])
  })

  it("does nothing without a width", () => {
    assert.deepStrictEqual(wrap(text, undefined), [text])
  })
})

const result = (id: string, title: string | undefined, snippet: string): SearchResult =>
  title === undefined ? { id: id as DocumentId, snippet } : { id: id as DocumentId, title, snippet }

const answer = (truncated: boolean, ...results: ReadonlyArray<SearchResult>): SearchAnswer => ({ results, truncated })
const unbroken = { paint: plain, width: undefined }

describe("the text of an answer", () => {
  const two = answer(false, result("a/one.md", "One", "# One about gardens"), result("two.md", undefined, "garden"))

  it("is numbered, with id, title and snippet", () => {
    assert.strictEqual(
      resultsText(two, "garden", unbroken),
      "1. a/one.md\n   One\n   # One about gardens\n\n2. two.md\n   garden\n\n2 results.\n"
    )
  })

  it("has no escape without colour, and the same characters with it", () => {
    const escapes = new RegExp(String.raw`\u001b\[\d+m`, "g")
    const text = resultsText(two, "garden", { paint: coloured, width: undefined })
    assert.include(text, "\u001b[33mgarden\u001b[39m")
    assert.strictEqual(text.replaceAll(escapes, ""), resultsText(two, "garden", unbroken))
  })

  it("fits a narrow terminal", () => {
    for (const line of resultsText(two, "garden", { paint: plain, width: 24 }).split("\n")) {
      assert.isAtMost(displayWidth(line), 24)
    }
  })

  it("says when a limit left something out, and when nothing matches", () => {
    assert.include(resultsText(answer(true, result("a.md", undefined, "x")), "x", unbroken), "1 result. A limit left")
    assert.strictEqual(resultsText(answer(false), "x", unbroken), "No note matches.\n")
  })

  it("does not let a snippet turn the direction of the line", () => {
    assert.notMatch(resultsText(answer(false, result("a.md", "\u202eT", "\u2066s")), "x", unbroken), /[\u202e\u2066]/)
  })
})
