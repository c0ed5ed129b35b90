/** Queries: accepted ones have terms, and a signature never hides what is there. */
import { countMatches, termsOf } from "@memory-bridge/core/notes/Query"
import { maxQueryChars, searchRequest } from "@memory-bridge/core/notes/Request"
import { signatureOf } from "@memory-bridge/core/notes/Signature"
import { fold, lengthOf } from "@memory-bridge/core/notes/Text"
import * as Result from "effect/Result"
import { holds, same, type Target } from "../Target.ts"

export const query: Target = {
  name: "query",
  input: "text",
  json: false,
  words: [
    "\u0130",
    "\u00df",
    "\u1e9e",
    "\u03a3",
    "\u03c2",
    "e\u0301",
    "\u0345",
    "\ufb03",
    "\u1100\u1161\u11a8",
    "\ud55c",
    "\u8336",
    "\ud83d\udc4d\ud83c\udffd",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "\u200b",
    " ",
    "\t",
    "x".repeat(256)
  ],
  seeds: [
    "garden",
    "blue asters",
    "\u8336 \u8336\u9053",
    "\u03a3\u03a3 \u03c3\u03c2",
    "STRASSE stra\u00dfe",
    "e\u0301 \u00e9",
    "I\u0307 i\u0307"
  ],
  check: (text) => {
    const result = searchRequest({ query: text })
    const terms = termsOf(text)
    holds("terms are distinct", new Set(terms.map((term) => term.text)).size === terms.length)
    for (const term of terms) {
      holds("a term is folded and holds no white space", fold(term.text) === term.text && !/\s/u.test(term.text))
    }
    const document = `before ${text}\u0301 after`
    const signature = signatureOf(fold(document))
    same(
      "a signature changes no count",
      countMatches(terms, { text: document, signature }, "a.md"),
      countMatches(terms, { text: document, signature: undefined }, "a.md")
    )
    if (Result.isFailure(result)) {
      holds("a hint never repeats the query", text.length < 12 || !result.failure.hint.includes(text))
      return
    }
    holds("an accepted query has a term", terms.length > 0)
    holds("an accepted query is short, clean text", lengthOf(text) <= maxQueryChars && !/\p{Cc}|\p{Cs}/u.test(text))
    same(
      "a text holds all terms of itself",
      countMatches(terms, { text, signature: signatureOf(fold(text)) }, ""),
      terms.length
    )
  }
}
