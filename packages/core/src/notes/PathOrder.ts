/**
 * Search as version 1 has it: notes that hold the most of the terms, then the order of their ids. (design.md section 8
 * "Version 1")
 */
import type { DocumentId } from "../tree/DocumentId.ts"
import { openById, type Searched } from "./Confirm.ts"
import type { Texted } from "./ContentCache.ts"
import type { SearchResult } from "./Notes.ts"
import { countMatches, type Term, termsOf } from "./Query.ts"
import type { SearchRequest } from "./Request.ts"
import { type ScanFailure, survey, type Surveyed, type SurveyInput } from "./Scan.ts"
import { snippetOf } from "./Snippet.ts"
import { lengthOf } from "./Text.ts"
import { titleOf } from "./Title.ts"

export interface Match {
  readonly id: DocumentId
  readonly text: string
  /** Whether it was opened in the same call. */
  readonly opened: boolean
  /** Distinct terms that the document contains; at least one. */
  readonly terms: number
}

export interface ScanResult extends Surveyed {
  /** In scan order. */
  readonly matches: ReadonlyArray<Match>
}

/** Notes that contain a term. */
export const scan = (input: SurveyInput, terms: ReadonlyArray<Term>): ScanResult | ScanFailure => {
  const { cache, now } = input
  const kept = cache.texts(now)
  const matches: Array<Match> = []
  const count = (id: DocumentId, known: Texted, opened: boolean) => {
    const found = countMatches(terms, known, id)
    if (found > 0) matches.push({ id, text: known.text, terms: found, opened })
  }
  const surveyed = survey<Texted>(input, {
    kept,
    add: (note, text) => cache.keepText(note, text, now),
    look: ({ id }, known) => count(id, known, true),
    again: ({ id }, row) => count(id, kept.at(row), false)
  })
  return typeof surveyed === "string" ? surveyed : { ...surveyed, matches }
}

/** Ranks, cuts to the limits and describes what is left. */
export const searchInPathOrder = (input: SurveyInput, { limit, query }: SearchRequest): Searched | ScanFailure => {
  const { limits } = input
  const terms = termsOf(query)
  const found = scan(input, terms)
  if (typeof found === "string") return found
  // The sort is stable: equal counts stay in path order.
  const ranked = found.matches.toSorted((one, other) => other.terms - one.terms)
  const atMost = Math.min(limit ?? limits.default_results, limits.max_results)
  const results: Array<SearchResult> = []
  let chars = 0
  for (const { id, text } of ranked.slice(0, atMost)) {
    const title = titleOf(text)
    const snippet = snippetOf(text, terms, limits.snippet_chars)
    chars += lengthOf(id) + lengthOf(title ?? "") + lengthOf(snippet)
    if (chars > limits.total_chars) break
    results.push(title === undefined ? { id, snippet } : { id, title, snippet })
  }
  return {
    answer: { results, truncated: found.truncated || results.length < ranked.length },
    stands: ranked.slice(0, atMost).every((match) => match.opened || isStill(input, match))
  }
}

/** Whether a note passes and holds the text that it was found for. */
const isStill = (input: SurveyInput, { id, text }: Match): boolean => {
  const note = openById(input, id)
  if (typeof note === "string") return false
  input.walk.close(note.handle)
  return input.cache.texts(input.now).find(note.facts)?.text === text
}
