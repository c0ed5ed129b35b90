/** Seed 000 "Policy", design.md section 7: `*` within a segment, `**` over segments, the rest literal or refused. */
import { assert, describe, it } from "@effect/vitest"
import {
  compile,
  foldName,
  maxGlobstars,
  type Pattern,
  type PatternDefect,
  patternDefect,
  maxPatternLength,
  maxPatternSegments
} from "@memory-bridge/core/policy/Pattern"
import { costsLess } from "./given/Cost.ts"

const matches = (pattern: string, path: string): boolean => {
  assert.isUndefined(patternDefect(pattern), pattern)
  return compile(pattern).matches(foldName(path))
}

/** Asserts which of the paths a pattern matches: those before the bar and not those after it. */
const holds = (pattern: string, paths: string): void => {
  const [yes = "", no = ""] = paths.split("|")
  for (const path of yes.split(" ").filter(Boolean)) assert.isTrue(matches(pattern, path), `${pattern} matches ${path}`)
  for (const path of no.split(" ").filter(Boolean)) assert.isFalse(matches(pattern, path), `${pattern} not ${path}`)
}

const defects: Readonly<Record<PatternDefect, ReadonlyArray<string>>> = {
  empty: [""],
  too_long: ["a".repeat(513), "a/".repeat(400), "*".repeat(10_000)],
  absolute: ["/", "/a", "//a", "/**", "/../a"],
  unsupported_character: [
    ..."?[]{}()!|\\\0\u0001\n\r\t\u007f\u0085\u009f",
    "a?",
    "[x]",
    "x[1].md",
    "!x",
    "!private/**",
    "{a,b}",
    "a/{b,c}/**",
    "@(a|b)",
    "+(a)",
    "a\\*",
    "a\\b",
    "..\\secret",
    "\ud800",
    "a/\udfff/**"
  ],
  too_deep: [Array(17).fill("a").join("/"), Array(17).fill("*").join("/")],
  empty_segment: ["a/", "a//b", "**/", "a/**/", "private/", "a///b", "*/"],
  dot_segment: [".", "..", "./a", "a/.", "../a", "a/../b", "a/..", "**/../x", "a/./b"],
  partial_globstar: ["a**", "**a", "a**b", "***", "****", "a/**b/c", "**.md", "x/***/y"],
  too_many_globstars: ["**/**/**/**/**", "**/".repeat(5) + "a", "a/**/b/**/c/**/d/**/e/**"]
}

describe("a pattern that could be misread or never match is refused with the reason", () => {
  it.each(Object.entries(defects))("%s", (defect, patterns) => {
    for (const pattern of patterns) {
      const actual = patternDefect(pattern)
      assert.isDefined(actual, JSON.stringify(pattern))
      // A long or deep pattern of stars may break two rules; one of its own must be named.
      assert.include([defect, "too_long", "too_deep", "absolute"], actual, JSON.stringify(pattern))
    }
  })

  it("the limits are the last values that are accepted", () => {
    assert.deepStrictEqual([maxPatternLength, maxPatternSegments, maxGlobstars], [512, 16, 4])
    assert.isUndefined(patternDefect("a".repeat(512)))
    assert.isUndefined(patternDefect(Array(16).fill("a").join("/")))
    assert.isUndefined(patternDefect("**/a/**/b/**/c/**"))
  })

  it("every brace, bracket and extended form of the glob dialects is refused, so none is taken literally", () => {
    for (const one of ["{1..9}", "[a-z]", "[!a]", "[^a]", "?(a)", "*(a)", "+(a)", "@(a)", "!(a)", "(a|b)", "a|b"]) {
      assert.strictEqual(patternDefect(one), "unsupported_character")
    }
  })

  it("other punctuation, spaces and letters of any script are literal", () => {
    for (const one of [
      "#a",
      "a b",
      "+a",
      "@a",
      "a^b",
      "$a",
      "a.b",
      "~a",
      "-a",
      "a,b",
      "会議",
      "🎉",
      "é",
      "%",
      "_",
      "'"
    ]) {
      assert.isUndefined(patternDefect(one), one)
      assert.isTrue(matches(one, one), one)
      assert.isFalse(matches(one, `${one}x`), one)
    }
  })
})

