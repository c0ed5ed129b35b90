/**
 * Search and read over the notes that one policy permits. (seed 000 "Tools", design.md sections 3 and 8)
 *
 * Each call walks its roots from `/` anew. What is kept from one call to the next (`ContentCache`, `Listings`) saves work; whatever
 * an answer shows of a note stands behind the full check of a descriptor that this call opened.
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
import { placeOf, type Root, rootsOf } from "../policy/Roots.ts"
import { type DocumentId, isMarkdownName, segmentsOf } from "../tree/DocumentId.ts"
import { servedBy } from "../tree/ServedName.ts"
import { Tree, type Walk } from "../tree/Tree.ts"
import { pathRules } from "../trust/TrustedPath.ts"
import { openByPath, type Searched } from "./Confirm.ts"
import * as ContentCache from "./ContentCache.ts"
import * as Listings from "./Listings.ts"
import { pageFrom } from "./Lines.ts"
import { searchInPathOrder } from "./PathOrder.ts"
import { searchByRelevance } from "./Relevance.ts"
import type { SearchRequest } from "./Request.ts"
import type { ScanFailure, SurveyInput } from "./Scan.ts"
import { cut, withoutControls } from "./Text.ts"
import { isRefused, openRoot, type OpenRoot, readNote, type SkipReason, skipReasons } from "./TrustedEntry.ts"

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
      const listings = Listings.make()

      const search = Effect.fnUntraced(function* (policy: Policy, request: SearchRequest) {
        const ceilings = ScanBudget.ceilingsFor(policy.ranking, yield* ScanBudget.ScanCeilings)
        const now = yield* Clock.currentTimeNanos
        const walk = yield* tree.walk
        const roots = yield* Effect.fromResult(openRoots(walk, rootsOf(policy)))
        const { limits } = policy
        const attempt = (opening: SurveyInput["opening"]): Searched | ScanFailure => {
          const budget = ScanBudget.make(ceilings, limits.max_entries)
          const search = policy.ranking === "relevance" ? searchByRelevance : searchInPathOrder
          return search({ walk, roots, limits, budget, opening, cache, listings, now }, request)
        }
        const first = attempt("changed")
        const found = typeof first === "string" || first.stands ? first : attempt("all")
        return typeof found === "string" ? yield* new ScanRefused({ reason: found }) : found.answer
      }, Effect.scoped)

      const read = Effect.fnUntraced(function* (policy: Policy, id: DocumentId, fromLine = 1) {
        const place = placeOf(policy, id)
        if (place === undefined) return yield* new NoteRefused({ rule: "no_allow" })
        const refusal = refusedByName(place.root, place.path, policy.limits)
        if (refusal !== undefined) return yield* new NoteRefused({ rule: refusal })
        const walk = yield* tree.walk
        const root = yield* Effect.fromResult(openedRoot(walk, place.root))
        const text = readById(walk, root, place.path, policy.limits.max_file_bytes)
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

/** Opens all of them, or refuses for the first that is refused: what would be left out nobody could see. */
const openRoots = (walk: Walk, roots: ReadonlyArray<Root>): Result.Result<ReadonlyArray<OpenRoot>, RootRefused> =>
  Result.all(roots.map((of) => openedRoot(walk, of)))

const openedRoot = (walk: Walk, of: Root): Result.Result<OpenRoot, RootRefused> => {
  const root = openRoot(walk, of)
  return isRefused(root) ? Result.fail(new RootRefused(root)) : Result.succeed(root)
}

/** What the names alone refuse, before any file is touched. */
const refusedByName = (root: Root, path: DocumentId, limits: Limits): NameRule | undefined => {
  const segments = segmentsOf(path)
  if (segments.length > limits.max_depth) return "too_deep"
  if (!segments.every(servedBy[root.names])) return "odd_name"
  if (!isMarkdownName(path)) return "not_markdown"
  const decision = root.rules.decide(path)
  return decision.verdict === "allowed" ? undefined : decision.verdict
}

const readById = (
  walk: Walk,
  root: OpenRoot,
  path: DocumentId,
  maxBytes: number
): { readonly text: string } | SkipReason => {
  const note = openByPath(walk, root, path, maxBytes)
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
