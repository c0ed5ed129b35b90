/**
 * Search and read over the notes that one policy permits. (seed 000 "Tools", design.md sections 3 and 8)
 *
 * Each call walks the root from `/` anew and keeps nothing but text that the content cache may give back after the
 * full check of a freshly opened descriptor.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ScanBudget from "../budget/ScanBudget.ts"
import type { Limits } from "../policy/Limits.ts"
import type { Policy } from "../policy/Policy.ts"
import { type DocumentId, isMarkdownName, isServedName, segmentsOf } from "../tree/DocumentId.ts"
import { isFault, Tree, type Walk } from "../tree/Tree.ts"
import { openTrustedDirectory, pathRules } from "../trust/TrustedPath.ts"
import * as ContentCache from "./ContentCache.ts"
import { pageFrom } from "./Lines.ts"
import { type Term, termsOf } from "./Query.ts"
import { searchByRelevance } from "./Relevance.ts"
import type { SearchRequest } from "./Request.ts"
import { type Match, scan, type ScanFailure } from "./Scan.ts"
import { snippetOf } from "./Snippet.ts"
import { cut, lengthOf, withoutControls } from "./Text.ts"
import { titleOf } from "./Title.ts"
import { openBranch, openNote, type OpenRoot, readNote, type SkipReason, skipReasons } from "./TrustedEntry.ts"

/** The root, or a directory on the way to it, breaks a trust rule. For the operator: component and rule. */
export class RootRefused extends Schema.TaggedError<RootRefused>()("RootRefused", {
  component: Schema.String,
  rule: Schema.Literals(pathRules)
}) {}

/** The search as a whole cannot be answered. */
export class ScanRefused extends Schema.TaggedError<ScanRefused>()("ScanRefused", {
  reason: Schema.Literals(["raw_entries", "exhausted", "root_unlistable"])
}) {}

/** What the name alone refuses: too deep, not of the served kind, denied or not allowed. */
export const nameRules = ["too_deep", "odd_name", "not_markdown", "denied", "no_allow"] as const
export type NameRule = (typeof nameRules)[number]

/** The document is denied, untrusted or not there; the agent cannot tell which. `rule` is for the operator. */
export class NoteRefused extends Schema.TaggedError<NoteRefused>()("NoteRefused", {
  rule: Schema.Literals([...nameRules, ...skipReasons])
}) {}

export interface SearchResult {
  readonly id: DocumentId
  readonly title?: string
  readonly snippet: string
  /** Where the note says it, as a read counts its lines. Version 2, ranked by relevance. */
  readonly line?: number
}

/**
 * What left something out of an answer that is ranked by relevance.
 *
 * - `results` more notes match than were asked for or are given
 * - `answer_size` the characters of an answer
 * - `scan` the candidates or bytes of one search: not every permitted note was looked at
 * - `depth` a permitted name lies deeper than notes are looked for
 */
export const truncations = ["results", "answer_size", "scan", "depth"] as const
export type TruncatedBy = (typeof truncations)[number]

export interface SearchAnswer {
  readonly results: ReadonlyArray<SearchResult>
  /** Whether a limit on results, answer size, candidates, bytes or depth left something out. */
  readonly truncated: boolean
  /** Which of them did; not there where nothing was left out. Version 2, ranked by relevance. */
  readonly truncated_by?: ReadonlyArray<TruncatedBy>
}

export interface ReadAnswer {
  readonly id: DocumentId
  readonly content: string
  /** Whether the document is longer than the content. */
  readonly truncated: boolean
  /** The line to read on from; not there where the document ends with the content. Version 2. */
  readonly next_line?: number
}

/** Stands after the content of a shortened document. */
export const truncationNote = "\n\n[Truncated: the document is longer than this.]\n"

/** Stands there in version 2. */
export const continuationNote = (nextLine: number): string =>
  `\n\n[Truncated: the document goes on. Read it on with from_line ${nextLine}.]\n`

export class Notes extends Context.Service<
  Notes,
  {
    readonly search: (policy: Policy, request: SearchRequest) => Effect.Effect<SearchAnswer, RootRefused | ScanRefused>
    /** `fromLine` counts from 1; where it is given, the policy's version has it. */
    readonly read: (
      policy: Policy,
      id: DocumentId,
      fromLine?: number
    ) => Effect.Effect<ReadAnswer, RootRefused | ScanRefused | NoteRefused>
  }
