/**
 * The scan of one search: which permitted notes match, and is anything left out? (design.md section 3, seed 000)
 *
 * Names are decided before anything is opened, so denied entries cost nothing but the raw entry ceiling and change
 * nothing. Directories are visited depth first in name order, which is the order of results with equal rank. A plain
 * function: it runs thousands of times per search and has no effect but through the walk.
 */
import type { ScanBudget } from "../budget/ScanBudget.ts"
import type { Policy } from "../policy/Policy.ts"
import { childId, type DocumentId, isMarkdownName, isServedName } from "../tree/DocumentId.ts"
import { type DirectoryHandle, type Entry, type Walk } from "../tree/Tree.ts"
import type { ContentCache } from "./ContentCache.ts"
import { countMatches, type Searchable, type Term } from "./Query.ts"
import { openBranch, openNote, type OpenRoot, readNote, type SkipReason } from "./TrustedEntry.ts"

export interface Match {
  readonly id: DocumentId
  readonly text: string
  /** Distinct terms that the document contains; at least one. */
  readonly terms: number
}

/**
 * Why a scan has no answer at all: more raw entries than the ceiling, no descriptors or memory left, or a root that
 * cannot be listed.
 */
export type ScanFailure = "raw_entries" | "exhausted" | "root_unlistable"

export interface ScanResult {
  /** In scan order. */
  readonly matches: ReadonlyArray<Match>
  /** Whether candidates, bytes or depth left out permitted names. */
  readonly truncated: boolean
}

/** What a scan works with. */
export interface ScanInput {
  readonly walk: Walk
  readonly root: OpenRoot
  readonly policy: Policy
  readonly terms: ReadonlyArray<Term>
  readonly budget: ScanBudget
  readonly cache: ContentCache
  /** Nanoseconds since 1970, at the start of the call. */
  readonly now: bigint
}

interface State {
  readonly input: ScanInput
  readonly matches: Array<Match>
  truncated: boolean
  /** Set once a candidate was refused by the budget: no further one may be opened. */
  full: boolean
  failure: ScanFailure | undefined
}

const over = (state: State): boolean => state.full || state.failure !== undefined

export const scan = (input: ScanInput): ScanResult | ScanFailure => {
  const state: State = { input, matches: [], truncated: false, full: false, failure: undefined }
  if (!visit(state, input.root.handle, "", 0)) return state.failure ?? "root_unlistable"
  return state.failure ?? { matches: state.matches, truncated: state.truncated }
}

const byName = (one: Entry, other: Entry): number => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)

/** Entries of served names, or undefined where the directory cannot be listed. Charges the raw entries. */
const servedEntries = (state: State, directory: DirectoryHandle): Array<Entry> | undefined => {
  const { budget, walk } = state.input
  const listing = walk.list(directory, budget.rawLeft())
  if (typeof listing === "string") {
    if (listing === "too_many") state.failure = "raw_entries"
    if (listing === "exhausted") state.failure = "exhausted"
    return undefined
  }
  budget.chargeRaw(listing.raw)
  return listing.entries.filter((entry) => isServedName(entry.name))
}

const noteFailure = (state: State, reason: SkipReason): void => {
  if (reason === "exhausted") state.failure = "exhausted"
}

/** Visits a directory at `depth` (the root is 0). False if it could not be listed. */
const visit = (state: State, directory: DirectoryHandle, path: string, depth: number): boolean => {
  const { rules } = state.input.policy
  const entries = servedEntries(state, directory)
  if (entries === undefined) return false
  for (const entry of entries.toSorted(byName)) {
    if (over(state)) break
    const id = childId(path, depth, entry.name)
    if (id === undefined) continue
    if (entry.kind === "directory") {
      if (rules.mayEnter(id)) descend(state, directory, entry.name, id, depth + 1)
    } else if (isMarkdownName(entry.name) && rules.permits(id)) {
      candidate(state, directory, entry, id)
    }
  }
  return true
}

const descend = (state: State, parent: DirectoryHandle, name: string, path: string, depth: number): void => {
  const beyond = depth >= state.input.policy.limits.max_depth
  // Once something is known to be left out, looking further ahead tells nothing new.
  if (beyond && state.truncated) return
  const directory = openBranch(state.input.walk, state.input.root, parent, name)
  if (typeof directory === "string") return noteFailure(state, directory)
  if (beyond) lookAhead(state, directory, path, depth)
  else visit(state, directory, path, depth)
  state.input.walk.close(directory)
}

/** Below the depth limit: names only. Sets the flag if some permitted Markdown name exists there. */
const lookAhead = (state: State, directory: DirectoryHandle, path: string, depth: number): void => {
  const { rules } = state.input.policy
  for (const entry of servedEntries(state, directory) ?? []) {
    if (over(state) || state.truncated) return
    const id = childId(path, depth, entry.name)
    if (id === undefined) continue
    if (entry.kind === "directory") {
      if (rules.mayEnter(id)) descend(state, directory, entry.name, id, depth + 1)
    } else if (isMarkdownName(entry.name) && rules.permits(id)) {
      state.truncated = true
    }
  }
}

const candidate = (state: State, parent: DirectoryHandle, entry: Entry, id: DocumentId): void => {
  if (!state.input.budget.admitCandidate()) {
    state.truncated = true
    state.full = true
    return
  }
  if (entry.kind !== "file") return
  const known = textOf(state, parent, entry.name)
  if (typeof known === "string") return noteFailure(state, known)
  const terms = countMatches(state.input.terms, known, id)
  if (terms > 0) state.matches.push({ id, text: known.text, terms })
}

const textOf = (state: State, parent: DirectoryHandle, name: string): Searchable | SkipReason => {
  const { budget, cache, now, policy, root, walk } = state.input
  const note = openNote(walk, root, parent, name, policy.limits.max_file_bytes)
  if (typeof note === "string") return note
  const before = cache.find(note.facts)
  const reading = before === undefined ? readNote(walk, note) : { consumed: note.facts.size, text: before.text }
  walk.close(note.handle)
  budget.chargeBytes(reading.consumed)
  if (before !== undefined) return before
  if ("skipped" in reading) return reading.skipped
  cache.keep(note.facts, reading.text, now)
  return { text: reading.text, signature: undefined }
}
