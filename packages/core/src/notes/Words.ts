/**
 * The words of a text, for ranking: what counts as one word, and in which other forms it can be found.
 * (design.md section 8 "Version 2", cases/notes.md 61, 62)
 *
 * A version, an identifier or a hyphenated word is one word as a whole. Its pieces are found too: those between hyphens
 * as words, since that is what they are, those of an identifier as parts, which count less. Where words stand without
 * spaces, `Intl.Segmenter` divides them; its choice depends on what stands around, so single characters and pairs are
 * kept beside its words. Nothing is stemmed: what a text does not say is not invented.
 */

import { isAscii } from "./Text.ts"

/**
 * How a token stands for the text: a word as it is, a part of one, or one or two characters of unspaced writing. `name`: the
 * row of words of a title or alias.
 */
export type TokenKind = "word" | "part" | "gram" | "name"

export interface Token {
  readonly text: string
  readonly kind: TokenKind
  /** What stands for it in an index. */
  readonly key: number
}

const kindSeeds = { word: 1, part: 2, gram: 3, name: 4 } as const

/** A token as a number of 48 bits: two multiplicative hashes over its units, the kind being the first. */
export const keyOf = (kind: TokenKind, text: string): number => {
  let one = 0x811c9dc5 ^ kindSeeds[kind]
  let two = 0x9e3779b9 + kindSeeds[kind]
  const { length } = text
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index)
    one = Math.imul(one ^ unit, 0x01000193)
    two = Math.imul(two ^ (two >>> 15) ^ unit, 0x85ebca6b)
  }
  one ^= one >>> 16
  two ^= two >>> 13
  return (Math.imul(one, 0xc2b2ae35) >>> 0) * 0x10000 + ((two ^ (two >>> 16)) & 0xffff)
}

const token = (kind: TokenKind, text: string): Token => ({ text, kind, key: keyOf(kind, text) })

/** A stretch of text that is one word to its reader, or a run of unspaced writing, folded. */
export interface Chunk {
  readonly text: string
  readonly unspaced: boolean
  /** Never empty; the first is the whole where it is not unspaced. */
  readonly tokens: ReadonlyArray<Token>
  /** The smallest pieces of a word that has several, folded. */
  readonly pieces: ReadonlyArray<string>
}

/**
 * Folds case, Unicode form and width: full-width and ligatures to plain letters, `ß` to `ss`, `ſ` to `s`. Folds more than
 * version 1 does, so that whatever was one spelling there is one here.
 */
export const foldWords = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").replaceAll("ß", "ss").normalize("NFKC")

// Scripts that are written without spaces, or with words that take endings without one.
const unspacedClass =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}" +
  "\\p{Script=Khmer}\\p{Script=Myanmar}ー々〆"
const spacedClass = `[[\\p{L}\\p{N}\\p{M}]--[${unspacedClass}]]`

const asciiChunk = /[A-Za-z0-9]+(?:[._-]{1,2}[A-Za-z0-9]+)*(?:\+\+|#)?/g
const anyChunk = new RegExp(`[${unspacedClass}]+|${spacedClass}+(?:[._\\-]{1,2}${spacedClass}+)*(?:\\+\\+|#)?`, "gv")
const unspacedStart = new RegExp(`^[${unspacedClass}]`, "v")
const camelBoundary = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const versionPrefix = /^v(?=\d)/iu

const segmenter = new Intl.Segmenter("und", { granularity: "word" })

/** The words of a run of unspaced writing. */
export const segmentWords = (run: string): ReadonlyArray<string> =>
  Array.from(segmenter.segment(run), ({ segment }) => segment)

const unspacedTokens = (run: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = segmentWords(run).map((text) => token("word", text))
  const characters = Array.from(run)
  for (const [index, character] of characters.entries()) {
    tokens.push(token("gram", character))
    const next = characters[index + 1]
    if (next !== undefined) tokens.push(token("gram", character + next))
  }
  return tokens
}

const spacedTokens = (chunk: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  const seen = new Set<string>()
  const add = (written: string, kind: TokenKind) => {
    const text = foldWords(written)
    if (text === "" || seen.has(text)) return
    seen.add(text)
    tokens.push(token(kind, text))
  }
  add(chunk, "word")
  const plain = chunk.replace(versionPrefix, "")
  if (plain !== chunk) add(plain, "word")
  if (chunk.includes("-")) {
    for (const piece of chunk.split("-")) add(piece, "word")
    add(chunk.replaceAll("-", ""), "word")
  }
  for (const piece of `${chunk}.${plain === chunk ? "" : plain}`.split(/[._-]/u)) {
    add(piece, "part")
    const humps = piece.split(camelBoundary)
    if (humps.length > 1) for (const hump of humps) add(hump, "part")
  }
  return tokens
}

const piecesOf = (chunk: string): ReadonlyArray<string> => {
  const pieces = chunk.split(/[._-]+/u).flatMap((piece) => piece.split(camelBoundary))
  return pieces.length > 1 ? [...new Set(pieces.map(foldWords))] : []
}

/** Distinct chunks that are remembered with their tokens: the same words come again and again. */
const rememberedChunks = 5_000
/** UTF-16 units. A longer piece of a text may hold on to all of the text. */
const rememberedLength = 12
const known = new Map<string, Chunk>()

const chunkOf = (written: string): Chunk => {
  const before = known.get(written)
  if (before !== undefined) return before
  const unspaced = unspacedStart.test(written)
  const text = foldWords(written)
  const chunk: Chunk = unspaced
    ? { text, unspaced, tokens: unspacedTokens(text), pieces: [] }
    : { text, unspaced, tokens: spacedTokens(written), pieces: piecesOf(written) }
  if (written.length <= rememberedLength) {
    if (known.size >= rememberedChunks) known.clear()
    known.set(written, chunk)
  }
  return chunk
}

/** Calls back with every chunk of a text, in order. */
export const eachChunk = (text: string, each: (chunk: Chunk) => void): void => {
  const found = isAscii(text) ? text.match(asciiChunk) : text.normalize("NFKC").match(anyChunk)
  for (const written of found ?? []) each(chunkOf(written))
}

export const chunksOf = (text: string): ReadonlyArray<Chunk> => {
  const chunks: Array<Chunk> = []
  eachChunk(text, (chunk) => chunks.push(chunk))
  return chunks
}

/** A name or title as the row of its words, to compare it with a whole query: `engineering-log` is `engineering log`. */
export const wordRow = (text: string): string =>
  foldWords(text)
    .replace(/[^\p{L}\p{N}\p{M}+#]+/gu, " ")
    .trim()
