/** Search terms: split on white space, case- and form-folded, each a substring to find. (design.md section 8) */
import { fold } from "./Text.ts"

/** Distinct folded terms, never empty, none of them empty. */
export type Terms = ReadonlyArray<string>

export const termsOf = (query: string): Terms => [
  ...new Set(
    fold(query)
      .split(/\s+/u)
      .filter((term) => term !== "")
  )
]

/** How many of the terms the folded text or the folded id contains. */
export const countMatches = (terms: Terms, foldedText: string, foldedId: string): number => {
  let count = 0
  for (const term of terms) {
    if (foldedText.includes(term) || foldedId.includes(term)) count++
  }
  return count
}
