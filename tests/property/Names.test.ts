/**
 * Properties of `names: unicode`: a deny reaches every spelling of a name, and an allow never reaches more than it does in
 * version 1. (design.md section 7; cases/notes.md 35; issue 8 "deny folds both ways, allow never widens")
 */
import { assert, describe, it } from "@effect/vitest"
import * as AccessRules from "@memory-bridge/core/policy/AccessRules"
import { foldName, foldWidely } from "@memory-bridge/core/policy/Pattern"
import { servedBy } from "@memory-bridge/core/tree/ServedName"
import { decided, type Dice, patternFor } from "./Generators.ts"
import { oracleDeniesWidely, oracleMatches } from "./PatternOracle.ts"

const letters = [
  "a",
  "s",
  "ss",
  "S",
  "\u00df",
  "\u1e9e",
  "\u017f",
  "k",
  "\u212a",
  "\u00e9",
  "e\u0301",
  "\u00c9",
  "\u03c3",
  "\u03c2",
  "\u03a3",
  "i",
  "I",
  "\u0130",
  "\u0131",
  "\ufb01",
  "fi",
  " ",
  "\u00a0",
  "\u3000",
  "\u8336",
  "\uac00",
  "\u1100\u1161",
  "\u{1f389}",
  "\u01c5",
  "\u01c6"
]

const pathFrom = ({ pick, times }: Dice): string =>
  times(1, 3, () => times(1, 3, () => pick(letters)).join("")).join("/")

const spelled = (text: string, { pick }: Dice): string =>
  pick([
    text,
    text.toUpperCase(),
    text.toLowerCase(),
    text.normalize("NFD"),
    text.normalize("NFC"),
    text.toUpperCase().normalize("NFD"),
    text.toUpperCase().toLowerCase()
  ])

const cases = decided((dice) => {
  const path = pathFrom(dice)
  return {
    path,
    other: spelled(path, dice),
    allow: dice.times(0, 2, () => patternFor(spelled(path, dice), dice)),
    deny: dice.times(0, 2, () => patternFor(spelled(dice.chance(70) ? path : pathFrom(dice), dice), dice))
  }
})
const runs = (seed: number, count = 3_000) => ({ arbitrary: { runs: count, seed, size: 60 } })

describe("deny folds both ways", () => {
  const counts = { denied: 0, wide: 0 }

  it.prop(
    "the decision is the oracle's",
    [cases],
    ([{ allow, deny, path }]) => {
      const denied = deny.some((pattern) => oracleDeniesWidely(pattern, path))
      const allowed = allow.some((pattern) => oracleMatches(pattern, path))
      if (denied) counts.denied++
      if (denied && !deny.some((pattern) => oracleMatches(pattern, path))) counts.wide++
      assert.strictEqual(AccessRules.make(allow, deny, "unicode").permits(path), allowed && !denied)
    },
    runs(81, 6_000)
  )

  it("and often enough only by folding widely", () => {
    process.stdout.write(`wide denies: ${counts.denied} denied, ${counts.wide} by wide folding alone\n`)
    assert.isAbove(counts.denied, 1_000)
    assert.isAbove(counts.wide, 50)
  })

  it.prop(
    "a path by its own text denies it in every spelling, and each spelling denies the path",
    [cases],
    ([{ other, path }]) => {
      assert.isFalse(AccessRules.make(["**"], [path], "unicode").permits(other))
      assert.isFalse(AccessRules.make(["**"], [other], "unicode").permits(path))
    },
    runs(82)
  )

  it.prop(
    "what is denied among portable names is denied among all",
    [cases],
    ([{ allow, deny, path }]) => {
      const before = AccessRules.make([...allow, "**"], deny)
      const after = AccessRules.make([...allow, "**"], deny, "unicode")
      if (!before.permits(path)) assert.isFalse(after.permits(path))
    },
    runs(83)
  )

  it.prop(
    "a directory that is not entered holds nothing permitted",
    [cases],
    ([{ allow, deny, path }]) => {
      const { mayEnter, permits } = AccessRules.make(allow, deny, "unicode")
      const parent = path.split("/").slice(0, -1).join("/")
      if (parent !== "" && permits(path)) assert.isTrue(mayEnter(parent))
    },
    runs(84)
  )
})

