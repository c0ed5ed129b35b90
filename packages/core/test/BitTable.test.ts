/** design.md section 8: which rows have all of some properties, whatever was in them before. */
import { assert, describe, it } from "@effect/vitest"
import * as BitTable from "@memory-bridge/core/notes/BitTable"
import * as Effect from "effect/Effect"
import { decided } from "../../../tests/property/Generators.ts"

const properties = 12

const rowsOf = (bits: BitTable.RowBits, rows: ReadonlyArray<number>) => rows.filter((row) => BitTable.hasRow(bits, row))

describe("rows by their properties", () => {
  it.effect.prop(
    "are those of a plain map",
    [
      decided(({ below, pick, times }) => ({
        sets: times(
          1,
          60,
          () => [pick([0, 1, 31, 32, 33, 511, 512, 513, 1500]), times(0, 5, () => below(properties))] as const
        ),
        wanted: times(0, 3, () => below(properties))
      }))
    ],
    ([{ sets, wanted }]) =>
      Effect.sync(() => {
        const table = BitTable.make(properties)
        const plain = new Map<number, ReadonlyArray<number>>()
        for (const [row, given] of sets) {
          table.set(row, given)
          plain.set(row, given)
        }
        const rows = [...plain.keys()]
        const expected = rows.filter((row) => wanted.every((property) => plain.get(row)!.includes(property)))
        assert.deepStrictEqual(rowsOf(table.having(wanted), rows), expected)
      }),
    { arbitrary: { runs: 400, seed: 92, size: 40 } }
  )

  it("a row that was never set has no property, and rows beyond the table are in no set", () => {
    const table = BitTable.make(properties)
    table.set(3, [1])
    assert.deepStrictEqual(rowsOf(table.having([1]), [0, 1, 2, 3, 4, 511, 512, 100_000]), [3])
    assert.isFalse(BitTable.hasRow(BitTable.make(properties).having([1]), 0))
  })

  it("what was asked for stays as it was when it was asked for", () => {
    const table = BitTable.make(properties)
    table.set(3, [1])
    const before = table.having([1])
    table.set(3, [2])
    assert.isTrue(BitTable.hasRow(before, 3))
    assert.isFalse(BitTable.hasRow(table.having([1]), 3))
  })

  it("sets are joined and met", () => {
    const table = BitTable.make(properties)
    table.set(1, [1])
    table.set(2, [2])
    table.set(600, [1, 2])
    const either = table.having([1])
    BitTable.join(either, table.having([2]))
    assert.deepStrictEqual(rowsOf(either, [1, 2, 600]), [1, 2, 600])
    const both = table.having([1])
    BitTable.meet(both, table.having([2]))
    assert.deepStrictEqual(rowsOf(both, [1, 2, 600]), [600])
  })
})
