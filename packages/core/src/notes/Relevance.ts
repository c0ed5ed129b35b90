/**
 * Search by relevance: looks at every permitted note, ranks, cuts to the limits and says what was left out.
 * (design.md section 8 "Version 2")
 *
 * Names are decided in the survey, before anything is opened, so nothing that is denied gets here.
 */
import { textById, type Searched } from "./Confirm.ts"
import type { Indexed } from "./ContentCache.ts"
import type { SearchResult, TruncatedBy } from "./Notes.ts"
import { indexOf } from "./NoteIndex.ts"
import { passageOf } from "./Passage.ts"
import * as Ranking from "./Ranking.ts"
import type { SearchRequest } from "./Request.ts"
import { type DocumentId, fileNameOf } from "../tree/DocumentId.ts"
import type { Named } from "./Listings.ts"
import { type ScanFailure, survey, type SurveyInput } from "./Scan.ts"
import { cut, lengthOf } from "./Text.ts"
import { maxTitleChars } from "./Title.ts"
import { wantedOf } from "./Wanted.ts"

/** Texts by ids, each read once in a call, from a descriptor that the call opened and judged. */
const texts = (input: SurveyInput) => {
  const known = new Map<DocumentId, string | undefined>()
  let missing = false
  const of = (id: DocumentId, { facts }: Indexed): string | undefined => {
    if (!known.has(id)) known.set(id, textById(input, id, facts))
    const text = known.get(id)
    missing ||= text === undefined
    return text
  }
  return { of, add: (id: DocumentId, text: string | undefined) => known.set(id, text), anyMissing: () => missing }
}

export const searchByRelevance = (input: SurveyInput, { limit, query }: SearchRequest): Searched | ScanFailure => {
  const { cache, limits, now } = input
  const wants = wantedOf(query)
  const kept = cache.indexes(now)
  const ranking = Ranking.make<Indexed, Named>(query, wants, cache, kept.at)
  const reading = texts(input)
  const surveyed = survey<Indexed>(input, {
    kept,
    add: (note, text) => cache.keepIndex(note, indexOf(text), text, now),
    look: (entry, note, text) => {
      const matches = ranking.look(entry, note, kept.rowBefore(note.row), text)
      // Made again because notes were changing, the search shows what it has seen, whatever they are by the end.
      if (matches && input.opening === "all") reading.add(entry.id, text())
    },
    again: (entry, row, textOf) => {
      const before = kept.rowBefore(row)
      if (before < 0) ranking.look(entry, kept.at(row), before, () => textOf(entry))
      else ranking.again(entry, before, textOf)
    }
  })
  if (typeof surveyed === "string") return surveyed

  const atMost = Math.min(limit ?? limits.default_results, limits.max_results)
  const { found, notes, worths } = ranking.order(reading.of, atMost)
  const weighed = wants.map((want, which) => ({ want, worth: worths[which] ?? 0 }))
  const room = { snippetChars: limits.snippet_chars, readChars: limits.read_chars }
  const results: Array<SearchResult> = []
  let chars = 0
  let gone = 0
  for (const { id, note } of notes) {
    const text = reading.of(id, note)
    if (text === undefined) {
      gone++
      continue
    }
    const title = note.index.title ?? fileTitle(id)
    const { line, snippet } = passageOf(text, note.index.bodyAt, weighed, room)
    chars += lengthOf(id) + lengthOf(title) + lengthOf(snippet)
    if (chars > limits.total_chars) break
    results.push({ id, title, snippet, line })
  }
  const by = leftOut(surveyed, found - gone, results.length, atMost - gone)
  return {
    answer: by.length === 0 ? { results, truncated: false } : { results, truncated: true, truncated_by: by },
    stands: surveyed.steady && !reading.anyMissing()
  }
}

/** A note without a title has its file's name for one. */
const fileTitle = (id: string): string => cut(fileNameOf(id).replace(/\.md$/u, ""), maxTitleChars)

/** Each limit that left something out. All of them speak of permitted notes and of names that are permitted. */
const leftOut = (
  { deeper, full }: { readonly deeper: boolean; readonly full: boolean },
  found: number,
  shown: number,
  atMost: number
): ReadonlyArray<TruncatedBy> => [
  ...(full ? ["scan" as const] : []),
  ...(deeper ? ["depth" as const] : []),
  ...(shown < Math.min(found, atMost) ? ["answer_size" as const] : []),
  ...(found > atMost ? ["results" as const] : [])
]
