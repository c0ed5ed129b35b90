/** design.md section 8, version 1: terms split on white space, folded, found as substrings; distinct ones count. */
import { assert, describe, it } from "@effect/vitest"
import { termsOf } from "@memory-bridge/core/notes/Query"
import { costsLess } from "./given/Cost.ts"
import { count } from "./given/Searching.ts"

const split = (query: string) => termsOf(query).map(({ text }) => text)

describe("a query is split on white space into distinct folded terms", () => {
  it.each([
    ["garden", ["garden"]],
    ["  Blue   ASTERS ", ["blue", "asters"]],
    ["blue Blue BLUE", ["blue"]],
    ["caf\u00e9 CAFE\u0301", ["caf\u00e9"]],
    ["a\u3000b\u00a0c", ["a", "b", "c"]],
    ["会議 東京", ["会議", "東京"]]
  ])("%j: %j", (query, terms) => {
    assert.deepStrictEqual(split(query), terms)
  })

  it("no term is empty", () => {
    for (const query of [" ", "\u3000", " a ", "a  b"]) assert.notInclude(split(query), "")
  })
})

describe("a term is found as it stands, in the text or in the id", () => {
  it.each([
    ["garden", "The Gardener", "a.md", 1],
    ["watering", "nothing", "decisions/Watering.md", 1],
    ["decisions/watering.md", "nothing", "decisions/watering.md", 1],
    ["blue asters", "asters, blue", "a.md", 2],
    ["blue asters", "blue", "a.md", 1],
    ["blue asters", "blue", "asters.md", 2],
    ["blue", "red", "a.md", 0],
    ["blue", "blue blue blue", "blue.md", 1],
    ["zzz", "", "a.md", 0]
  ])("%j in %j, %j: %i", (query, text, id, expected) => {
    assert.strictEqual(count(query, text, id), expected)
  })

  it("what search engines treat as operators is text (case 59)", () => {
    for (const term of [
      "foo-bar",
      "v2.8.3",
      `"open`,
      "AND",
      "C++",
      "(",
      "*",
      ":",
      "'",
      "NEAR(",
      ".*",
      "%",
      "_",
      "^$",
      "\\"
    ]) {
      assert.strictEqual(count(term, `see ${term} there`), 1, term)
      assert.strictEqual(count(term, "nothing", "n"), 0, term)
    }
  })

  it("dotted versions are not split (case 62)", () => {
    assert.strictEqual(count("2.8.3", "2, 8 and 3"), 0)
  })

  it("scripts without spaces are searched within (case 61)", () => {
    for (const [term, text] of [
      ["会议", "今天的会议记录"],
      ["東京", "私は東京に行く"],
      ["회의", "회의록"],
      ["茶", "お茶"],
      ["tea", "喝tea吧"]
    ]) {
      assert.strictEqual(count(term ?? "", text ?? ""), 1)
    }
  })

  it("a query that would ruin a regular expression is only text (case 5)", () => {
    costsLess(1_000, () => assert.strictEqual(count("(a+)+$", "a".repeat(1_000_000)), 0))
  })
})
