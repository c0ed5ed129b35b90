/** cases/notes.md 54, 55, 56: front matter can be broken, hostile or odd, and nothing of it runs or is lost. */
import { assert, describe, it } from "@effect/vitest"
import { frontMatterOf, maxFrontMatter } from "@memory-bridge/core/notes/FrontMatter"
import { costsLess } from "../given/Cost.ts"

const of = (...lines: ReadonlyArray<string>) => frontMatterOf(["---", ...lines, "---", "body"].join("\n"))

describe("title, tags and aliases are taken", () => {
  it.each<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["a list in a line", ["tags: [redis, cache]"], ["redis", "cache"]],
    ["a list of lines", ["tags:", "  - redis", "  - cache"], ["redis", "cache"]],
    ["one text with commas", ["tags: redis, cache"], ["redis", "cache"]],
    ["hashes", ['tags: ["#redis", "#cache"]'], ["redis", "cache"]],
    ["a single one", ["tag: redis"], ["redis"]],
    ["a number as it is written", ["tags: [1.10, 007]"], ["1.10", "007"]],
    ["null", ["tags:"], []],
    ["nothing in a list", ["tags: [redis, null, ~]"], ["redis"]],
    ["another letter case of the key", ["Tags: [redis]"], ["redis"]]
  ])("tags: %s", (_, lines, tags) => {
    assert.deepStrictEqual(of(...lines)?.tags, tags)
  })

  it.each<readonly [string, string | undefined]>([
    ["title: Plain", "Plain"],
    ['title: "Quoted: yes"', "Quoted: yes"],
    ["title: null", undefined],
    ["title:", undefined],
    ["title: '  '", undefined],
    ["title: [a, b]", undefined],
    ["title: 2026-03-02", "2026-03-02"],
    ["title: 1.10", "1.10"],
    ["title: yes", "yes"],
    ["other: x", undefined]
  ])("%s", (line, title) => {
    const front = of(line)
    assert.isDefined(front)
    assert.strictEqual(front?.title, title)
  })

  it("aliases, and other values without their keys", () => {
    const front = of("aliases: [one name, another]", "owner: Imre", "deep:", "  more: [x, {y: z}]")
    assert.deepStrictEqual(front?.aliases, ["one name", "another"])
    assert.deepStrictEqual(front?.others, ["Imre", "x", "z"])
  })

  it.each([
    "title: [one, two]",
    "tags: {one: two}",
    "tags: [[one], two]",
    "aliases: [{one: two}]",
    "? [a, b]\n: two",
    "deep: {[a, b]: two}"
  ])("of %j no value is lost, whatever its shape", (block) => {
    const { aliases = [], others = [], tags = [], title } = of(block) ?? {}
    assert.include([...aliases, ...others, ...tags, title], "two")
  })

  it.each(["\n", "\r\n", "\r"])("with the line end %j", (end) => {
    assert.strictEqual(frontMatterOf(["---", "title: T", "---", "body"].join(end))?.title, "T")
  })

  it("an empty block and one that ends the text are front matter", () => {
    assert.strictEqual(frontMatterOf("---\n---\nx")?.bodyAt, 8)
    assert.strictEqual(frontMatterOf("---\ntitle: T\n---")?.title, "T")
  })
})

describe("what cannot be understood is plain text", () => {
  it.each([
    ["no closing line", "---\ntitle: T\n"],
    ["a bracket left open", "---\ntitle: [unclosed\n---\n"],
    ["a key twice", "---\ntitle: a\ntitle: b\n---\n"],
    ["a list", "---\n- a\n---\n"],
    ["a text", "---\nhello\n---\n"],
    ["a script as JavaScript front matter", "---js\n{title: process.exit(1)}\n---\n"],
    ["a tag that constructs", '---\ntitle: !!js/function "function(){}"\n---\n'],
    ["an unknown tag", "---\ntitle: !ruby/object:Gem x\n---\n"],
    ["a text before it", "x\n---\ntitle: T\n---\n"],
    ["a rule in the body", "body\n\n---\n\nmore\n"],
    ["a block over the limit", `---\n${"a: b\n".replace("a", "k".repeat(maxFrontMatter))}---\n`],
    ["nesting without end", `---\na: ${"[".repeat(4000)}\n---\n`],
    ["nesting that is closed", `---\na: ${"[".repeat(3500)}${"]".repeat(3500)}\n---\n`]
  ])("%s", (name, text) => {
    const front = frontMatterOf(text)
    if (name === "nesting that is closed") assert.deepStrictEqual(front?.others ?? [], [])
    else assert.isUndefined(front)
  })

  it("a bomb of aliases is not followed", () => {
    const bomb = [
      "a: &a [x, x, x]",
      ...Array.from("bcdefghi", (key, i) => `${key}: &${key} [*${"abcdefgh"[i]}, *${"abcdefgh"[i]}]`)
    ]
    costsLess(500, () => {
      assert.deepStrictEqual(of(...bomb, "title: T")?.others, ["x", "x", "x"])
    })
  })

  it("costs little whatever it is", () => {
    const odd = ["[", "{", "- ", "? ", "&a *a ", "'", '"', ": ", "!!x ", "%", "|\n ", "a:\n "]
    costsLess(3_000, () => {
      for (const piece of odd) frontMatterOf(`---\n${piece.repeat(Math.floor(8_000 / piece.length))}\n---\n`)
    })
  })
})
