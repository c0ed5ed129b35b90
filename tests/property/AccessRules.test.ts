/** Properties of the decision over all patterns of a policy. (seed 000 "Which files": deny always wins) */
import { assert, describe, it } from "@effect/vitest"
import * as AccessRules from "@memory-bridge/core/policy/AccessRules"
import { compile, foldName } from "@memory-bridge/core/policy/Pattern"
import { decided, type Dice, everyFewPath, fewPath, fewPattern, pathFrom, patternFor } from "./Generators.ts"
import { oracleMatches, oraclePermits } from "./PatternOracle.ts"

const lists = (dice: Dice) => ({
  allow: dice.times(0, 3, () => fewPattern(dice)),
  deny: dice.times(0, 3, () => fewPattern(dice)),
  more: fewPattern(dice),
  path: fewPath(dice)
})
const cases = decided(lists)
const runs = (seed: number, runs = 2_000) => ({ arbitrary: { runs, seed, size: 60 } })

const shown = (allow: ReadonlyArray<string>, deny: ReadonlyArray<string>): ReadonlySet<string> => {
  const { permits } = AccessRules.make(allow, deny)
  return new Set(everyFewPath.filter(permits))
}

describe("deny wins", () => {
  it.prop(
    "a path that any deny pattern matches is never permitted, whatever allows it",
    [cases],
    ([given]) => {
      const { allow, deny, path } = given
      const { decide, permits } = AccessRules.make([...allow, path, "**"], deny)
      const denied = deny.some((pattern) => oracleMatches(pattern, path))
      assert.strictEqual(decide(path).verdict, denied ? "denied" : "allowed")
      assert.strictEqual(permits(path), !denied)
    },
    runs(1)
  )

  it.prop(
    "a path that no allow pattern matches is never permitted",
    [cases],
    ([{ allow, deny, path }]) => {
      const named = allow.some((pattern) => oracleMatches(pattern, path))
      if (!named) assert.isFalse(AccessRules.make(allow, deny).permits(path))
    },
    runs(2)
  )

  it.prop(
    "the decision is the oracle's, over names of every kind",
    [
      decided((dice) => {
        const path = pathFrom(dice)
        return {
          path,
          allow: dice.times(0, 2, () => patternFor(path, dice)),
          deny: dice.times(0, 2, () => patternFor(pathFrom(dice), dice))
        }
      })
    ],
    ([{ allow, deny, path }]) => {
      assert.strictEqual(AccessRules.make(allow, deny).permits(path), oraclePermits(allow, deny, path))
    },
    runs(3, 4_000)
  )

  it.prop(
    "the pattern that is named is one of the list and matches",
    [cases],
    ([{ allow, deny, path }]) => {
      const decision = AccessRules.make(allow, deny).decide(path)
      if (decision.verdict === "no_allow") return
      assert.include(decision.verdict === "denied" ? deny : allow, decision.pattern)
      assert.isTrue(oracleMatches(decision.pattern, path))
    },
    runs(4)
  )
})

describe("rules are monotonic", () => {
  it.prop(
    "adding a deny never shows more",
    [cases],
    ([{ allow, deny, more }]) => {
      const before = shown(allow, deny)
      for (const path of shown(allow, [...deny, more])) assert.isTrue(before.has(path), path)
    },
    runs(5, 400)
  )

  it.prop(
    "adding an allow never shows anything that a deny covers, and hides nothing",
    [cases],
    ([given]) => {
      const { allow, deny, more } = given
      const after = shown([...allow, more], deny)
      for (const path of after)
        assert.isFalse(
          deny.some((pattern) => oracleMatches(pattern, path)),
          path
        )
      for (const path of shown(allow, deny)) assert.isTrue(after.has(path), path)
    },
    runs(6, 400)
  )

  it.prop(
    "removing all denies shows at least as much as before",
    [cases],
    ([{ allow, deny }]) => {
      const all = shown(allow, [])
      for (const path of shown(allow, deny)) assert.isTrue(all.has(path), path)
    },
    runs(7, 400)
  )
})

const upper = (patterns: ReadonlyArray<string>) => patterns.map((pattern) => pattern.toUpperCase())

describe("nothing but the sets of patterns matters", () => {
  it.prop(
    "neither their order nor repetition",
    [cases],
    ([{ allow, deny, path }]) => {
      const { verdict } = AccessRules.make(allow, deny).decide(path)
      const others = [
        AccessRules.make(allow.toReversed(), deny.toReversed()),
        AccessRules.make([...allow, ...allow], [...deny, ...deny]),
        AccessRules.make(allow.toSorted(), deny.toSorted())
      ]
      for (const other of others) assert.strictEqual(other.decide(path).verdict, verdict)
    },
    runs(8)
  )

  it.prop(
    "nor the case of patterns or path",
    [cases],
    ([{ allow, deny, path }]) => {
      const { verdict } = AccessRules.make(allow, deny).decide(path)
      assert.strictEqual(AccessRules.make(upper(allow), upper(deny)).decide(path).verdict, verdict)
      assert.strictEqual(AccessRules.make(allow, deny).decide(path.toUpperCase()).verdict, verdict)
    },
    runs(9)
  )

  it.prop(
    "nor what was asked before",
    [cases],
    ([{ allow, deny, path }]) => {
      const asked = AccessRules.make(allow, deny)
      everyFewPath.slice(0, 30).forEach((other) => [asked.permits(other), asked.mayEnter(other)])
      const fresh = AccessRules.make(allow, deny)
      assert.strictEqual(asked.permits(path), fresh.permits(path))
      assert.strictEqual(asked.mayEnter(path), fresh.mayEnter(path))
    },
    runs(10, 500)
  )
})

describe("a directory that is not entered hides nothing permitted", () => {
  it.prop(
    "no path below it is permitted",
    [cases],
    ([{ allow, deny, path }]) => {
      const { mayEnter, permits } = AccessRules.make(allow, deny)
      if (mayEnter(path)) return
      for (const below of everyFewPath) assert.isFalse(permits(`${path}/${below}`), below)
    },
    runs(11, 1_000)
  )

  it.prop(
    "and a directory that one deny covers is never entered",
    [cases],
    ([{ allow, deny, path }]) => {
      const covered = deny.some((pattern) => compile(pattern).coversAllBelow(foldName(path)))
      if (covered) assert.isFalse(AccessRules.make([...allow, "**"], deny).mayEnter(path))
    },
    runs(12)
  )
})
