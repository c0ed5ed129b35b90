/** Seed 000 "Tools", "Search ids have valid read syntax": what an id is, and which names are served. */
import { assert, describe, it } from "@effect/vitest"
import { childId, isMarkdownName, isServedName, parse, segmentsOf } from "@memory-bridge/core/tree/DocumentId"

const defect = (text: string) => {
  const id = parse(text)
  return typeof id === "string" ? "is an id" : id.defect
}

const segments = (count: number, length = 1) => Array(count).fill("a".repeat(length)).join("/")

describe("an id is a relative path without empty, dot or control parts", () => {
  it.each([
    ["", "empty"],
    ["/", "absolute"],
    ["/a.md", "absolute"],
    ["//a.md", "absolute"],
    ["/v/a.md", "absolute"],
    ["a//b.md", "bad_segment"],
    ["a/", "bad_segment"],
    [".", "bad_segment"],
    ["..", "bad_segment"],
    ["./a.md", "bad_segment"],
    ["../a.md", "bad_segment"],
    ["a/../b.md", "bad_segment"],
    ["a/..", "bad_segment"],
    ["a/./b.md", "bad_segment"],
    ["a/b/../../../etc/passwd", "bad_segment"],
    ["a.md\0", "control_character"],
    ["a\n.md", "control_character"],
    ["a\tb.md", "control_character"],
    ["\u001b[2J.md", "control_character"],
    ["a\u0085.md", "control_character"],
    ["a\u2028.md", "control_character"],
    ["a\u2029.md", "control_character"],
    ["a\\b.md", "control_character"],
    ["..\\..\\secret.md", "control_character"],
    ["C:\\a.md", "control_character"],
    ["a\ud800.md", "control_character"],
    ["\udc00\ud800", "control_character"]
  ])("%j: %s", (text, expected) => {
    assert.strictEqual(defect(text), expected)
  })

  it.each([
    "a",
    "a.md",
    "a/b.md",
    "...",
    "a/...b",
    "..a",
    "a..",
    ".hidden.md",
    " ",
    "a b.md",
    "%2e%2e/a.md",
    "~/a",
    "é🎉"
  ])("%j is an id, whether or not it can be served", (text) => {
    assert.strictEqual(parse(text), text as never)
  })

  it("up to 512 UTF-16 units and 16 segments", () => {
    assert.strictEqual(defect("a".repeat(512)), "is an id")
    assert.strictEqual(defect("a".repeat(513)), "too_long")
    assert.strictEqual(defect("🎉".repeat(256)), "is an id")
    assert.strictEqual(defect("🎉".repeat(257)), "too_long")
    assert.strictEqual(defect(segments(16)), "is an id")
    assert.strictEqual(defect(segments(17)), "too_deep")
    assert.strictEqual(defect("a/".repeat(1_000_000)), "too_long")
  })

  it("its segments are its names from the root on", () => {
    const id = parse("a/b/c.md")
    assert.deepStrictEqual(typeof id === "string" ? segmentsOf(id) : [], ["a", "b", "c.md"])
  })
})

describe("a served name has portable characters only and is not hidden", () => {
  it.each(["a", "A", "0", "_", "-", "a.md", "A-b_c.9", "a..md", "-rf", "a."])("%s is served", (name) => {
    assert.isTrue(isServedName(name))
  })

  it.each([
    "",
    ".",
    "..",
    ".a",
    ".md",
    ".git",
    "...",
    "a b",
    " a",
    "a ",
    "é",
    "e\u0301",
    "茶.md",
    "🎉.md",
    "a%b",
    "a+b"
  ])("%j is not", (name) => {
    assert.isFalse(isServedName(name))
  })

  it.each([..."#&[](){}'\"`~!@$^*=|\\:;<>?,/\n\t\0\u007f\u200b\u202e\ufeff\uff41"])(
    "nor one that holds %j",
    (character) => {
      assert.isFalse(isServedName(`a${character}b.md`))
      assert.isFalse(isServedName(`a.md${character}`))
      assert.isFalse(isServedName(`${character}a.md`))
    }
  )
})

describe("a Markdown name ends in .md, in lower case, after something", () => {
  it.each([
    ["a.md", true],
    ["a.b.md", true],
    ["a.txt.md", true],
    ["-.md", true],
    [".md", false],
    ["md", false],
    ["a.MD", false],
    ["a.Md", false],
    ["a.markdown", false],
    ["a.mdx", false],
    ["a.md.txt", false],
    ["amd", false],
    ["a.md.", false],
    ["a.md~", false],
    ["", false]
  ])("%j: %j", (name, expected) => {
    assert.strictEqual(isMarkdownName(name), expected)
  })
})

describe("the scan builds only ids that parse accepts", () => {
  it("the root's children have one segment", () => {
    assert.strictEqual(childId("", 0, "a.md"), "a.md" as never)
    assert.strictEqual(childId("a/b", 2, "c.md"), "a/b/c.md" as never)
  })

  it("no id is built beyond 16 segments or 512 characters", () => {
    assert.isDefined(childId(segments(15), 15, "a.md"))
    assert.isUndefined(childId(segments(16), 16, "a.md"))
    assert.strictEqual(childId("", 0, "a".repeat(512))?.length, 512)
    assert.isUndefined(childId("", 0, "a".repeat(513)))
    assert.strictEqual(childId("a".repeat(255), 1, "b".repeat(256))?.length, 512)
    assert.isUndefined(childId("a".repeat(255), 1, "b".repeat(257)))
  })

  it("at every length and depth round the limits, what is built parses", () => {
    for (let depth = 0; depth <= 17; depth++) {
      const parent = segments(depth, 28)
      for (let length = 1; length <= 515; length++) {
        const id = childId(parent, depth, "n".repeat(length))
        const whole = parent === "" ? "n".repeat(length) : `${parent}/${"n".repeat(length)}`
        assert.strictEqual(id !== undefined, defect(whole) === "is an id", `${depth} ${length}`)
      }
    }
  })
})
