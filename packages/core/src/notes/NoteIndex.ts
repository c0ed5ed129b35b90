/**
 * What ranking knows of one note: how often each token stands in which of its fields, without the tokens themselves.
 * (design.md section 8 "Version 2")
 *
 * Made from the text alone, so that one that was kept and one made anew are the same. A token is a number of 48 bits; two
 * tokens of 600 in a note share one by chance once in 10^11 look-ups, and then a note is found that need not be. The
 * numbers lie sorted in one array: 8 bytes with its counts for each distinct token, 4 to 5 KB for a note of 6 KB.
 */
import { type Outline, outlineOf } from "./Outline.ts"
import { signatureBits, signatureOf, setBits } from "./Signature.ts"
import { apart } from "./Text.ts"
import { eachChunk, foldWords, keyOf, wordRow } from "./Words.ts"

/** The fields of the text. The file name is the fifth, but belongs to the path and not to the text. */
export const textFields = ["title", "tags", "headings", "body"] as const
export type TextField = (typeof textFields)[number]

/** Per field: how far up in the 16 bits its count stands, and the highest count. */
const packing: Readonly<Record<TextField, { readonly shift: number; readonly most: number }>> = {
  body: { shift: 0, most: 127 },
  headings: { shift: 7, most: 15 },
  title: { shift: 11, most: 7 },
  tags: { shift: 14, most: 3 }
}

export interface NoteIndex {
  readonly title: string | undefined
  /** Title and aliases as rows of words, for a query that is one of them. */
  readonly names: ReadonlyArray<string>
  /** Front matter values that no field holds; looked through, not counted. */
  readonly others: string
  readonly bodyAt: number
  /**
   * All in one piece of memory: the tokens, ascending, each with the upper 32 bits of its key and then the lower 16 above its
   * counts; behind them the words of each field.
   */
  readonly numbers: Uint32Array
}

/** Where in the numbers the words of the fields stand, in the order of `textFields`. */
export const lengthsAt = ({ numbers }: Pick<NoteIndex, "numbers">): number => numbers.length - textFields.length

/** Bytes that an index takes, about. */
export const bytesOf = ({ names, numbers, others }: NoteIndex): number =>
  numbers.byteLength + 512 + (others.length + names.join().length) * 2

const inlineTag = /(?<![^\s])#([\p{L}\p{N}_/-]*\p{L}[\p{L}\p{N}_/-]*)/gu

/** The text that a substring is looked for in: folded, with the values of the front matter but not its keys. */
export const looseText = (text: string, { bodyAt, others }: Pick<NoteIndex, "bodyAt" | "others">): string =>
  foldWords(bodyAt === 0 ? text : `${others}\n${text.slice(bodyAt)}`)

export const indexOf = (text: string): NoteIndex => {
  const outline = outlineOf(text)
  const { front, title } = outline
  const met = occurrences()
  const lengths = textFields.map(() => 0)
  const count = (field: TextField, words: string) => {
    const number = textFields.indexOf(field)
    eachChunk(words, ({ tokens, unspaced }) => {
      lengths[number]! += unspaced ? Math.ceil(tokens.length / 5) : 1
      for (let at = 0; at < tokens.length; at++) met.add(tokens[at]!.key, number)
    })
  }
  const aliases = front?.aliases ?? []
  for (const name of [title ?? "", ...aliases]) count("title", name)
  for (const tag of front?.tags ?? []) count("tags", tag)
  countLines(outline, count)

  const others = [title ?? "", ...aliases, ...(front?.tags ?? []), ...(front?.others ?? [])].join("\n")
  const rest = { others: front === undefined ? "" : others, bodyAt: front?.bodyAt ?? 0 }
  return {
    title,
    names: [title ?? "", ...aliases].map((name) => apart(wordRow(name))).filter((name) => name !== ""),
    ...rest,
    numbers: met.counted(lengths)
  }
}

/** Of a table of which words a note may have: two for each token and for each name. */
export const wordProperties = 2048

