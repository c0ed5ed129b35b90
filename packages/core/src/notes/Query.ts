/** Search terms: split on white space, case- and form-folded, each a substring to find. (design.md section 8) */
import { bitsOf, mayContain, type Signature } from "./Signature.ts"
import { fold } from "./Text.ts"

/** A distinct folded term, never empty, with the signature bits of every text that contains it. */
export interface Term {
  readonly text: string
  readonly bits: ReadonlyArray<number>
}

export const termsOf = (query: string): ReadonlyArray<Term> =>
  [...new Set(fold(query).split(/\s+/u))].filter((text) => text !== "").map((text) => ({ text, bits: bitsOf(text) }))

/** A document's text, with the signature of its folded form where that has been worked out. */
export interface Searchable {
  readonly text: string
  readonly signature: Signature | undefined
}

/** How many of the terms the text or the id contains. */
export const countMatches = (terms: ReadonlyArray<Term>, document: Searchable, id: string): number => {
  const foldedId = fold(id)
  let foldedText: string | undefined
  let count = 0
  for (const { bits, text } of terms) {
    if (foldedId.includes(text)) count++
    else if (document.signature === undefined || mayContain(document.signature, bits)) {
      foldedText ??= fold(document.text)
      if (foldedText.includes(text)) count++
    }
  }
  return count
}
