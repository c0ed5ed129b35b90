/** design.md section 8 "Version 2", cases/notes.md 55, 56, 58, 61, 62: which note stands first. */
import { assert, describe, it } from "@effect/vitest"
import * as ContentCache from "@memory-bridge/core/notes/ContentCache"
import { indexOf } from "@memory-bridge/core/notes/NoteIndex"
import * as Ranking from "@memory-bridge/core/notes/Ranking"
import { wantedOf } from "@memory-bridge/core/notes/Wanted"
import { foldWords } from "@memory-bridge/core/notes/Words"
import { costsLess } from "../given/Cost.ts"
import { type DocumentId, parse } from "@memory-bridge/core/tree/DocumentId"

const noRow = () => assert.fail("no note has a row")

export const order = (query: string, notes: Readonly<Record<string, string>>) => {
  const tables = ContentCache.make(0)
  const ranking = Ranking.make<Ranking.Candidate & { readonly text: string }>(query, wantedOf(query), tables, noRow)
  for (const [id, text] of Object.entries(notes)) {
    const entry = { id: parse(id) as DocumentId, folded: foldWords(id) }
    ranking.look(entry, { index: indexOf(text), text }, -1, () => text)
  }
  return ranking.order((_, { text }) => text, Infinity).notes
}
const ids = (query: string, notes: Readonly<Record<string, string>>) => order(query, notes).map(({ id }) => id)

const filler = Array.from({ length: 60 }, (_, i) => `word${i}`).join(" ")

describe("a place in the note counts", () => {
  it.each<readonly [string, string, Readonly<Record<string, string>>, string]>([
    ["title before body", "redis", { "a.md": "redis in passing", "b.md": "# Redis\n\nx" }, "b.md"],
    ["front matter title before body", "redis", { "a.md": "redis redis", "b.md": "---\ntitle: Redis\n---\nx" }, "b.md"],
    ["tag before body", "redis", { "a.md": "redis", "b.md": "---\ntags: [redis]\n---\nx y z" }, "b.md"],
    ["inline tag before body", "#redis", { "a.md": "redis", "b.md": "x y #redis z" }, "b.md"],
    [
      "a tag asked for as one before a title",
      "#redis",
      { "a.md": "# Redis\nredis", "b.md": "---\ntags: [redis]\n---\nx" },
      "b.md"
    ],
    ["heading before body", "soil", { "a.md": "soil", "b.md": "# T\n\n## Soil\n\nx" }, "b.md"],
    ["file name before body", "soil", { "a.md": "soil x y", "soil-plan.md": "# T\nx" }, "soil-plan.md"],
    ["body before folder", "soil", { "a.md": `soil`, "soil/b.md": filler }, "a.md"],
    ["a short note before a long one", "soil", { "a.md": `soil ${filler}`, "b.md": "the soil is dry" }, "b.md"],
    [
      "the whole title before a part of it",
      "red fox",
      { "a.md": "# Red fox and red fox again\nred fox red fox", "b.md": "# Red fox\nx" },
      "b.md"
    ],
    [
      "an alias before a title with more",
      "red fox",
      { "a.md": "# Red fox stories\nred fox", "b.md": "---\naliases: [Red fox]\n---\nx" },
      "b.md"
    ],
    ["the file name asked for", "soil", { "a.md": "# Soil notes\nsoil soil soil", "x/soil.md": "y" }, "x/soil.md"],
    [
      "the file name with its ending before a title that has it",
      "plan.md",
      { "a.md": "# About plan.md today\nplan.md", "plan.md": "x" },
      "plan.md"
    ],
    ["the file name with its ending", "a_b.md", { "a-b-c.md": "a_b", "a_b.md": "x" }, "a_b.md"]
  ])("%s", (_, query, notes, first) => {
    assert.strictEqual(ids(query, notes)[0], first)
  })
})

describe("words that are neighbours in a note", () => {
  const apart = "red x x x fox"
  it.each(["red fox", "red  fox", "red\nfox", "red-fox here", "red_ -\tfox", "red red fox"])(
    "%j stands first",
    (near) => {
      assert.strictEqual(ids("red fox", { "a.md": `${apart} y`, "b.md": `y ${near}` })[0], "b.md")
    }
  )

  it("in another order, or joined to more, do not count", () => {
    const scores = order("red fox", { "a.md": "fox red", "b.md": "red x fox" }).map(({ score }) => score)
    assert.lengthOf(scores, 2)
    assert.closeTo(scores[0]!, scores[1]!, 0.1)
  })

  it("are looked for quickly in a note of nothing but what may stand between them", () => {
    for (const sign of ["-", "_", " -", "\n"])
      costsLess(2_000, () => order("- y", { "a.md": `${sign.repeat(250_000)} x y` }))
  })
})

