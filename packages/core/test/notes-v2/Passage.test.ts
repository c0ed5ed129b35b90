/** cases/notes.md 53, 55: the snippet holds the match, comes from prose where prose has it, and tells its line. */
import { assert, describe, it } from "@effect/vitest"
import { frontMatterOf } from "@memory-bridge/core/notes/FrontMatter"
import { passageOf } from "@memory-bridge/core/notes/Passage"
import { wantedOf } from "@memory-bridge/core/notes/Wanted"

const passage = (text: string, query: string, snippetChars = 40, readChars = 8000) =>
  passageOf(
    text,
    frontMatterOf(text)?.bodyAt ?? 0,
    wantedOf(query).map((want) => ({ want, worth: want.text.length })),
    { snippetChars, readChars }
  )
const gone = "filler text that takes some room here. "

describe("what is shown", () => {
  it.each<readonly [string, string, string, string, number]>([
    [
      "a short note whole, without its front matter",
      "---\ntags: [x]\n---\n# T\n\nThe needle.\n",
      "needle",
      "T The needle.",
      6
    ],
    ["not the front matter, though it matches", "---\nneedle: needle\n---\nhead\n", "needle", "head", 4],
    ["prose and not the code before it", "```\nneedle\n```\nThe needle.\n", "needle", "The needle.", 4],
    ["code where only code has it", "prose\n```\nthe needle\n```\n", "needle", "``` the needle ```", 3],
    [
      "the sentence rather than the heading",
      "# Needle\n\nsee\n\nThe needle is needle.\n",
      "needle",
      "Needle see The needle is needle.",
      5
    ],
    ["the start where only the name matches", "one\ntwo\n", "needle", "one two", 1],
    ["nothing of an empty note", "", "needle", "", 1],
    ["a mark where code is left out", "a needle\n```\nx\n```\nb\n", "needle", "a needle … b", 1],
    [
      "the word before a part of one",
      `needles\n${gone.repeat(3)}\nneedle`,
      "needle",
      "…text that takes some room here. needle",
      3
    ]
  ])("%s", (_, text, query, snippet, line) => {
    const found = passage(text, query)
    assert.deepStrictEqual([found.snippet, found.line], [snippet, line])
  })

  it("the line that has most of the query", () => {
    const text = `blue\n${gone.repeat(5)}\nblue gate here\n${gone.repeat(5)}\ngate\n`
    const found = passage(text, "blue gate")
    assert.include(found.snippet, "blue gate here")
    assert.strictEqual(found.line, 3)
  })

  it("a match at column 20,000 of one line, with the number of its piece", () => {
    const found = passage(`${"x ".repeat(10_000)}needle${" y".repeat(10_000)}`, "needle", 40, 8000)
    assert.include(found.snippet, "needle")
    assert.strictEqual(found.line, 3)
  })

  it.each([
    ["Straße", "strasse"],
    ["ＡＢＣ", "abc"],
    ["getUserName", "user"],
    ["e-mail", "email"],
    ["東京の会議", "会議"],
    ["E\u0301toile", "étoile"]
  ])("%s for %s, cut on graphemes", (written, query) => {
    const { snippet } = passage(`${gone.repeat(20)}${written} ${gone.repeat(20)}`, query)
    assert.include(snippet, written.normalize("NFC") === written ? written : "E\u0301toile")
    assert.isAtMost([...snippet].length, 40)
  })
})
