/** Seed 000 "Scan limits count policy-matching candidates", "Every byte read is charged". */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ScanBudget from "@memory-bridge/core/budget/ScanBudget"

const budget = (bytes: number, candidates: number, rawEntries = 100) =>
  ScanBudget.make({ rawEntries, bytes }, candidates)

describe("the ceilings are the seed's", () => {
  it.effect("50,000 raw entries and 16 MiB", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ScanBudget.ScanCeilings, { rawEntries: 50_000, bytes: 16_777_216 })
    })
  )
})

describe("candidates", () => {
  it("exactly as many are admitted as there may be", () => {
    const given = budget(1, 3)
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5].map(() => given.admitCandidate()),
      [true, true, true, false, false]
    )
  })

  it("none is admitted where there may be none", () => {
    assert.isFalse(budget(1, 0).admitCandidate())
  })
})

describe("bytes are checked before each file, so only the last one overshoots", () => {
  it("one byte left admits a file of any size, none left admits no further one", () => {
    const given = budget(10, 100)
    given.chargeBytes(9)
    assert.isTrue(given.admitCandidate())
    given.chargeBytes(1_000_000)
    assert.isFalse(given.admitCandidate())
  })

  it("a budget used up exactly admits no further file", () => {
    const given = budget(10, 100)
    given.chargeBytes(10)
    assert.isFalse(given.admitCandidate())
  })

  it("a refused candidate is not counted, and refusing stays", () => {
    const given = budget(0, 100)
    assert.deepStrictEqual([given.admitCandidate(), given.admitCandidate()], [false, false])
  })

  it("files that cost nothing use up no bytes", () => {
    const given = budget(1, 3)
    given.chargeBytes(0)
    assert.isTrue(given.admitCandidate())
  })
})

describe("raw entries", () => {
  it("what is charged is no longer left, and can end exactly at none", () => {
    const given = budget(1, 1, 10)
    given.chargeRaw(4)
    assert.strictEqual(given.rawLeft(), 6)
    given.chargeRaw(6)
    assert.strictEqual(given.rawLeft(), 0)
  })

  it("they have no influence on candidates, nor candidates on them", () => {
    const given = budget(1, 1, 10)
    given.chargeRaw(10)
    assert.isTrue(given.admitCandidate())
    assert.strictEqual(given.rawLeft(), 0)
  })

  it("two searches have two accounts", () => {
    budget(1, 1, 10).chargeRaw(10)
    assert.strictEqual(budget(1, 1, 10).rawLeft(), 10)
  })
})
