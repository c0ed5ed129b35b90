/**
 * The scan of one search: which permitted notes are there to look at, and is anything left out? (design.md section 3, seed 000)
 *
 * Names are decided before anything is opened, so denied entries cost nothing but the raw entry ceiling and change
 * nothing. Directories are visited depth first in name order, which is the order of results with equal rank. A plain
 * function: it runs thousands of times per search and has no effect but through the walk.
 *
 * A scan opens all notes, or those alone that a glance does not show to be as they were when they were last opened. What
 * it says of the latter is for choosing among them: before an answer shows one, it is opened (`Confirm.ts`).
 */
import type { ScanBudget } from "../budget/ScanBudget.ts"
import type { Limits } from "../policy/Limits.ts"
import { type DocumentId, isMarkdownName, maxIdLength } from "../tree/DocumentId.ts"
import type { Facts } from "../tree/Facts.ts"
import type { DirectoryHandle, Walk } from "../tree/Tree.ts"
import type { Known } from "./ContentCache.ts"
import { type Listed, listedAs, type Listings, type Named } from "./Listings.ts"
import {
  openBranchWith,
  type OpenBranch,
  openNote,
  type OpenNote,
  type OpenRoot,
  readNote,
  readUnchanged,
  type SkipReason,
  textIn,
  wouldPass
} from "./TrustedEntry.ts"

/**
 * Why a scan has no answer at all: more raw entries than the ceiling, no descriptors or memory left, or a root that
 * cannot be listed.
 */
export type ScanFailure = "raw_entries" | "exhausted" | "root_unlistable"

/** What a survey of permitted notes works with. */
export interface SurveyInput {
  readonly walk: Walk
  /** In the order of their ids. */
  readonly roots: ReadonlyArray<OpenRoot>
  readonly limits: Limits
  readonly budget: ScanBudget
  /** Which notes are opened: all, or those that a glance does not show to be unchanged. */
  readonly opening: "all" | "changed"
  readonly listings: Listings
  /** Nanoseconds since 1970, at the start of the call. */
  readonly now: bigint
}

/** What becomes of the text of each permitted note: how it is kept from one search to the next, and looked at. */
export interface Looking<Note extends Known> {
  /** What was kept of a note that has not changed since. */
  readonly find: (facts: Facts) => Note | undefined
  /** A text just read. */
  readonly add: (note: OpenNote, text: string) => Note
  /**
   * Called in scan order. `text` reads the note where that has not been done yet, and is `undefined` where it has changed
   * or would not pass any more. `opened` tells whether the note was opened in this scan.
   */
  readonly look: (id: DocumentId, note: Note, text: () => string | undefined, opened: boolean) => void
}

/** How a survey ended. */
export interface Surveyed {
  /** Whether candidates, bytes or depth left out permitted names. */
  readonly truncated: boolean
  /** Whether candidates or bytes did. */
  readonly full: boolean
  /** Whether depth did. Not looked for any more once something else did. */
  readonly deeper: boolean
  /** Whether every note was what a glance had shown, as far as it was looked into. */
  readonly steady: boolean
}

interface State<Note extends Known> {
  readonly input: SurveyInput
  readonly looking: Looking<Note>
  readonly root: OpenRoot
  truncated: boolean
  deeper: boolean
  steady: boolean
  /** Set once a candidate was refused by the budget: no further one may be opened. */
  full: boolean
  failure: ScanFailure | undefined
}

const over = <Note extends Known>(state: State<Note>): boolean => state.full || state.failure !== undefined

/** Looks at every permitted note that the budget allows, of one root after the other. */
export const survey = <Note extends Known>(input: SurveyInput, looking: Looking<Note>): Surveyed | ScanFailure => {
  const found = { truncated: false, deeper: false, steady: true, full: false }
  for (const root of input.roots) {
    const state: State<Note> = { input, looking, root, ...found, failure: undefined }
    if (!visit(state, root, "", 0)) return state.failure ?? "root_unlistable"
    if (state.failure !== undefined) return state.failure
    found.truncated = state.truncated
    found.deeper = state.deeper
    found.steady = state.steady
    found.full = state.full
    if (found.full) break
  }
  return found
}

/** Entries of served names, or undefined where the directory cannot be listed. Charges the raw entries. */
const servedEntries = <Note extends Known>(
  state: State<Note>,
  { facts, handle }: OpenBranch,
  path: string,
  depth: number
): Listed["entries"] | undefined => {
  const { budget, listings, now, walk } = state.input
  const place = { path, depth, names: state.root.of.names }
  const before = listings.find(facts, place)
  if (before !== undefined) {
    if (before.raw > budget.rawLeft()) state.failure = "raw_entries"
    budget.chargeRaw(before.raw)
    return before.entries
  }
  const listing = walk.list(handle, budget.rawLeft())
  if (typeof listing === "string") {
    if (listing === "too_many") state.failure = "raw_entries"
    if (listing === "exhausted") state.failure = "exhausted"
    return undefined
  }
  budget.chargeRaw(listing.raw)
  const listed = listedAs(listing, place)
  if (listing.lasting) listings.keep(facts, place, listed, now)
  return listed.entries
}