describe("literal segments match exactly one path", () => {
  it("neither a prefix, a suffix nor a path below", () => {
    holds("a.md", "a.md | a.mdx xa.md a b/a.md a.md/b a_md aXmd")
    holds("a/b.md", "a/b.md | a a/b a/b.md/c b.md x/a/b.md a/x/b.md")
  })

  it("a dot is a dot, and regular expression signs mean nothing", () => {
    holds("a.b+c$", "a.b+c$ | axb+c$ a.bbc a.bc")
    holds("^a", "^a | a")
  })
})

describe("a star matches within one segment, nothing included", () => {
  it("alone it is any one segment", () => {
    holds("*", "a .hidden a.md | a/b")
    holds("*/b", "a/b .a/b | b a/c/b a/b/c")
    holds("a/*", "a/b a/.b | a a/b/c b/a")
    holds("*/*/*", "a/b/c | a/b a/b/c/d")
  })

  it("beside text it is any run of characters, none included", () => {
    holds("a*", "a ab a.md a* | ba a/b")
    holds("*a", "a ba .a | ab a/a")
    holds("a*b", "ab axb axxb abb | a b aba axb/c a/b")
    holds("*a*", "a xa ax xax | x x/a")
    holds("a*b*c", "abc aXbYc abbcc abcbc | ab ac acb")
    holds("*.md", "a.md .md .a.md | a.mdx a/b.md md")
  })

  it("does not cross a slash even where the pattern has more segments", () => {
    holds("a*/b", "a/b ax/b | a/x/b ax")
    holds("projects/*.md", "projects/a.md | projects/a/b.md projects.md")
  })
})

describe("a double star matches any number of segments, none included, at every position", () => {
  it("alone it matches every path", () => {
    holds("**", "a a/b a/b/c/d .a/.b a.md |")
    holds("**/**", "a a/b a/b/c |")
  })

  it("at the start", () => {
    holds("**/a", "a x/a x/y/a a/a .h/a | b ab x/ab a/b")
    holds("**/a/b", "a/b x/a/b x/y/a/b | a a/b/c b a/x/b")
  })

  it("in the middle", () => {
    holds("a/**/b", "a/b a/x/b a/x/y/b a/a/b/b a/.x/b | a b ab x/a/b a/b/c")
    holds("a/**/**/b", "a/b a/x/b a/x/y/z/b | a b a/b/x")
  })

  it("at the end, the directory's own name included", () => {
    holds("a/**", "a a/b a/b/c a/.b | b ab x/a ax/b")
    holds("a/**/**", "a a/b a/b/c | b x/a")
    holds("a/*/**", "a/b a/b/c | a b")
  })

  it("at both ends and between", () => {
    holds(
      "**/private/**",
      "private private/a x/private x/private/a x/y/private/a/b .private/private | privat privates/a a"
    )
    holds("**/a/**/b/**", "a/b x/a/b a/x/b a/b/x x/a/y/b/z | a b b/a ab")
    holds("**/*", "a a/b a/b/c |")
    holds("**/*.md", "a.md x/a.md x/y/.a.md | a x/a.mdx a.md/b")
    holds("*/**/*", "a/b a/b/c | a")
  })
})

describe("hidden names are matched like any other, so that a deny reaches them", () => {
  it("by stars and double stars", () => {
    holds("**/.git/**", ".git .git/config x/.git/y | git x/git")
    holds("*", ".env |")
    holds("a/**", "a/.x/.y |")
  })
})

describe("case and Unicode form do not tell names apart", () => {
  it("in the pattern or in the path", () => {
    holds("Private/**", "private/a PRIVATE/a pRiVaTe/A | privates/a")
    holds("private/**", "Private/a PRIVATE/X/Y |")
    holds("*.MD", "a.md A.Md |")
  })

  it("composed and decomposed accents are one, on both sides", () => {
    const composed = "caf\u00e9"
    const decomposed = "cafe\u0301"
    for (const pattern of [composed, decomposed, composed.toUpperCase(), decomposed.toUpperCase()]) {
      for (const path of [composed, decomposed, composed.toUpperCase(), decomposed.toUpperCase()]) {
        assert.isTrue(matches(`${pattern}/**`, `${path}/a`), JSON.stringify([pattern, path]))
      }
    }
    assert.isFalse(matches(composed, "cafe"))
  })

  it("folding twice is folding once", () => {
    for (const name of ["İ", "Å", "ﬃ", "ǅ", "ẞ", "Σ", "ΑΣ", "e\u0301\u0323", "각", "K"]) {
      assert.strictEqual(foldName(foldName(name)), foldName(name), name)
    }
  })

  it("the small sigmas are one, wherever they stand", () => {
    for (const name of ["ΛΟΓΟΣ", "λογος", "λογοσ"]) {
      for (const pattern of ["ΛΟΓΟΣ", "λογος", "λογοσ"]) assert.isTrue(matches(pattern, name), `${pattern} ${name}`)
    }
    assert.isTrue(matches("ΑΣ*", "ΑΣΑ"))
  })
})

