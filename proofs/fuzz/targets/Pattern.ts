/** Patterns: a line for the pattern, a line for the path. Refused or matched as the second matcher says. */
import { compile, foldName, patternDefect } from "@memory-bridge/core/policy/Pattern"
import { parse } from "@memory-bridge/core/tree/DocumentId"
import { oracleMatches } from "../../../tests/property/PatternOracle.ts"
import { strictlyValid } from "../../../tests/property/StrictPolicy.ts"
import { holds, partsOf, type Target } from "../Target.ts"

/** The second matcher knows one sigma; which one is lower case depends on where it stands. */
const oneSigma = (text: string): string => text.replaceAll(/[\u03a3\u03c2]/gu, "\u03c3")

/** It tries every split of every `**`, so it is asked about paths of usual length. */
const longestAsked = 200

export const pattern: Target = {
  name: "pattern",
  input: "text",
  json: false,
  words: [
    "**",
    "*",
    "/",
    "**/",
    "/**",
    "*/",
    "a",
    "ab",
    "A",
    ".",
    "..",
    ".a",
    "\n",
    "\u00e9",
    "E\u0301",
    "\u03a3",
    "?",
    "[a]",
    "{a,b}",
    "!(a)",
    "+(a)",
    "\\",
    "#",
    "!"
  ],
  seeds: [
    "**\na/b.md",
    "a/**\na",
    "a/**/b\na/x/y/b",
    "*.md\na.md",
    "A*/\u00c9*\na1/e\u0301x",
    "**/secret/**\nx/secret/y.md",
    "a*b*c\naxbxc",
    "**/a/**/b/**\nq/a/b/w",
    "\u03a3*\n\u03c3\u03c2",
    "!a\n!a",
    "#a\n#a"
  ],
  make: (random) => {
    const name = () => random.list(2, () => random.pick(["a", "b", "A", ".", "\u00e9", "e\u0301"])).join("") || "a"
    const segments = Array.from({ length: 1 + random.int(4) }, name)
    const near = segments.flatMap((segment) =>
      random.pick([[segment], [segment], ["*"], ["**"], ["**", segment], [`*${segment.slice(1)}`], [`${segment}*`], []])
    )
    return `${near.join("/")}\n${segments.join("/")}`
  },
  check: (input) => {
    const [text = "", path = ""] = partsOf(input, 2)
    const defect = patternDefect(text)
    const valid = strictlyValid(JSON.stringify({ version: 1, root: "/a", allow: [text] }))
    holds("refused exactly if the second reading refuses it", (defect === undefined) === valid, String(defect))
    if (defect !== undefined || typeof parse(path) === "object") return
    const { coversAllBelow, matches, mayMatchBelow } = compile(text)
    const folded = foldName(path)
    if (path.length <= longestAsked) {
      const expected = oracleMatches(oneSigma(text), oneSigma(path))
      holds("matches exactly if the second matcher says so", matches(folded) === expected, `should be ${expected}`)
    }
    const names = folded.split("/")
    for (let depth = 1; depth < names.length; depth++) {
      const above = names.slice(0, depth).join("/")
      holds("what matches is below what may hold a match", !matches(folded) || mayMatchBelow(above), above)
      holds("below what is covered everything matches", !coversAllBelow(above) || matches(folded), above)
    }
  }
}
