/**
 * The scan of one search: which permitted notes are there to look at, and is anything left out? (design.md section 3, seed 000)
 *
 * Names are decided before anything is opened, so denied entries cost nothing but the raw entry ceiling and change
 * nothing. Directories are visited depth first in name order, which is the order of results with equal rank. A plain
 * function: it runs thousands of times per search and has no effect but through the walk.
 */
import type { ScanBudget } from "../budget/ScanBudget.ts"
import type { Policy } from "../policy/Policy.ts"
import { childId, type DocumentId, isMarkdownName, isServedName } from "../tree/DocumentId.ts"
import type { Facts } from "../tree/Facts.ts"
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

export interface ScanResult extends Surveyed {
  /** In scan order. */
  readonly matches: ReadonlyArray<Match>
}

/** What a survey of permitted notes works with. */
export interface SurveyInput {
  readonly walk: Walk
  readonly root: OpenRoot
  readonly policy: Policy
  readonly budget: ScanBudget
}

/** What a scan works with. */
export interface ScanInput extends SurveyInput {
  readonly terms: ReadonlyArray<Term>
  readonly cache: ContentCache
  /** Nanoseconds since 1970, at the start of the call. */
  readonly now: bigint
}

/** What becomes of the text of each permitted note: how it is kept from one search to the next, and looked at. */
export interface Looking<Note> {
  /** What was kept of a note that has not changed since. */
  readonly find: (facts: Facts) => Note | undefined
  /** A text just read. */
  readonly add: (facts: Facts, text: string) => Note
  /** Called in scan order. */
  readonly look: (id: DocumentId, note: Note) => void
}

/** How a survey ended. */
export interface Surveyed {
  /** Whether candidates, bytes or depth left out permitted names. */
  readonly truncated: boolean
  /** Whether candidates or bytes did. */
  readonly full: boolean
  /** Whether depth did. Not looked for any more once something else did. */
  readonly deeper: boolean
}

interface State<Note> {
  readonly input: SurveyInput
  readonly looking: Looking<Note>
  truncated: boolean
  deeper: boolean
  /** Set once a candidate was refused by the budget: no further one may be opened. */
  full: boolean
  failure: ScanFailure | undefined
}

const over = <Note>(state: State<Note>): boolean => state.full || state.failure !== undefined

/** Looks at every permitted note that the budget allows. */
export const survey = <Note>(input: SurveyInput, looking: Looking<Note>): Surveyed | ScanFailure => {
  const state: State<Note> = { input, looking, truncated: false, deeper: false, full: false, failure: undefined }
  if (!visit(state, input.root.handle, "", 0)) return state.failure ?? "root_unlistable"
  return state.failure ?? { truncated: state.truncated, full: state.full, deeper: state.deeper }
}

/** The scan of version 1: notes that contain a term. */
export const scan = (input: ScanInput): ScanResult | ScanFailure => {
  const { cache, now, terms } = input
  const matches: Array<Match> = []
  const surveyed = survey<Searchable>(input, {
    find: cache.find,
    add: (facts, text) => {
      cache.keep(facts, text, now)
      return { text, signature: undefined }
    },
    look: (id, known) => {
      const count = countMatches(terms, known, id)
      if (count > 0) matches.push({ id, text: known.text, terms: count })
    }
  })
  return typeof surveyed === "string" ? surveyed : { ...surveyed, matches }
}

const byName = (one: Entry, other: Entry): number => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)

/** Entries of served names, or undefined where the directory cannot be listed. Charges the raw entries. */
const servedEntries = <Note>(state: State<Note>, directory: DirectoryHandle): Array<Entry> | undefined => {
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

const noteFailure = <Note>(state: State<Note>, reason: SkipReason): void => {
  if (reason === "exhausted") state.failure = "exhausted"
}

/** Visits a directory at `depth` (the root is 0). False if it could not be listed. */
const visit = <Note>(state: State<Note>, directory: DirectoryHandle, path: string, depth: number): boolean => {
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

const descend = <Note>(
  state: State<Note>,
  parent: DirectoryHandle,
  name: string,
  path: string,
  depth: number
): void => {
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
const lookAhead = <Note>(state: State<Note>, directory: DirectoryHandle, path: string, depth: number): void => {
  const { rules } = state.input.policy
  for (const entry of servedEntries(state, directory) ?? []) {
    if (over(state) || state.truncated) return
    const id = childId(path, depth, entry.name)
    if (id === undefined) continue
    if (entry.kind === "directory") {
      if (rules.mayEnter(id)) descend(state, directory, entry.name, id, depth + 1)
    } else if (isMarkdownName(entry.name) && rules.permits(id)) {
      state.truncated = true
      state.deeper = true
    }
  }
}

const candidate = <Note>(state: State<Note>, parent: DirectoryHandle, entry: Entry, id: DocumentId): void => {
  if (!state.input.budget.admitCandidate()) {
    state.truncated = true
    state.full = true
    return
  }
  if (entry.kind !== "file") return
  const { budget, policy, root, walk } = state.input
  const note = openNote(walk, root, parent, entry.name, policy.limits.max_file_bytes)
  if (typeof note === "string") return noteFailure(state, note)
  const { add, find, look } = state.looking
  const before = find(note.facts)
  const reading = before === undefined ? readNote(walk, note) : { consumed: note.facts.size, known: before }
  walk.close(note.handle)
  budget.chargeBytes(reading.consumed)
  if ("known" in reading) look(id, reading.known)
  else if ("skipped" in reading) noteFailure(state, reading.skipped)
  else look(id, add(note.facts, reading.text))
}