const of = (pattern: string, view: (compiled: Pattern) => (directory: string) => boolean, directories: string) => {
  const [yes = "", no = ""] = directories.split("|")
  for (const one of yes.split(" ").filter(Boolean)) assert.isTrue(view(compile(pattern))(one), `${pattern}: ${one}`)
  for (const one of no.split(" ").filter(Boolean)) assert.isFalse(view(compile(pattern))(one), `${pattern}: not ${one}`)
}

describe("coversAllBelow and mayMatchBelow speak of what lies below a directory", () => {
  it("a directory is covered where the pattern's end swallows everything", () => {
    of("**", (_) => _.coversAllBelow, "a a/b |")
    of("a/**", (_) => _.coversAllBelow, "a a/b a/b/c | b ab x/a")
    of("**/private/**", (_) => _.coversAllBelow, "private x/private x/private/y | x privates")
    of("a/*/**", (_) => _.coversAllBelow, "a/b a/b/c | a b")
  })

  it("a directory is not covered by a pattern that names files", () => {
    of("a/*", (_) => _.coversAllBelow, "| a a/b")
    of("**/*.md", (_) => _.coversAllBelow, "| a a/b a.md")
    of("a", (_) => _.coversAllBelow, "| a a/b b")
  })

  it("a directory that cannot hold a match is ruled out", () => {
    of("a/b/c.md", (_) => _.mayMatchBelow, "a a/b | b a/c a/b/c x/a")
    of("a/*/c", (_) => _.mayMatchBelow, "a a/x | b a/x/y")
    of("projects/**", (_) => _.mayMatchBelow, "projects projects/x projects/x/y | project projectsx decisions")
    of("*.md", (_) => _.mayMatchBelow, "| a a/b")
  })

  it("a directory that may hold one is let in, at any depth below a double star", () => {
    of("**/x.md", (_) => _.mayMatchBelow, "a a/b a/b/c/d |")
    of("a/**/x.md", (_) => _.mayMatchBelow, "a a/b a/b/c | b")
    of("**", (_) => _.mayMatchBelow, "a a/b |")
  })
})

describe("no pattern that is accepted is slow on any path that is an id (case 38)", () => {
  const longest = Array(16).fill("a".repeat(31)).join("/")

  it.each([
    "**/a/**/a/**/a/**/b",
    "**/*a*/**/*a*/**/*a*/**/*b*",
    "*a".repeat(200) + "b",
    `${"*a".repeat(40)}*b*c`,
    `${"a*".repeat(100)}/${"*a".repeat(100)}b`,
    Array(16).fill("*a*a*b").join("/"),
    "*".repeat(1) + "a*".repeat(255),
    Array(12).fill("*").join("/") + "/**/**/**/**"
  ])("%s", (pattern) => {
    assert.isUndefined(patternDefect(pattern))
    costsLess(500, () => {
      const compiled = compile(pattern)
      for (const path of [longest, "a".repeat(512), `${"a".repeat(255)}b`, `${"a".repeat(255)}.md`]) {
        compiled.matches(path)
        compiled.coversAllBelow(path)
        compiled.mayMatchBelow(path)
      }
    })
  })

  it("512 patterns over 2,000 paths are decided in seconds", () => {
    const patterns = Array.from({ length: 512 }, (_, i) => compile(`**/x${i}*y/**/z*${i}.md`))
    costsLess(10_000, () => {
      for (let i = 0; i < 2_000; i++) patterns.some((pattern) => pattern.matches(`a/b/x${i}/c/d/z${i}.md`))
    })
  })

  it("the refused forms of that kind are refused at once, however long", () => {
    costsLess(500, () => {
      for (const one of ["{a,b}".repeat(20), "**/".repeat(50) + "a", "*".repeat(100_000), "{".repeat(100_000)]) {
        assert.isDefined(patternDefect(one))
      }
    })
  })
})