describe("allow never widens", () => {
  it.prop(
    "nothing is permitted that the same rules would not permit among portable names",
    [cases],
    ([{ allow, deny, path }]) => {
      if (AccessRules.make(allow, deny, "unicode").permits(path)) {
        assert.isTrue(AccessRules.make(allow, deny).permits(path))
      }
    },
    runs(85)
  )

  it("an allow for one of two that only a wide fold takes for one is not an allow for the other", () => {
    for (const [one, other] of [
      ["stra\u00dfe", "strasse"],
      ["\u017fecret", "secret"],
      ["\ufb01n", "fin"],
      ["a\u00a0b", "a b"]
    ] as const) {
      assert.isFalse(AccessRules.make([one], [], "unicode").permits(other))
      assert.isFalse(AccessRules.make([other], [], "unicode").permits(one))
    }
  })

  it("twins by case or Unicode form are permitted or denied together", () => {
    for (const [one, other] of [
      ["caf\u00e9", "cafe\u0301"],
      ["A", "a"],
      ["\u039f\u03a3", "\u03bf\u03c2"]
    ] as const) {
      for (const [allow, deny] of [
        [[one], []],
        [["**"], [one]]
      ] as const) {
        const { permits } = AccessRules.make(allow, deny, "unicode")
        assert.strictEqual(permits(one), permits(other))
      }
    }
  })
})

describe("the fold of every character", () => {
  it("takes all its cases and forms for one, is made once, and brings no sign of a pattern", () => {
    for (let point = 0; point < 0x110000; point++) {
      const character = String.fromCodePoint(point)
      // No name that is served holds one of these, and they have neither case nor form.
      if (/[\p{Cn}\p{Co}\p{Cs}]/u.test(character)) continue
      for (const text of [character, `a${character}b`]) {
        const folded = foldWidely(text)
        const others = [text.toUpperCase(), text.toLowerCase(), text.normalize("NFD"), foldName(text), folded]
        if (others.some((other) => foldWidely(other) !== folded)) assert.fail(point.toString(16))
      }
      if (point > 0x7f && /[*/.?[\]{}()!|\\]/u.test(foldWidely(character))) assert.fail(point.toString(16))
    }
  })

  it("leaves letters that merely look alike apart: no fold can tell a homoglyph", () => {
    for (const [one, other] of [
      ["secret", "\u0455ecret"],
      ["a", "\u0430"],
      ["o", "\u03bf"],
      ["l", "1"]
    ] as const) {
      assert.notStrictEqual(foldWidely(one), foldWidely(other))
      assert.isTrue(AccessRules.make(["**"], [one], "unicode").permits(other))
    }
  })
})

describe("what is served", () => {
  it("holds no character of these kinds, alone or in a name", () => {
    const never = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}:\\/]/u
    for (let point = 0; point < 0x110000; point++) {
      const character = String.fromCodePoint(point)
      if (never.test(character)) {
        for (const name of [character, `a${character}b.md`]) if (servedBy.unicode(name)) assert.fail(point.toString(16))
      } else if (/[\p{L}\p{N}]/u.test(character) && !/\p{Default_Ignorable_Code_Point}/u.test(character)) {
        if (!servedBy.unicode(`a${character}b.md`)) assert.fail(point.toString(16))
      }
    }
  })

  it("is a name of at most 255 bytes", () => {
    for (const character of ["a", "\u00e9", "\u8336", "\u{20bb7}"]) {
      const most = Math.floor(255 / Buffer.byteLength(character))
      assert.isTrue(servedBy.unicode(character.repeat(most)))
      assert.isFalse(servedBy.unicode(character.repeat(most + 1)))
    }
    assert.isFalse(servedBy.unicode(""))
  })
})
