/** design.md section 8: what was counted for a token by row, until another note has the row. */
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@memory-bridge/core/notes/Counts"

describe("counts by token and row", () => {
  it("are what was learnt, nothing elsewhere", () => {
    const counts = Counts.make()
    for (const row of [0, 3, 5_000]) Counts.learn(counts.of(1), row, row + 1)
    assert.deepStrictEqual(
      [0, 3, 5_000].map((row) => counts.of(1).counts[row]),
      [1, 4, 5_001]
    )
    for (const row of [1, 4_999, 5_001, 100_000])
      assert.include([Counts.unknown, undefined], counts.of(1).counts[row], `${row}`)
    assert.isUndefined(counts.of(2).counts[0])
  })

  it("a token that a note does not have is known as such", () => {
    const counts = Counts.make()
    Counts.learn(counts.of(1), 7, 0)
    assert.strictEqual(counts.of(1).counts[7], 0)
  })

  it("are forgotten for a row that another note takes, for every token", () => {
    const counts = Counts.make()
    for (const key of [1, 2]) for (const row of [3, 4]) Counts.learn(counts.of(key), row, 9)
    counts.forget(3)
    counts.forget(1_000_000)
    assert.deepStrictEqual(
      [1, 2].map((key) => [counts.of(key).counts[3], counts.of(key).counts[4]]),
      [
        [Counts.unknown, 9],
        [Counts.unknown, 9]
      ]
    )
  })

  it("are kept of the tokens that were asked for last", () => {
    const counts = Counts.make()
    for (let key = 0; key < Counts.mostColumns; key++) Counts.learn(counts.of(key), 0, 9)
    counts.of(0)
    counts.of(1_000)
    assert.strictEqual(counts.of(0).counts[0], 9)
    assert.isUndefined(counts.of(1).counts[0])
  })
})