>()("@memory-bridge/core/notes/Notes") {
  static readonly layer = Layer.effect(
    Notes,
    Effect.gen(function* () {
      const tree = yield* Tree
      const cache = ContentCache.make(ContentCache.maxCachedBytes)

      const search = Effect.fnUntraced(function* (policy: Policy, request: SearchRequest) {
        const ceilings = yield* ScanBudget.ScanCeilings
        const now = yield* Clock.currentTimeNanos
        const walk = yield* tree.walk
        const root = yield* Effect.fromResult(openRoot(walk, policy.root))
        const budget = ScanBudget.make(ceilings, policy.limits.max_entries)
        if (policy.ranking === "relevance") {
          const answered = searchByRelevance({ walk, root, policy, budget }, cache, now, request)
          return typeof answered === "string" ? yield* new ScanRefused({ reason: answered }) : answered
        }
        const terms = termsOf(request.query)
        const found = scan({ walk, root, policy, terms, budget, cache, now })
        return typeof found === "string"
          ? yield* new ScanRefused({ reason: found satisfies ScanFailure })
          : answer(found.matches, found.truncated, terms, request.limit, policy.limits)
      }, Effect.scoped)

      const read = Effect.fnUntraced(function* (policy: Policy, id: DocumentId, fromLine = 1) {
        const refusal = refusedByName(policy, id)
        if (refusal !== undefined) return yield* new NoteRefused({ rule: refusal })
        const walk = yield* tree.walk
        const root = yield* Effect.fromResult(openRoot(walk, policy.root))
        const text = readById(walk, root, id, policy.limits.max_file_bytes)
        if (typeof text === "string") {
          return yield* text === "exhausted" ? new ScanRefused({ reason: text }) : new NoteRefused({ rule: text })
        }
        const clean = withoutControls(text.text)
        return policy.version === 1
          ? shorten(id, clean, policy.limits.read_chars)
          : page(id, clean, fromLine, policy.limits.read_chars)
      }, Effect.scoped)

      return Notes.of({ search, read })
    })
  )
}

const openRoot = (walk: Walk, path: string): Result.Result<OpenRoot, RootRefused> => {
  const handle = openTrustedDirectory(walk, path)
  if (typeof handle === "object") return Result.fail(new RootRefused(handle))
  const facts = walk.facts(handle)
  return isFault(facts)
    ? Result.fail(new RootRefused({ component: path, rule: facts }))
    : Result.succeed({ handle, facts })
}

/** Ranks, cuts to the limits and describes what is left. */
const answer = (
  matches: ReadonlyArray<Match>,
  truncatedScan: boolean,
  terms: ReadonlyArray<Term>,
  limit: number | undefined,
  limits: Limits
): SearchAnswer => {
  // The sort is stable: equal counts stay in path order.
  const ranked = matches.toSorted((one, other) => other.terms - one.terms)
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
  return { results, truncated: truncatedScan || results.length < ranked.length }
}

/** What the names alone refuse, before any file is touched. */
const refusedByName = (policy: Policy, id: DocumentId): NameRule | undefined => {
  const segments = segmentsOf(id)
  if (segments.length > policy.limits.max_depth) return "too_deep"
  if (!segments.every(isServedName)) return "odd_name"
  if (!isMarkdownName(id)) return "not_markdown"
  const decision = policy.rules.decide(id)
  return decision.verdict === "allowed" ? undefined : decision.verdict
}

const readById = (
  walk: Walk,
  root: OpenRoot,
  id: DocumentId,
  maxBytes: number
): { readonly text: string } | SkipReason => {
  const segments = segmentsOf(id)
  let directory = root.handle
  for (const name of segments.slice(0, -1)) {
    const next = openBranch(walk, root, directory, name)
    if (typeof next === "string") return next
    walk.close(directory)
    directory = next
  }
  const note = openNote(walk, root, directory, segments.at(-1) ?? "", maxBytes)
  if (typeof note === "string") return note
  const reading = readNote(walk, note)
  return "skipped" in reading ? reading.skipped : reading
}

const shorten = (id: DocumentId, text: string, atMost: number): ReadAnswer => {
  const content = cut(text, atMost)
  return content.length === text.length
    ? { id, content, truncated: false }
    : { id, content: content + truncationNote, truncated: true }
}

const page = (id: DocumentId, text: string, fromLine: number, atMost: number): ReadAnswer => {
  const { content, nextLine } = pageFrom(text, fromLine, atMost)
  return nextLine === undefined
    ? { id, content, truncated: false }
    : { id, content: content + continuationNote(nextLine), truncated: true, next_line: nextLine }
}
