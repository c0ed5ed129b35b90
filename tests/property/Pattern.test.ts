/** Properties of matching one pattern. (seed 000 "Policy", design.md section 7) */
import { assert, describe, it } from "@effect/vitest"
import { compile, foldName, patternDefect } from "@memory-bridge/core/policy/Pattern"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { decided, everyFewPath, fewPath, fewPattern, pathFrom, patternFor } from "./Generators.ts"
import { oracleMatches } from "./PatternOracle.ts"

const pairs = decided((dice) => {
  const path = pathFrom(dice)
  return { path, pattern: dice.chance(20) ? patternFor(pathFrom(dice), dice) : patternFor(path, dice) }
})

describe("the matcher", () => {
  it.effect("agrees with an independent oracle on 100,000 pairs of pattern and path, of which about half match", () =>
    Effect.gen(function* () {
      let matched = 0
      const seen = new Set<string>()
      for (const { path, pattern } of yield* Arbitrary.sampleEffect(pairs, { count: 100_000, seed: 38, size: 60 })) {
        assert.isUndefined(patternDefect(pattern), pattern)
        const expected = oracleMatches(pattern, path)
        if (compile(pattern).matches(foldName(path)) !== expected) {
          assert.fail(`${JSON.stringify(pattern)} on ${JSON.stringify(path)}: should be ${expected}`)
        }
        if (expected) matched++
        seen.add(`${pattern}\n${path}`)
      }
      const share = `${matched} of 100,000 match, ${seen.size} are different`
      process.stdout.write(`pattern oracle: ${share}\n`)
      assert.isTrue(matched > 35_000 && matched < 65_000, share)
      assert.isAbove(seen.size, 60_000)
    })
  )

  it.effect("agrees with it on every path of a small world, for 2,000 patterns", () =>
    Effect.gen(function* () {
      const patterns = yield* Arbitrary.sampleEffect(decided(fewPattern), { count: 2_000, seed: 39, size: 60 })
      for (const pattern of new Set(patterns)) {
        const { matches } = compile(pattern)
        for (const path of everyFewPath) {
          if (matches(path) !== oracleMatches(pattern, path)) assert.fail(`${pattern} on ${path}`)
        }
      }
    })
  )

  it.prop(
    "does not tell cases and Unicode forms apart",
    [pairs],
    ([{ path, pattern }]) => {
      const expected = compile(pattern).matches(foldName(path))
      for (const other of [pattern.toUpperCase(), pattern.toLowerCase(), pattern.normalize("NFD")]) {
        assert.strictEqual(compile(other).matches(foldName(path)), expected)
      }
      for (const other of [path.toUpperCase(), path.toLowerCase(), path.normalize("NFD")]) {
        assert.strictEqual(compile(pattern).matches(foldName(other)), expected)
      }
    },
    { arbitrary: { runs: 3_000, seed: 40, size: 60 } }
  )

  it.prop(
    "matches every path by its own text",
    [decided(pathFrom)],
    ([path]) => {
      assert.isTrue(compile(path).matches(foldName(path)))
    },
    { arbitrary: { runs: 3_000, seed: 41, size: 60 } }
  )
})

const below = (directory: string) => everyFewPath.map((path) => `${directory}/${path}`)

describe("what is said of a directory is never wrong in the forbidden direction", () => {
  const cases = decided((dice) => ({ directory: fewPath(dice).toLowerCase(), pattern: fewPattern(dice) }))
  const counts = { covered: 0, ruledOut: 0, all: 0 }

  it.prop(
    "coversAllBelow: every path below a covered directory matches",
    [cases],
    ([{ directory, pattern }]) => {
      const { coversAllBelow, matches } = compile(pattern)
      counts.all++
      if (!coversAllBelow(directory)) return
      counts.covered++
      for (const path of below(directory)) assert.isTrue(oracleMatches(pattern, path) && matches(path), path)
    },
    { arbitrary: { runs: 3_000, seed: 42, size: 60 } }
  )

  it.prop(
    "mayMatchBelow: no path below a directory that is ruled out matches",
    [cases],
    ([{ directory, pattern }]) => {
      const { matches, mayMatchBelow } = compile(pattern)
      if (mayMatchBelow(directory)) return
      counts.ruledOut++
      for (const path of below(directory)) assert.isFalse(oracleMatches(pattern, path) || matches(path), path)
    },
    { arbitrary: { runs: 2_000, seed: 43, size: 60 } }
  )

  it("and both answers are given often enough to mean something", () => {
    assert.isAbove(counts.covered, 200)
    assert.isAbove(counts.ruledOut, 200)
    assert.isBelow(counts.covered, counts.all)
  })
})