/** Whether an entry has an id, its root's name included. */
const hasId = <Note extends Known>(state: State<Note>, path: string | undefined): path is DocumentId =>
  path !== undefined && state.root.of.prefix.length + path.length <= maxIdLength

const noteFailure = <Note extends Known>(state: State<Note>, reason: SkipReason): void => {
  if (reason === "exhausted") state.failure = "exhausted"
}

/** Visits a directory at `depth` (the root is 0). False if it could not be listed. */
const visit = <Note extends Known>(state: State<Note>, directory: OpenBranch, path: string, depth: number): boolean => {
  const { rules } = state.root.of
  const entries = servedEntries(state, directory, path, depth)
  if (entries === undefined) return false
  for (const entry of entries) {
    if (over(state)) break
    if (!hasId(state, entry.path)) continue
    if (entry.kind === "directory") {
      if (rules.mayEnter(entry.path)) descend(state, directory.handle, entry.name, entry.path, depth + 1)
    } else if (isMarkdownName(entry.name) && rules.permits(entry.path)) {
      candidate(state, directory.handle, entry, entry.path)
    }
  }
  return true
}

const descend = <Note extends Known>(
  state: State<Note>,
  parent: DirectoryHandle,
  name: string,
  path: string,
  depth: number
): void => {
  const beyond = depth >= state.input.limits.max_depth
  // Once something is known to be left out, looking further ahead tells nothing new.
  if (beyond && state.truncated) return
  const branch = openBranchWith(state.input.walk, state.root, parent, name)
  if (typeof branch === "string") return noteFailure(state, branch)
  if (beyond) lookAhead(state, branch, path, depth)
  else visit(state, branch, path, depth)
  state.input.walk.close(branch.handle)
}

/** Below the depth limit: names only. Sets the flag if some permitted Markdown name exists there. */
const lookAhead = <Note extends Known>(
  state: State<Note>,
  directory: OpenBranch,
  path: string,
  depth: number
): void => {
  const { rules } = state.root.of
  for (const entry of servedEntries(state, directory, path, depth) ?? []) {
    if (over(state) || state.truncated) return
    if (!hasId(state, entry.path)) continue
    if (entry.kind === "directory") {
      if (rules.mayEnter(entry.path)) descend(state, directory.handle, entry.name, entry.path, depth + 1)
    } else if (isMarkdownName(entry.name) && rules.permits(entry.path)) {
      state.truncated = true
      state.deeper = true
    }
  }
}

const candidate = <Note extends Known>(
  state: State<Note>,
  parent: DirectoryHandle,
  entry: Named,
  path: DocumentId
): void => {
  if (!state.input.budget.admitCandidate()) {
    state.truncated = true
    state.full = true
    return
  }
  if (entry.kind !== "file") return
  const { budget, limits, walk } = state.input
  const { add, find, look } = state.looking
  const id = `${state.root.of.prefix}${path}` as DocumentId
  const seen = glanced(state, parent, entry.name)
  if (seen !== undefined) {
    budget.chargeBytes(seen.facts.size)
    return look(id, seen, () => textOf(state, parent, entry.name, seen), false)
  }
  const note = openNote(walk, state.root, parent, entry.name, limits.max_file_bytes)
  if (typeof note === "string") return noteFailure(state, note)
  const before = find(note.facts)
  if (before !== undefined) {
    budget.chargeBytes(note.facts.size)
    look(id, before, () => textIn(readNote(walk, note)), true)
    return walk.close(note.handle)
  }
  const reading = readNote(walk, note)
  walk.close(note.handle)
  budget.chargeBytes(reading.consumed)
  if ("skipped" in reading) noteFailure(state, reading.skipped)
  else look(id, add(note, reading.text), () => reading.text, true)
}

/** The text of a note that has only been glanced at. */
const textOf = <Note extends Known>(
  state: State<Note>,
  parent: DirectoryHandle,
  name: string,
  { facts }: Note
): string | undefined => {
  const { limits, walk } = state.input
  const text = readUnchanged(walk, openNote(walk, state.root, parent, name, limits.max_file_bytes), facts)
  if (text === undefined) state.steady = false
  return text
}

/** What is known of a note that is as it was and would pass, without opening it. */
const glanced = <Note extends Known>(
  { input: { limits, opening, walk }, looking, root }: State<Note>,
  parent: DirectoryHandle,
  name: string
): Note | undefined => {
  if (opening === "all") return undefined
  const facts = walk.glance(parent, name)
  if (facts === undefined) return undefined
  const known = looking.find(facts)
  return known?.unlisted === true && wouldPass(walk, root, facts, limits.max_file_bytes) ? known : undefined
}