/** The upper bits of both hashes that a key is made of. */
const propertiesOf = (upper: number, lower: number): readonly [number, number] => [upper >>> 21, lower >>> 5]

export const propertiesOfKey = (key: number): readonly [number, number] =>
  propertiesOf(Math.floor(key / 0x10000), key % 0x10000)

/** What a note has of them. */
export const wordsOf = (index: NoteIndex): ReadonlyArray<number> => {
  const { names, numbers } = index
  const found = names.flatMap((name) => propertiesOfKey(keyOf("name", name)))
  const count = lengthsAt(index) / 2
  for (let at = 0; at < count; at++) {
    const [one, two] = propertiesOf(numbers[at * 2]!, numbers[at * 2 + 1]! >>> 16)
    found.push(one, two)
  }
  return found
}

/** Of a table of which substrings a note may have, see Signature.ts. */
export const letterProperties = signatureBits

/** What a note has of them. */
export const lettersOf = (text: string, index: Pick<NoteIndex, "bodyAt" | "others">): ReadonlyArray<number> =>
  setBits(signatureOf(looseText(text, index)))

const packed = textFields.map((field) => packing[field])

/**
 * Tokens as they are met, each with the number of its field, of which there are four, so that sorting counts them. One
 * list serves all notes, one after the other: what a note leaves behind would be more than what is kept of it.
 */
let numbers = new Float64Array(4096)

const occurrences = () => {
  let length = 0
  return {
    add: (key: number, field: number) => {
      if (length === numbers.length) {
        const more = new Float64Array(length * 2)
        more.set(numbers)
        numbers = more
      }
      numbers[length++] = key * 4 + field
    },
    counted: (lengths: ReadonlyArray<number>): Uint32Array => {
      const sorted = numbers.subarray(0, length)
      // oxlint-disable-next-line unicorn/no-array-sort -- in its place: a copy for each note is what this list avoids
      sorted.sort()
      let distinct = 0
      for (let at = 0; at < length; at++) {
        if (at === 0 || Math.floor(sorted[at]! / 4) !== Math.floor(sorted[at - 1]! / 4)) distinct++
      }
      const tokens = new Uint32Array(distinct * 2 + lengths.length)
      tokens.set(lengths, distinct * 2)
      let last = -1
      let before = -1
      for (let at = 0; at < length; at++) {
        const number = sorted[at]!
        const key = Math.floor(number / 4)
        if (key !== before) {
          last += 2
          tokens[last - 1] = Math.floor(key / 0x10000)
          tokens[last] = (key % 0x10000) * 0x10000
          before = key
        }
        const { most, shift } = packed[number - key * 4]!
        if (((tokens[last]! >>> shift) & most) < most) tokens[last]! += 1 << shift
      }
      return tokens
    }
  }
}

const countLines = ({ lines }: Outline, count: (field: TextField, words: string) => void): void => {
  const body: Array<string> = []
  for (const { kind, text } of lines) {
    if (kind === "heading") count("headings", text)
    else if (kind === "prose" || kind === "code") body.push(text)
    if ((kind === "prose" || kind === "heading") && text.includes("#"))
      for (const [, tag] of text.matchAll(inlineTag)) count("tags", tag ?? "")
  }
  count("body", body.join("\n"))
}

/** The packed counts of a token, 0 if the note does not hold it. */
export const countsOf = (index: NoteIndex, key: number): number => {
  const { numbers } = index
  const count = lengthsAt(index) / 2
  const upper = Math.floor(key / 0x10000)
  const lower = key - upper * 0x10000
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle * 2]! < upper) low = middle + 1
    else high = middle
  }
  for (; low < count && numbers[low * 2] === upper; low++) {
    const rest = numbers[low * 2 + 1]!
    if (rest >>> 16 === lower) return rest & 0xffff
  }
  return 0
}

/** The count in a field, by its place in `textFields`. */
export const countIn = (counts: number, field: number): number => {
  const { most, shift } = packed[field]!
  return (counts >>> shift) & most
}
