/**
 * How often a token stands in each kept index, by row, for the tokens that searches asked for lately. (design.md section 8)
 *
 * One question after another has words in common. What was looked up in an index for one of them is found again here, in
 * one piece of memory for all notes.
 */

import { keepNewest } from "../budget/Oldest.ts"

/** Packed counts (see NoteIndex.ts) by row; `unknown`, or nothing, where they are to be looked up. */
export interface Column {
  counts: Uint16Array
}

/** Also the counts of a token that fills every field, which is looked up each time. */
export const unknown = 0xffff

export interface Counts {
  readonly of: (key: number) => Column
  /** Another note has the row now. */
  readonly forget: (row: number) => void
}

/** Tokens, of all searches; two bytes a row each. */
export const mostColumns = 64

/** Puts down what was looked up in the index that has the row. */
export const learn = (column: Column, row: number, counts: number): void => {
  if (row >= column.counts.length) {
    const more = new Uint16Array(Math.ceil(row * 1.5) + 256).fill(unknown)
    more.set(column.counts)
    column.counts = more
  }
  column.counts[row] = counts
}

export const make = (): Counts => {
  const columns = new Map<number, Column>()
  return {
    of: (key) => {
      const column = columns.get(key) ?? { counts: new Uint16Array(0) }
      columns.delete(key)
      columns.set(key, column)
      keepNewest(columns, mostColumns)
      return column
    },
    forget: (row) => {
      for (const { counts } of columns.values()) if (row < counts.length) counts[row] = unknown
    }
  }
}