describe("how well a word is matched counts", () => {
  it.each<readonly [string, string, Readonly<Record<string, string>>, string]>([
    ["a word before a part of one", "cat", { "a.md": "concatenate x", "b.md": "the cat x" }, "b.md"],
    ["a word before a part of an identifier", "user", { "a.md": "getUserName x", "b.md": "the user x" }, "b.md"],
    ["a part of an identifier before a substring", "user", { "a.md": "superusers x", "b.md": "getUserName x" }, "b.md"],
    ["a version before its numbers", "2.8.3", { "a.md": "2 8 3 2 8 3", "b.md": "version 2.8.3 x" }, "b.md"],
    ["a version with v before another", "2.8.3", { "a.md": "v2.8.30 and 12.8.3", "b.md": "v2.8.3 x" }, "b.md"],
    ["an identifier before its parts", "foo_bar", { "a.md": "foo x bar foo bar", "b.md": "foo_bar x" }, "b.md"],
    ["a hyphenated word before its words", "e-mail", { "a.md": "e mail", "b.md": "e-mail x" }, "b.md"],
    ["a CJK word before its characters in another", "会議", { "a.md": "議会と会の議事", "b.md": "会議は十時" }, "b.md"]
  ])("%s", (_, query, notes, first) => {
    assert.strictEqual(ids(query, notes)[0], first)
  })

  it.each<readonly [string, string]>([
    ["email", "write an e-mail"],
    ["e-mail", "write an email"],
    ["point in time", "point-in-time"],
    ["2.9.0", "v2.9.0"],
    ["v2.9.0", "2.9.0"],
    ["user name", "getUserName()"],
    ["ERR_X", "ERR_X-12"],
    ["STRASSE", "Straße"],
    ["ａｂｃ", "abc"],
    ["茶", "煎茶を出す"],
    ["회의", "회의는 열 시"],
    ["redis", "新しいRedisを使う"],
    ["機械学習", "機械学習モデル"],
    ["C++", "the C++ part"],
    ["(", "f(x)"]
  ])("%s is found in %s", (query, text) => {
    assert.deepStrictEqual(ids(query, { "a.md": "qqq", "b.md": text }), ["b.md"])
  })

  it.each<readonly [string, string]>([
    ["ERR_WARP-99", "ERR_SEAT-12 and err"],
    ["2.8.3", "2 and 8"],
    ["tags", "---\ntags: [a]\nauthor: b\n---\nx"],
    ["author", "---\ntags: [a]\nauthor: b\n---\nx"]
  ])("%s is not found in %s", (query, text) => {
    assert.deepStrictEqual(ids(query, { "b.md": text }), [])
  })

  it("a value of another key of the front matter is found, and stands last", () => {
    const notes = { "a.md": "---\nauthor: Imre\n---\nx", "b.md": `${filler} imre` }
    assert.deepStrictEqual(ids("imre", notes), ["b.md", "a.md"])
  })
})

describe("more of the query counts", () => {
  it("two words once before one of them often", () => {
    const notes = { "a.md": "asters ".repeat(20), "b.md": `${filler} asters rail` }
    assert.strictEqual(ids("asters rail", notes)[0], "b.md")
  })

  it("a rare word before common ones", () => {
    const common = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`c${i}.md`, "how do we do it"]))
    assert.strictEqual(ids("how do we fix the marmot", { ...common, "z.md": "a marmot" })[0], "z.md")
  })

  it("words in a row before the same words apart", () => {
    const notes = { "a.md": "gate of blue wood and an eastern x", "b.md": "x of wood and an eastern blue gate" }
    assert.strictEqual(ids("blue gate", notes)[0], "b.md")
  })
})

describe("the order", () => {
  it("of equal notes is that in which they were seen", () => {
    const notes = { "b.md": "same", "a.md": "same", "c.md": "same" }
    assert.deepStrictEqual(ids("same", notes), ["b.md", "a.md", "c.md"])
  })

  it("has finite scores, none below zero, falling but for notes that are named", () => {
    const notes = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`n${i}.md`, `all ${"of them ".repeat(i)}`]))
    const scores = order("all of them", notes).map(({ score }) => score)
    assert.strictEqual(scores.length, 30)
    for (const score of scores) assert.isTrue(Number.isFinite(score) && score >= 0)
  })
})
