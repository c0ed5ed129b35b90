/** The steps of a search that the tests of one step need from the others. */
import { assert } from "@effect/vitest"
import { countMatches, type Searchable, termsOf } from "@memory-bridge/core/notes/Query"
import { signatureOf } from "@memory-bridge/core/notes/Signature"
import { fold } from "@memory-bridge/core/notes/Text"
import { snippetOf } from "@memory-bridge/core/notes/Snippet"

/** A document as the content cache keeps it. */
export const known = (text: string): Searchable => ({ text, signature: signatureOf(fold(text)) })

/** How many distinct terms of the query a document contains; the same with and without its signature. */
export const count = (query: string, text: string, id = "a.md"): number => {
  const terms = termsOf(query)
  const plain = countMatches(terms, { text, signature: undefined }, id)
  assert.strictEqual(countMatches(terms, known(text), id), plain, "the signature changes the answer")
  return plain
}

export const snippet = (text: string, query: string, maxChars = 300): string =>
  snippetOf(text, termsOf(query), maxChars)
