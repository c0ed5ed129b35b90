/**
 * What a query asks for, word by word, each with the forms in which a note may have it. (design.md section 8 "Version 2")
 *
 * Every word that version 1 would look for is looked for here too, if only as a substring, so a note that version 1
 * finds is found; how well a form stands for the word decides where.
 */
import { bitsOf } from "./Signature.ts"
import { type Chunk, chunksOf, foldWords, keyOf, segmentWords, type TokenKind } from "./Words.ts"

/** Tokens of which a note must have one of each group, and how well that stands for the word. */
export interface Form {
  readonly groups: ReadonlyArray<ReadonlyArray<number>>
  readonly strength: number
}

export interface Wanted {
  /** Folded; what a snippet should show, and the substring to look for where no form is found. */
  readonly text: string
  /** What shows the word where `text` itself does not stand. */
  readonly pieces: ReadonlyArray<string>
  /** Best first. */
  readonly forms: ReadonlyArray<Form>
  readonly unspaced: boolean
  /** Whether it was written as a tag, `#word`: then the tags of a note count most. */
  readonly tagged: boolean
  /** Signature bits of the substring. */
  readonly bits: ReadonlyArray<number>
}

/**
 * 1 is the word itself. `spelling`: without the `v` of a version or without hyphens. `hyphen`: the words that hyphens
 * join. `gram`: its pairs of characters. `part`: a part of an identifier. `pieces`: all parts of it, anywhere.
 */
const strengths = { word: 1, spelling: 0.9, gram: 0.8, hyphen: 0.75, part: 0.6, pieces: 0.5 } as const

const one = (kind: TokenKind, text: string, strength: number): Form => ({ groups: [[keyOf(kind, text)]], strength })
const all = (kinds: ReadonlyArray<TokenKind>, texts: ReadonlyArray<string>, strength: number): Form => ({
  groups: texts.map((text) => kinds.map((kind) => keyOf(kind, text))),
  strength
})

const hiragana = /^\p{Script=Hiragana}$/u

const pairsOf = (word: string): ReadonlyArray<string> => {
  const characters = Array.from(word)
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

/** The words of a run of unspaced writing. One hiragana alone between others is grammar. */
const unspacedWants = ({ text }: Chunk, tagged: boolean): ReadonlyArray<Wanted> => {
  const words = Array.from(text).length <= 2 ? [text] : segmentWords(text)
  const telling = words.filter((word) => !hiragana.test(word))
  return (telling.length > 0 ? telling : words).map((word) => ({
    text: word,
    pieces: [],
    forms: [one("word", word, strengths.word), all(["gram"], pairsOf(word), strengths.gram)],
    unspaced: true,
    tagged,
    bits: bitsOf(word)
  }))
}

const spacedWant = ({ pieces, text, tokens }: Chunk, tagged: boolean): Wanted => {
  const hyphenated = text.split("-").filter((word) => word !== "")
  const spellings = tokens.filter(
    (token) => token.kind === "word" && token.text !== text && !hyphenated.includes(token.text)
  )
  return {
    text,
    pieces: [...spellings.map((token) => token.text), ...pieces],
    forms: [
      one("word", text, strengths.word),
      ...spellings.map((token) => one("word", token.text, strengths.spelling)),
      ...(hyphenated.length > 1 ? [all(["word"], hyphenated, strengths.hyphen)] : []),
      one("part", text, strengths.part),
      ...(pieces.length > 1 ? [all(["word", "part"], pieces, strengths.pieces)] : [])
    ],
    unspaced: false,
    tagged,
    bits: bitsOf(text)
  }
}

/** What is nothing but signs is a substring to look for, as in version 1. */
const signs = (text: string): Wanted => ({
  text,
  pieces: [],
  forms: [],
  unspaced: false,
  tagged: false,
  bits: bitsOf(text)
})

/** The distinct words of a query, in its order; never none for a query that is not blank. */
export const wantedOf = (query: string): ReadonlyArray<Wanted> => {
  const wants = new Map<string, Wanted>()
  for (const word of query.split(/\s+/u)) {
    if (word === "") continue
    const chunks = chunksOf(word)
    const tagged = word.startsWith("#")
    const found = chunks.flatMap((chunk) =>
      chunk.unspaced ? unspacedWants(chunk, tagged) : [spacedWant(chunk, tagged)]
    )
    for (const want of found.length > 0 ? found : [signs(foldWords(word))]) {
      if (want.text !== "" && !wants.has(want.text)) wants.set(want.text, want)
    }
  }
  return [...wants.values()]
}
