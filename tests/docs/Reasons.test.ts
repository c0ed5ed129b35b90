/** docs/troubleshooting.md has every reason code that an operator can meet, with its cure, and no other. (issue 7 item 7) */
import { assert, describe, it } from "@effect/vitest"
import { everyCode } from "./support/Codes.ts"
import { codesBelow, pages, rowBelow } from "./support/Pages.ts"

const page = pages.find(({ name }) => name === "docs/troubleshooting.md")!

const headings = Array.from(page.text.matchAll(/^#{2,} (.*)$/gmu), ([, heading = ""]) => heading)

const sorted = (codes: Iterable<string>): ReadonlyArray<string> => [...new Set(codes)].toSorted()

describe("troubleshooting by reason code", () => {
  it.each(everyCode)("$heading: every code of the program and no other", ({ codes, heading }) => {
    assert.include(headings, heading)
    assert.deepStrictEqual(sorted(codesBelow(page, heading)), sorted(codes))
  })

  it.each(everyCode)("$heading: each code once, with a meaning and a cure", ({ codes, heading }) => {
    const listed = codesBelow(page, heading)
    assert.strictEqual(new Set(listed).size, listed.length)
    for (const code of codes) {
      const [meaning, cure] = rowBelow(page, heading, code)
      assert.isNotEmpty(meaning, code)
      assert.isNotEmpty(cure, code)
    }
  })

  it.each(everyCode.filter(({ words }) => words !== undefined))("$heading: in the program's own words", (of) => {
    for (const code of of.codes) {
      const said = of.words!(code)
      if (said === undefined) continue
      const [meaning, cure] = rowBelow(page, of.heading, code)
      assert.strictEqual(cure, said.cure, code)
      if (said.meaning !== undefined) assert.strictEqual(meaning, said.meaning, code)
    }
  })

  it("has a table for no heading that the code does not know", () => {
    const known = new Set(everyCode.map(({ heading }) => heading))
    assert.deepStrictEqual(
      headings.filter((heading) => codesBelow(page, heading).length > 0 && !known.has(heading)),
      []
    )
  })
})
