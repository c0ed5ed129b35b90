/**
 * Search by relevance: looks at every permitted note, ranks, cuts to the limits and says what was left out.
 * (design.md section 8 "Version 2")
 *
 * Names are decided in the survey, before anything is opened, so nothing that is denied gets here.
 */
import type { Searched } from "./Confirm.ts"
import type { ContentCache, Known } from "./ContentCache.ts"
import type { SearchResult, TruncatedBy } from "./Notes.ts"
import { indexOf, type NoteIndex } from "./NoteIndex.ts"
import { passageOf } from "./Passage.ts"
import * as Ranking from "./Ranking.ts"
import type { SearchRequest } from "./Request.ts"
import { fileNameOf } from "../tree/DocumentId.ts"
import { type ScanFailure, survey, type SurveyInput } from "./Scan.ts"
import { cut, lengthOf } from "./Text.ts"
import { maxTitleChars } from "./Title.ts"
import { wantedOf } from "./Wanted.ts"

interface Ready extends Known {
  readonly index: NoteIndex
}

export const searchByRelevance = (
  input: SurveyInput,
  cache: ContentCache,
  { limit, query }: SearchRequest
): Searched | ScanFailure => {
  const { limits, now } = input
  const wants = wantedOf(query)
  const ranking = Ranking.make(query, wants)
  const surveyed = survey<Ready>(input, {
    find: (facts) => {
      const kept = cache.findIndexed(facts)
      if (kept === undefined) return undefined
      const { index, text, unlisted } = kept
      if (index !== undefined) return { text, unlisted, index }
      const made = indexOf(text)
      cache.keep({ facts, unlisted }, text, now, made)
      return { text, unlisted, index: made }
    },
    add: (note, text) => {
      const index = indexOf(text)
      cache.keep(note, text, now, index)
      return { text, unlisted: note.unlisted, index }
    },
    look: (id, { index, text }, opened) => ranking.look({ id, text, index, opened })
  })
  if (typeof surveyed === "string") return surveyed

  const { notes, worths } = ranking.order()
  const weighed = wants.map((want, which) => ({ want, worth: worths[which] ?? 0 }))
  const room = { snippetChars: limits.snippet_chars, readChars: limits.read_chars }
  const atMost = Math.min(limit ?? limits.default_results, limits.max_results)
  const results: Array<SearchResult> = []
  let chars = 0
  for (const { id, index, text } of notes.slice(0, atMost)) {
    const title = index.title ?? fileTitle(id)
    const { line, snippet } = passageOf(text, weighed, room)
    chars += lengthOf(id) + lengthOf(title) + lengthOf(snippet)
    if (chars > limits.total_chars) break
    results.push({ id, title, snippet, line })
  }
  const by = leftOut(surveyed, notes.length, results.length, atMost)
  return {
    answer: by.length === 0 ? { results, truncated: false } : { results, truncated: true, truncated_by: by },
    shown: notes.slice(0, atMost)
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
