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
import type { Facts } from "../tree/Facts.ts"
import { sizeIn, stampWords } from "../tree/Stamp.ts"
import type { DirectoryHandle, Walk } from "../tree/Tree.ts"
import type { ContentCache, Kind, Known } from "./ContentCache.ts"
import { type Folder, type Listings, type Named, openIn, pathOf, type Place } from "./Listings.ts"
import {
  judgedBy,
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
  readonly cache: ContentCache
  readonly listings: Listings
  /** Nanoseconds since 1970, at the start of the call. */
  readonly now: bigint
}

/** What becomes of the text of each permitted note: how it is kept from one search to the next, and looked at. */
export interface Looking<Note extends Known> {
  readonly kept: Kind<Note>
  /** A text just read. */
  readonly add: (note: OpenNote, text: string) => Note
  /**
   * A note that was opened in this scan. Both are called in scan order; `text` reads the note where that has not been done
   * yet, and is `undefined` where it has changed or would not pass any more.
   */
  readonly look: (entry: Named, note: Note, text: () => string | undefined) => void
  /** A note that a row holds, and that a glance has shown to be as it was. */
  readonly again: (entry: Named, row: number, textOf: TextOf) => void
}

/** Reads the note of an entry of the directory that is being visited; see `Looking`. */
export type TextOf = (entry: Named) => string | undefined

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
  /** What glanced notes are judged by. */
  readonly judgement: number
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
    const judgement = input.cache.judgement(judgedBy(input.walk, root, input.limits.max_file_bytes))
    const state: State<Note> = { input, looking, root, judgement, ...found, failure: undefined }
    const place = { path: "", depth: 0, names: root.of.names, prefix: root.of.prefix }
    if (!visit(state, root, place, undefined)) return state.failure ?? "root_unlistable"
    if (state.failure !== undefined) return state.failure
    found.truncated = state.truncated
    found.deeper = state.deeper
    found.steady = state.steady
    found.full = state.full
    if (found.full) break
  }
  return found
}

/**
 * The entries that the rules leave, or undefined where the directory cannot be listed. Charges the raw entries. `entry` is
 * where its parent lists it.
 */
const openEntries = <Note extends Known>(
  state: State<Note>,
  { facts, handle }: OpenBranch,
  place: Place,
  entry: Named | undefined
): ReadonlyArray<Named> | undefined => {
  const { budget, listings, now, walk } = state.input
  const folder = foundAgain(entry?.folder, facts) ?? listings.find(facts, place)
  if (folder?.listed !== undefined) {
    const { listed } = folder
    if (entry !== undefined) entry.folder = folder
    if (listed.raw > budget.rawLeft()) state.failure = "raw_entries"
    budget.chargeRaw(listed.raw)
    return openIn(listed, state.root.of)
  }
  const listing = walk.list(handle, budget.rawLeft())
  if (typeof listing === "string") {
    if (listing === "too_many") state.failure = "raw_entries"
    if (listing === "exhausted") state.failure = "exhausted"
    return undefined
  }
  budget.chargeRaw(listing.raw)
  const added = listings.add(facts, place, listing, now)
  if (entry !== undefined) entry.folder = added.folder
  return openIn(added.listed, state.root.of)
}

/** A folder lies where its parent's entry says, so the very facts that it was kept with are all there is to compare. */
const foundAgain = (folder: Folder | undefined, facts: Facts): Folder | undefined =>
  folder?.seen.facts === facts && folder.listed !== undefined ? folder : undefined

const noteFailure = <Note extends Known>(state: State<Note>, reason: SkipReason): void => {
  if (reason === "exhausted") state.failure = "exhausted"
}

/** Visits a directory at a place. False if it could not be listed. */
const visit = <Note extends Known>(
  state: State<Note>,
  directory: OpenBranch,
  place: Place,
  from: Named | undefined
): boolean => {
  const entries = openEntries(state, directory, place, from)
  if (entries === undefined) return false
  const textOf = (entry: Named) => textGlanced(state, directory.handle, entry)
  for (const entry of entries) {
    if (over(state)) break
    if (entry.kind === "directory") descend(state, directory.handle, entry, place)
    else candidate(state, directory.handle, entry, textOf)
  }
  return true
}

