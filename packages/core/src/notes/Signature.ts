/**
 * A small summary of a text that tells which terms it cannot contain, so that a repeated search need not look through
 * every text again.
 *
 * One bit for each three consecutive UTF-16 units of the folded text, by a hash. A term whose bits are not all set is
 * not in the text; one whose bits are set may be. In a text of 6 KB about a quarter of the 2,048 bits is set, so few texts
 * pass by chance, and the scan of a repeated search touches 256 bytes of a note instead of all of it.
 */

export type Signature = Uint32Array

/** Bits of a signature. */
export const signatureBits = 2048
const window = 3

/** Adds a unit to a hash of the last three: each step moves the older ones up by four bits, the fourth falls out. */
const roll = (hash: number, unit: number): number => ((hash << 4) ^ unit) & (signatureBits - 1)

/** Calls back with the bit of every three consecutive units. */
const signatureOver = (folded: string, each: (bit: number) => void): void => {
  let hash = 0
  const { length } = folded
  for (let index = 0; index < length; index++) {
    hash = roll(hash, folded.charCodeAt(index))
    if (index >= window - 1) each(hash)
  }
}

/** The bits that a text with this term has set; none for a term that is too short to tell. Folded text only. */
export const bitsOf = (folded: string): ReadonlyArray<number> => {
  const wanted: Array<number> = []
  signatureOver(folded, (bit) => wanted.push(bit))
  return wanted
}

export const signatureOf = (folded: string): Signature => {
  const signature = new Uint32Array(signatureBits / 32)
  signatureOver(folded, (bit) => {
    signature[bit >>> 5]! |= 1 << (bit & 31)
  })
  return signature
}

/** The bits that are set, by number. */
export const setBits = (signature: Signature): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (const [at, word] of signature.entries()) {
    for (let rest = word; rest !== 0; rest &= rest - 1) found.push(at * 32 + 31 - Math.clz32(rest & -rest))
  }
  return found
}

/** False only if the text cannot contain a term with these bits. */
export const mayContain = (signature: Signature, wanted: ReadonlyArray<number>): boolean => {
  for (const bit of wanted) {
    if ((signature[bit >>> 5]! & (1 << (bit & 31))) === 0) return false
  }
  return true
}
