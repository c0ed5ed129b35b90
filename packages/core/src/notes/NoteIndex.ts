/**
 * What ranking knows of one note: how often each token stands in which of its fields, without the tokens themselves.
 * (design.md section 8 "Version 2")
 *
 * Made from the text alone, so that one that was kept and one made anew are the same. A token is a number of 48 bits; two
 * tokens of 600 in a note share one by chance once in 10^11 look-ups, and then a note is found that need not be. The
 * numbers lie sorted in one array: 8 bytes and 2 of counts for each distinct token, 5 to 6 KB for a note of 6 KB.
 */
import { type Outline, outlineOf } from "./Outline.ts"
import { type Signature, signatureOf } from "./Signature.ts"
import { eachChunk, foldWords, wordRow } from "./Words.ts"

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

export type Lengths = Readonly<Record<TextField, number>>

export interface NoteIndex {
  readonly title: string | undefined
  /** Title and aliases as rows of words, for a query that is one of them. */
  readonly names: ReadonlyArray<string>
  /** Words per field. */
  readonly lengths: Lengths
  /** Front matter values that no field holds; looked through, not counted. */
  readonly others: string
  readonly bodyAt: number
  /** Of what `looseText` gives. */
  readonly signature: Signature
  readonly keys: Float64Array
  readonly counts: Uint16Array
}

/** Bytes that an index takes, about. */
export const bytesOf = ({ keys, names, others }: NoteIndex): number =>
  keys.length * 10 + 512 + (others.length + names.join().length) * 2

const inlineTag = /(?<![^\s])#([\p{L}\p{N}_/-]*\p{L}[\p{L}\p{N}_/-]*)/gu

/** The text that a substring is looked for in: folded, with the values of the front matter but not its keys. */
export const looseText = (text: string, { bodyAt, others }: Pick<NoteIndex, "bodyAt" | "others">): string =>
  foldWords(bodyAt === 0 ? text : `${others}\n${text.slice(bodyAt)}`)

export const indexOf = (text: string): NoteIndex => {
  const outline = outlineOf(text)
  const { front, title } = outline
  const met = occurrences()
  const lengths = { title: 0, tags: 0, headings: 0, body: 0 }
  const count = (field: TextField, words: string) => {
    const number = textFields.indexOf(field)
    eachChunk(words, ({ tokens, unspaced }) => {
      lengths[field] += unspaced ? Math.ceil(tokens.length / 5) : 1
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
    names: [title ?? "", ...aliases].map(wordRow).filter((name) => name !== ""),
    lengths,
    ...rest,
    ...packedTogether(signatureOf(looseText(text, rest)), met.counted())
  }
}

/** The three arrays in one piece of memory: each of its own would cost as much again for a small note. */
const packedTogether = (
  signature: Signature,
  { counts, keys }: Pick<NoteIndex, "keys" | "counts">
): Pick<NoteIndex, "keys" | "counts" | "signature"> => {
  const memory = new ArrayBuffer(keys.byteLength + signature.byteLength + counts.byteLength)
  const together = {
    keys: new Float64Array(memory, 0, keys.length),
    signature: new Uint32Array(memory, keys.byteLength, signature.length),
    counts: new Uint16Array(memory, keys.byteLength + signature.byteLength, counts.length)
  }
  together.keys.set(keys)
  together.signature.set(signature)
  together.counts.set(counts)
  return together
}

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
    counted: (): Pick<NoteIndex, "keys" | "counts"> => {
      const sorted = numbers.subarray(0, length)
      // oxlint-disable-next-line unicorn/no-array-sort -- in its place: a copy for each note is what this list avoids
      sorted.sort()
      let distinct = 0
      for (let at = 0; at < length; at++) {
        if (at === 0 || Math.floor(sorted[at]! / 4) !== Math.floor(sorted[at - 1]! / 4)) distinct++
      }
      const keys = new Float64Array(distinct)
      const counts = new Uint16Array(distinct)
      let last = -1
      for (let at = 0; at < length; at++) {
        const number = sorted[at]!
        const key = Math.floor(number / 4)
        if (last < 0 || keys[last] !== key) keys[++last] = key
        const { most, shift } = packed[number - key * 4]!
        if (((counts[last]! >>> shift) & most) < most) counts[last]! += 1 << shift
      }
      return { keys, counts }
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
export const countsOf = ({ counts, keys }: NoteIndex, key: number): number => {
  let low = 0
  let high = keys.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = keys[middle]!
    if (found === key) return counts[middle]!
    if (found < key) low = middle + 1
    else high = middle - 1
  }
  return 0
}

export const countIn = (packed: number, field: TextField): number =>
  (packed >>> packing[field].shift) & packing[field].most