const descend = <Note extends Known>(state: State<Note>, parent: DirectoryHandle, entry: Named, above: Place): void => {
  const depth = above.depth + 1
  const beyond = depth >= state.input.limits.max_depth
  // Once something is known to be left out, looking further ahead tells nothing new.
  if (beyond && state.truncated) return
  const branch = openBranchWith(state.input.walk, state.root, parent, entry.name, entry.folder?.seen)
  if (typeof branch === "string") return noteFailure(state, branch)
  const place = { ...above, path: pathOf(entry, above.prefix), depth }
  if (beyond) lookAhead(state, branch, place, entry)
  else visit(state, branch, place, entry)
  state.input.walk.close(branch.handle)
}

/** Below the depth limit: names only. Sets the flag if some permitted Markdown name exists there. */
const lookAhead = <Note extends Known>(state: State<Note>, directory: OpenBranch, place: Place, from: Named): void => {
  for (const entry of openEntries(state, directory, place, from) ?? []) {
    if (over(state) || state.truncated) return
    if (entry.kind === "directory") {
      descend(state, directory.handle, entry, place)
    } else {
      state.truncated = true
      state.deeper = true
    }
  }
}

const candidate = <Note extends Known>(
  state: State<Note>,
  parent: DirectoryHandle,
  entry: Named,
  textOf: TextOf
): void => {
  if (!state.input.budget.admitCandidate()) {
    state.truncated = true
    state.full = true
    return
  }
  if (entry.kind !== "file") return
  const { budget, cache, limits, walk } = state.input
  const { add, again, kept, look } = state.looking
  const { row } = entry
  if (isAsItWas(state, parent, entry)) {
    budget.chargeBytes(sizeIn(cache.rows.stamps, row * stampWords))
    return again(entry, row, textOf)
  }
  const note = openNote(walk, state.root, parent, entry.name, limits.max_file_bytes)
  if (typeof note === "string") return noteFailure(state, note)
  const before = kept.find(note.facts)
  if (before !== undefined) {
    budget.chargeBytes(note.facts.size)
    entry.row = before.row
    look(entry, before, () => textRead(state, note))
    return walk.close(note.handle)
  }
  const reading = readNote(walk, note)
  walk.close(note.handle)
  budget.chargeBytes(reading.consumed)
  if ("skipped" in reading) return noteFailure(state, reading.skipped)
  const known = add(note, reading.text)
  entry.row = known.row
  look(entry, known, () => reading.text)
}

/** The text of a note that is open. */
const textRead = <Note extends Known>(state: State<Note>, note: OpenNote): string | undefined => {
  const reading = readNote(state.input.walk, note)
  if ("skipped" in reading) noteFailure(state, reading.skipped)
  return textIn(reading)
}

/** The text of a note that has only been glanced at. */
const textGlanced = <Note extends Known>(
  state: State<Note>,
  parent: DirectoryHandle,
  { name, row }: Named
): string | undefined => {
  const { limits, walk } = state.input
  const { facts } = state.looking.kept.at(row)
  const text = readUnchanged(walk, openNote(walk, state.root, parent, name, limits.max_file_bytes), facts)
  if (text === undefined) state.steady = false
  return text
}

/** Whether a row holds the note that bears the name, as it is, and it would pass. Does not open it. */
const isAsItWas = <Note extends Known>(
  { input: { cache, limits, opening, walk }, judgement, looking, root }: State<Note>,
  parent: DirectoryHandle,
  { name, row }: Named
): boolean => {
  if (opening === "all" || !looking.kept.holds(row)) return false
  const { passed, stamps } = cache.rows
  if (!walk.glance(parent, name, stamps, row * stampWords)) return false
  if (passed[row] === judgement) return true
  if (!wouldPass(walk, root, looking.kept.at(row).facts, limits.max_file_bytes)) return false
  passed[row] = judgement
  return true
}
