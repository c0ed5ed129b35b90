/**
 * What a search asks of each kept note before all else, by row, so that it need not look at the note itself.
 * (design.md section 8)
 *
 * A row belongs to one note until it is given back, and in a later turn to another. Whoever remembers a row holds the stamp
 * in it against what the system tells: a row that is free has the stamp of nothing, one that has another note has another.
 */
import type { Facts } from "../tree/Facts.ts"
import { noStamp, stampWords, writeStamp } from "../tree/Stamp.ts"
import { textFields } from "./NoteIndex.ts"

export interface Rows {
  /** `stampWords` each. */
  stamps: Int32Array
  /** 0 where the row is free, else what it holds. */
  holds: Uint8Array
  /** The turn that took it, and the last that asked for it. */
  since: Int32Array
  used: Int32Array
  /** The judgement that it last passed, 0 for none. */
  passed: Int32Array
  /** The words of each field of an index, one after the other. */
  lengths: Uint32Array
  readonly take: (facts: Facts, holds: number, turn: number) => number
  readonly give: (row: number) => void
}

const grown = <A extends Int32Array | Uint32Array | Uint8Array>(more: A, before: A): A => {
  more.set(before)
  return more
}

export const make = (): Rows => {
  const free: Array<number> = []
  /** Given back in this turn: whoever took note of a row may still look at it. */
  const given: Array<number> = []
  let now = 0
  let taken = 0

  const grow = (capacity: number) => {
    rows.stamps = grown(new Int32Array(capacity * stampWords), rows.stamps)
    rows.holds = grown(new Uint8Array(capacity), rows.holds)
    rows.since = grown(new Int32Array(capacity), rows.since)
    rows.used = grown(new Int32Array(capacity), rows.used)
    rows.passed = grown(new Int32Array(capacity), rows.passed)
    rows.lengths = grown(new Uint32Array(capacity * textFields.length), rows.lengths)
  }

  const rows: Rows = {
    stamps: new Int32Array(0),
    holds: new Uint8Array(0),
    since: new Int32Array(0),
    used: new Int32Array(0),
    passed: new Int32Array(0),
    lengths: new Uint32Array(0),
    take: (facts, holds, turn) => {
      if (turn !== now) {
        now = turn
        for (const row of given.splice(0)) free.push(row)
      }
      const row = free.pop() ?? taken++
      if (row >= rows.holds.length) grow(Math.max(256, Math.ceil(row * 1.5)))
      writeStamp(facts, rows.stamps, row * stampWords)
      rows.holds[row] = holds
      rows.since[row] = rows.used[row] = turn
      rows.passed[row] = 0
      return row
    },
    give: (row) => {
      rows.stamps.set(noStamp, row * stampWords)
      rows.holds[row] = 0
      given.push(row)
    }
  }
  return rows
}
