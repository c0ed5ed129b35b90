/**
 * Which of many notes may hold what a word needs? One bit for each note and property, laid out by property. (design.md
 * section 8 "incremental in-memory index")
 *
 * A search asks for the notes that have all of a few properties: some words of memory for each property, not a look at each
 * note. Rows come in blocks of 512, so that a block lies in the processor's cache as it is filled, and more rows need no
 * other place. A bit says "may": what a search answers is always looked up in the note's own index or text.
 */

/** Rows of a block, and the words that a property takes in it. */
const blockRows = 512
const blockWords = blockRows / 32

/** One bit a row; rows beyond its end have none. */
export type RowBits = Uint32Array

export interface BitTable {
  /** Gives a row these properties, numbered from 0, and no others. */
  readonly set: (row: number, properties: Iterable<number>) => void
  /** Rows that have all of the properties. */
  readonly having: (properties: ReadonlyArray<number>) => RowBits
}

export const hasRow = (bits: RowBits, row: number): boolean => ((bits[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0

/** Adds the rows of another to the first, which has as many words. */
export const join = (into: RowBits, other: RowBits): void => {
  for (let at = 0; at < into.length; at++) into[at]! |= other[at]!
}

/** Leaves the rows that another has too. */
export const meet = (into: RowBits, other: RowBits): void => {
  for (let at = 0; at < into.length; at++) into[at]! &= other[at]!
}

export const make = (properties: number): BitTable => {
  const blocks: Array<Uint32Array> = []
  /** One past the highest row that was ever set: rows from there on need no clearing. */
  let end = 0

  return {
    set: (row, given) => {
      const number = Math.floor(row / blockRows)
      while (blocks.length <= number) blocks.push(new Uint32Array(properties * blockWords))
      const block = blocks[number]!
      const word = (row % blockRows) >>> 5
      const bit = 1 << (row & 31)
      if (row < end) for (let at = word; at < block.length; at += blockWords) block[at]! &= ~bit
      else end = row + 1
      for (const property of given) block[property * blockWords + word]! |= bit
    },
    having: (wanted) => {
      const found = new Uint32Array(blocks.length * blockWords)
      for (const [number, block] of blocks.entries()) {
        for (let word = 0; word < blockWords; word++) {
          let bits = 0xffffffff
          for (const property of wanted) bits &= block[property * blockWords + word]!
          found[number * blockWords + word] = bits
        }
      }
      return found
    }
  }
}
