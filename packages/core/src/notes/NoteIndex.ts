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
import { eachChunk, foldWords, type Token, wordRow } from "./Words.ts"

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

const kindSeeds = { word: 1, part: 2, gram: 3 } as const

/** The number of a token. Two multiplicative hashes over its units, the kind being the first. */
export const keyOf = ({ kind, text }: Token): number => {
  let one = 0x811c9dc5 ^ kindSeeds[kind]
  let two = 0x9e3779b9 + kindSeeds[kind]
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    one = Math.imul(one ^ unit, 0x01000193)
    two = Math.imul(two ^ (two >>> 15) ^ unit, 0x85ebca6b)
  }
  one ^= one >>> 16
  two ^= two >>> 13
  return (Math.imul(one, 0xc2b2ae35) >>> 0) * 0x10000 + ((two ^ (two >>> 16)) & 0xffff)
}

// A token object belongs to a remembered chunk and is met again as the same object.
const keys = new WeakMap<Token, number>()
const rememberedKey = (token: Token): number => {
  const before = keys.get(token)
  if (before !== undefined) return before
  const key = keyOf(token)
  keys.set(token, key)
  return key
}

const inlineTag = /(?<![^\s])#([\p{L}\p{N}_/-]*\p{L}[\p{L}\p{N}_/-]*)/gu

/** The text that a substring is looked for in: folded, with the values of the front matter but not its keys. */
export const looseText = (text: string, { bodyAt, others }: Pick<NoteIndex, "bodyAt" | "others">): string =>
  foldWords(bodyAt === 0 ? text : `${others}\n${text.slice(bodyAt)}`)

export const indexOf = (text: string): NoteIndex => {
  const outline = outlineOf(text)
  const { front, title } = outline
  const counted = new Map<number, number>()
  const lengths = { title: 0, tags: 0, headings: 0, body: 0 }
  const count = (field: TextField, words: string) => {
    const { most, shift } = packing[field]
    eachChunk(words, ({ tokens, unspaced }) => {
      lengths[field] += unspaced ? Math.ceil(tokens.length / 5) : 1
      for (const token of tokens) {
        const key = rememberedKey(token)
        const before = counted.get(key) ?? 0
        if (((before >>> shift) & most) < most) counted.set(key, before + (1 << shift))
      }
    })
  }
  const aliases = front?.aliases ?? []
  for (const name of [title ?? "", ...aliases]) count("title", name)
  for (const tag of front?.tags ?? []) count("tags", tag)
  countLines(outline, count)

  const keys = Float64Array.from(counted.keys()).toSorted()
  const counts = Uint16Array.from(keys, (key) => counted.get(key) ?? 0)
  const others = [title ?? "", ...aliases, ...(front?.tags ?? []), ...(front?.others ?? [])].join("\n")
  const rest = { others: front === undefined ? "" : others, bodyAt: front?.bodyAt ?? 0 }
  return {
    title,
    names: [title ?? "", ...aliases].map(wordRow).filter((name) => name !== ""),
    lengths,
    ...rest,
    signature: signatureOf(looseText(text, rest)),
    keys,
    counts
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
