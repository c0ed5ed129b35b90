/** design.md section 8: a row is one note's until it is given back, and tells nothing of it from then on. */
import { assert, describe, it } from "@effect/vitest"
import * as Rows from "@memory-bridge/core/notes/Rows"
import { isStamped, stampWords } from "@memory-bridge/core/tree/Stamp"
import { file } from "./given/Facts.ts"

const note = (inode: number) => file({ inode: BigInt(inode) })

describe("rows", () => {
  it("are all kept as the tables grow", () => {
    const rows = Rows.make()
    const taken = Array.from({ length: 3_000 }, (_, at) => rows.take(note(at), 1 + (at % 7), at))
    assert.strictEqual(new Set(taken).size, taken.length)
    for (const [at, row] of taken.entries()) {
      assert.isTrue(isStamped(note(at), rows.stamps, row * stampWords), `${at}`)
      assert.deepStrictEqual(
        [rows.holds[row], rows.since[row], rows.used[row], rows.passed[row]],
        [1 + (at % 7), at, at, 0]
      )
    }
  })

  it("that are given back are taken again only in a later turn", () => {
    const rows = Rows.make()
    const row = rows.take(note(1), 1, 1)
    rows.give(row)
    assert.notStrictEqual(rows.take(note(2), 1, 1), row)
    assert.strictEqual(rows.take(note(3), 1, 2), row)
  })

  it("that are given back tell of nothing, and are taken again before new ones", () => {
    const rows = Rows.make()
    const [first, second] = [rows.take(note(1), 1, 1), rows.take(note(2), 1, 1)]
    rows.passed[first] = 5
    rows.give(first)
    assert.isFalse(isStamped(note(1), rows.stamps, first * stampWords))
    assert.strictEqual(rows.holds[first], 0)
    assert.strictEqual(rows.take(note(3), 2, 4), first)
    assert.isTrue(isStamped(note(3), rows.stamps, first * stampWords))
    assert.deepStrictEqual([rows.holds[first], rows.since[first], rows.passed[first]], [2, 4, 0])
    assert.isTrue(isStamped(note(2), rows.stamps, second * stampWords))
  })
})
