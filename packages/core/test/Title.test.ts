/** Seed 000 "Tools": the title is the first heading. */
import { assert, describe, it } from "@effect/vitest"
import { maxTitleChars, titleOf } from "@memory-bridge/core/notes/Title"
import { costsLess } from "./given/Cost.ts"

const titles = (cases: ReadonlyArray<readonly [string, string | undefined]>) => {
  for (const [text, title] of cases) assert.strictEqual(titleOf(text), title, JSON.stringify(text))
}

describe("the first heading that is not empty", () => {
  it("of one to six hashes and white space", () => {
    titles([
      ["# Lantern Garden\n\nText", "Lantern Garden"],
      ["###### Six", "Six"],
      ["#\tTab", "Tab"],
      ["   # Three spaces in", "Three spaces in"],
      ["Text\n\n## Later", "Later"],
      ["## Two\n# One", "Two"]
    ])
  })

  it("not of seven hashes, without white space, or indented as code", () => {
    titles([
      ["####### Seven", undefined],
      ["#NoSpace", undefined],
      ["#tag\n# Title", "Title"],
      ["    # Code\n# Title", "Title"],
      ["\t# Code", undefined],
      ["> # Quoted", undefined],
      ["- # Item", undefined],
      ["\\# Escaped", undefined],
      ["a # b", undefined]
    ])
  })

  it("underlined with equals signs", () => {
    titles([
      ["Title\n=====", "Title"],
      ["Title\n=", "Title"],
      ["Title\n   ===  ", "Title"],
      ["Title\n=== x", undefined],
      ["\n===\n# Next", "Next"],
      ["===", undefined],
      ["Title\n-----", undefined]
    ])
  })

  it("an empty heading is passed over", () => {
    titles([
      ["#\n# Next", "Next"],
      ["# \n## Next", "Next"],
      ["#   \t \n# Next", "Next"],
      ["#", undefined],
      ["# \u00a0\n# Next", "Next"]
    ])
  })

  it("closing hashes are not part of it, others are", () => {
    titles([
      ["# Title #", "Title"],
      ["## Title ########  ", "Title"],
      ["# C#", "C#"],
      ["# Title # more", "Title # more"],
      ["# #5 bug", "#5 bug"]
    ])
  })

  it("a heading of closing hashes alone is empty", () => {
    titles([
      ["### ###\n# Next", "Next"],
      ["# #\n# Next", "Next"]
    ])
  })

  it("no heading, no title", () => {
    titles([
      ["", undefined],
      ["\n\n", undefined],
      ["plain text\nmore", undefined]
    ])
  })
})

describe("what only looks like a heading is passed over", () => {
  it("in a code fence, however long and of whichever mark", () => {
    titles([
      ["```\n# Comment\n```\n# Title", "Title"],
      ["``` sh\n# Comment\n```\n# Title", "Title"],
      ["~~~\n# Comment\n```\n# Still\n~~~\n# Title", "Title"],
      ["`````\n# Comment\n```\n# Still\n`````\n# Title", "Title"],
      ["```\n# Comment\n`````\n# Title", "Title"],
      ["```\n# Comment\n``` sh\n# Still\n```\n# Title", "Title"],
      ["  ```\n# Comment\n  ```\n# Title", "Title"],
      ["```\n# Never closed", undefined],
      ["``\n# Title", "Title"]
    ])
  })

  it("a line of inline code does not open a fence", () => {
    titles([["```code``` first\n# Title", "Title"]])
  })

  it("in a leading front matter block, closed by dashes or dots", () => {
    titles([
      ["---\ntitle: X\n# comment\n---\n# Title", "Title"],
      ["---\n# comment\n...\n# Title", "Title"],
      ["---  \n# comment\n---  \n# Title", "Title"],
      ["---\n---\n# Title", "Title"]
    ])
  })

  it("but dashes that never close, or come later, hide nothing (case 54)", () => {
    titles([
      ["---\n# Title", "Title"],
      ["text\n---\n# Title\n---", "Title"],
      ["\n---\n# Title\n---", "Title"],
      ["---js\n# Title\n---", "Title"]
    ])
  })
})

describe("line ends and odd characters", () => {
  it("any line end ends a heading", () => {
    titles([
      ["# A\r\n# B", "A"],
      ["# A\r# B", "A"],
      ["Title\r\n===\r\n", "Title"],
      ["---\r\na: b\r\n---\r\n# Title\r\n", "Title"],
      ["```\r\n# x\r\n```\r\n# Title", "Title"]
    ])
  })

  it("white space within becomes one space, control characters are replaced", () => {
    titles([
      ["#  a \t b\u00a0 c  ", "a b c"],
      ["# a\u0000b\u001b[2Jc", "a\ufffdb\ufffd[2Jc"]
    ])
  })

  it("a line separator (U+2028, U+2029) within a heading does not hide it", () => {
    titles([
      ["# Title\u2028more", "Title more"],
      ["# Title\u2029", "Title"]
    ])
  })

  it("text of any script", () => {
    titles([
      ["# 会議 🎉", "会議 🎉"],
      ["# \u05e9\u05dc\u05d5\u05dd", "\u05e9\u05dc\u05d5\u05dd"]
    ])
  })
})

const quick = (text: string) => costsLess(1_500, () => titleOf(text))

describe("a title is bounded in length and in cost", () => {
  it("at most 200 characters, cut between graphemes", () => {
    assert.strictEqual(maxTitleChars, 200)
    assert.strictEqual(titleOf(`# ${"a".repeat(200)}`), "a".repeat(200))
    assert.strictEqual(titleOf(`# ${"a".repeat(201)}`), "a".repeat(200))
    assert.strictEqual(titleOf(`# ${"a".repeat(199)}🎉🎉`), `${"a".repeat(199)}🎉`)
    assert.strictEqual(titleOf(`# ${"a".repeat(199)}👨‍👩‍👧‍👦`), "a".repeat(199))
  })

  it("a megabyte of any one mark is read quickly", () => {
    const size = 1_000_000
    for (const mark of ["#", "=", "`", "~", "-", " ", "\n", "a\n", "# \n", "```\n", "=\n"]) {
      quick(mark.repeat(size / mark.length))
      quick(`${mark.repeat(size / mark.length)}x`)
    }
  })

  it("a heading with a long run of spaces is read quickly", () => {
    quick(`# a${" ".repeat(25_000)}b`)
  })

  it("a heading with a run of tabs before a line separator is read quickly", () => {
    quick(`# ${"\t".repeat(1_000)}\u2028`)
  })
})
