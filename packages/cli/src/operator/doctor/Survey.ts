/**
 * What of the roots is served, and what is passed over for which reason? (issue 7 items 1 and 2: "counts of skipped files
 * by reason with one example each"; issue 8; cases/notes.md 11)
 *
 * Goes the way of a search with the functions of a search: names are decided before anything is opened, what is denied is
 * never opened, and every note passes `openNote` and `readNote`. Only the reasons are kept instead of the text. A search
 * stops at its budget; what lies beyond is still served by its id, and counted as `beyond`.
 */
import * as ScanBudget from "@memory-bridge/core/budget/ScanBudget"
import {
  isRefused,
  openBranch,
  openRoot,
  openNote,
  type OpenRoot,
  readNote,
  type SkipReason
} from "@memory-bridge/core/notes/TrustedEntry"
import type { ScanFailure } from "@memory-bridge/core/notes/Scan"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { type Root, rootsOf } from "@memory-bridge/core/policy/Roots"
import { childId, type DocumentId, isMarkdownName, maxIdLength } from "@memory-bridge/core/tree/DocumentId"
import { servedBy } from "@memory-bridge/core/tree/ServedName"
import { type DirectoryHandle, type Entry, isFault, Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import { type Counted, notComposed, twinsIn } from "./Spelling.ts"
import { type Tally, tally } from "./Tally.ts"

/** Why something below a root is not served; `unlistable` is a directory that opens and cannot be listed. */
export type Skip =
  | SkipReason
  | "denied"
  | "no_allow"
  | "odd_name"
  | "not_markdown"
  | "too_deep"
  | "id_too_long"
  | "unlistable"

export interface Skipped {
  readonly reason: Skip
  readonly count: number
  /** The first, as an id; a directory has a slash at its end and counts once, whatever it holds. */
  readonly example: string
}

/**
 * What an operator should know of, though it is as the policy has it.
 *
 * - `not_composed` served names that are not in NFC
 * - `twins` served names that differ from another of their directory in case or Unicode form alone
 * - `linked` served notes that have more than one name
 * - `no_setgid` what belongs to others and is skipped, in a directory that gives its group to nothing new
 */
export const notices = ["not_composed", "twins", "linked", "no_setgid"] as const
export type Notice = (typeof notices)[number]

export interface Noticed {
  readonly notice: Notice
  readonly count: number
  /** The first, as an id, a directory with a slash at its end; of twins two. */
  readonly examples: ReadonlyArray<string>
}

export interface Survey {
  /** Ids that a search comes to, in its order. Where a root is refused no search is answered, and these can be read. */
  readonly served: ReadonlyArray<DocumentId>
  /** Served by their id, but beyond what one search looks at. Their content was not looked at. */
  readonly beyond: number
  /** Most frequent first. */
  readonly skipped: ReadonlyArray<Skipped>
  readonly noticed: ReadonlyArray<Noticed>
  /** Why a search of these roots has no answer as a whole. */
  readonly stopped: ScanFailure | undefined
  /** The path of the root at which it stopped. */
  readonly stoppedAt: string | undefined
}

/** What is shared by all roots, as a search shares it. */
interface State {
  readonly walk: Walk
  readonly policy: Policy
  readonly budget: ScanBudget.ScanBudget
  readonly served: Array<DocumentId>
  /** Of what is served, beyond the budget too. */
  readonly ids: Array<DocumentId>
  readonly skipped: Tally<Skip>
  readonly noticed: Tally<Notice>
  /** The root that is looked at. */
  root: OpenRoot
  beyond: number
  /** The budget is used up: a search ends here. */
  full: boolean
  /** Some permitted name lies too deep: a search looks no further below its depth. */
  deep: boolean
  stopped: ScanFailure | undefined
  stoppedAt: string | undefined
}

/** Where the budget is used up a search has ended, with an answer. */
const stop = (state: State, why: ScanFailure): void => {
  if (state.full) return
  state.stopped ??= why
  state.stoppedAt ??= state.root.of.root
}

const idOf = ({ root }: State, path: string): DocumentId => `${root.of.prefix}${path}` as DocumentId

const skip = (state: State, reason: Skip, path: string): void => {
  state.skipped.note(reason, idOf(state, path))
  if (reason === "exhausted") stop(state, "exhausted")
}

const setgid = 0o2000

/** What was not opened; a note or directory of somebody else tells of its directory too. */
const unopened = (state: State, reason: SkipReason, parent: DirectoryHandle, path: string): void => {
  skip(state, reason, path)
  if (reason !== "foreign_owner" || state.root.of.trust.groups.size === 0) return
  const facts = state.walk.facts(parent)
  if (!isFault(facts) && (facts.mode & setgid) === 0) state.noticed.note("no_setgid", idOf(state, path))
}

const byName = (one: Entry, other: Entry): number => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)

const shown = ({ kind, name }: Entry, path: string): string =>
  `${path === "" ? name : `${path}/${name}`}${kind === "directory" ? "/" : ""}`

/** Charges the raw entries, as a search does for as long as it goes on. */
const entriesOf = (state: State, directory: DirectoryHandle): ReadonlyArray<Entry> | undefined => {
  const listing = state.walk.list(directory, state.budget.rawLeft())
  if (typeof listing === "string") {
    if (listing === "too_many") stop(state, "raw_entries")
    if (listing === "exhausted") stop(state, "exhausted")
    return undefined
  }
  state.budget.chargeRaw(listing.raw)
  return listing.entries
}

/** The path of an entry within its root, or `undefined` where its id would break the limits. */
const pathBelow = (state: State, path: string, depth: number, name: string): DocumentId | undefined => {
  const below = childId(path, depth, name)
  return below === undefined || idOf(state, below).length > maxIdLength ? undefined : below
}

const visit = (state: State, directory: DirectoryHandle, path: string, depth: number): boolean => {
  const entries = entriesOf(state, directory)
  if (entries === undefined) return false
  for (const entry of entries.toSorted(byName)) {
    if (state.stopped !== undefined) break
    consider(state, directory, entry, path, depth)
  }
  return true
}

const consider = (state: State, parent: DirectoryHandle, entry: Entry, path: string, depth: number): void => {
  const { names, rules } = state.root.of
  const here = shown(entry, path)
  if (!servedBy[names](entry.name)) return skip(state, "odd_name", here)
  const below = pathBelow(state, path, depth, entry.name)
  if (below === undefined) return skip(state, "id_too_long", here)
  if (entry.kind === "directory") {
    if (!rules.mayEnter(below)) return skip(state, rules.closedBy(below) === undefined ? "no_allow" : "denied", here)
    return descend(state, parent, entry.name, below, depth + 1)
  }
  if (!isMarkdownName(entry.name)) return skip(state, "not_markdown", here)
  const decision = rules.decide(below)
  if (decision.verdict !== "allowed") return skip(state, decision.verdict, here)
  note(state, parent, entry, below)
}

const descend = (state: State, parent: DirectoryHandle, name: string, path: DocumentId, depth: number): void => {
  const beyond = depth >= state.policy.limits.max_depth
  if (beyond && state.deep) return skip(state, "too_deep", `${path}/`)
  const directory = openBranch(state.walk, state.root, parent, name)
  if (typeof directory === "string") return unopened(state, directory, parent, `${path}/`)
  const listed = beyond ? lookAhead(state, directory, path, depth) : visit(state, directory, path, depth)
  if (!listed && state.stopped === undefined) skip(state, "unlistable", `${path}/`)
  state.walk.close(directory)
}

/** Below the depth limit: names only, until one is found that would be served. */
const lookAhead = (state: State, directory: DirectoryHandle, path: DocumentId, depth: number): boolean => {
  const { names, rules } = state.root.of
  const entries = entriesOf(state, directory)
  if (entries === undefined) return false
  for (const { kind, name } of entries.filter((entry) => servedBy[names](entry.name)).toSorted(byName)) {
    if (state.stopped !== undefined || state.deep) break
    const below = pathBelow(state, path, depth, name)
    if (below === undefined) continue
    if (kind === "directory") {
      if (rules.mayEnter(below)) descend(state, directory, name, below, depth + 1)
    } else if (isMarkdownName(name) && rules.permits(below)) {
      state.deep = true
      skip(state, "too_deep", below)
    }
  }
  return true
}

const note = (state: State, parent: DirectoryHandle, { kind, name }: Entry, path: DocumentId): void => {
  const { budget, policy, root, walk } = state
  state.full ||= !budget.admitCandidate()
  const opened = openNote(walk, root, parent, name, policy.limits.max_file_bytes)
  if (typeof opened === "string") return unopened(state, opened, parent, path)
  const served = (): void => {
    state.ids.push(idOf(state, path))
    if (opened.facts.links !== 1) state.noticed.note("linked", idOf(state, path))
  }
  if (state.full || kind !== "file") {
    walk.close(opened.handle)
    if (!state.full) return
    state.beyond++
    return served()
  }
  const reading = readNote(walk, opened)
  walk.close(opened.handle)
  budget.chargeBytes(reading.consumed)
  if ("skipped" in reading) return skip(state, reading.skipped, path)
  served()
  state.served.push(idOf(state, path))
}

/** A directory below a root, by its path there; "" is the root. */
export interface Below {
  readonly root: Root
  readonly path: string
}

const visitBelow = (state: State, path: string): void => {
  const names = path === "" ? [] : path.split("/")
  let directory: DirectoryHandle = state.root.handle
  for (const name of names) {
    const next = openBranch(state.walk, state.root, directory, name)
    if (typeof next === "string") return stop(state, "root_unlistable")
    directory = next
  }
  if (visit(state, directory, path, names.length)) return
  if (state.full) skip(state, "unlistable", path === "" ? "" : `${path}/`)
  else stop(state, "root_unlistable")
}

const noticedIn = (state: State): ReadonlyArray<Noticed> => {
  const tallied = state.noticed.all()
  const counted = (notice: Notice): Counted => {
    if (notice === "not_composed") return notComposed(state.ids)
    if (notice === "twins") return twinsIn(state.ids)
    const [, count = 0, example = ""] = tallied.find(([code]) => code === notice) ?? []
    return { count, examples: [example] }
  }
  return notices.flatMap((notice): ReadonlyArray<Noticed> => {
    const { count, examples } = counted(notice)
    return count === 0 ? [] : [{ notice, count, examples }]
  })
}

const nothing: Survey = {
  served: [],
  beyond: 0,
  skipped: [],
  noticed: [],
  stopped: "root_unlistable",
  stoppedAt: undefined
}

/**
 * Of all roots that are not refused, or below one directory that the policy lets a search enter. Where all are refused
 * there is nothing.
 */
export const survey = Effect.fnUntraced(function* (policy: Policy, only?: Below) {
  const tree = yield* Tree
  const ceilings = ScanBudget.ceilingsFor(policy.ranking, yield* ScanBudget.ScanCeilings)
  const walk = yield* tree.walk
  const wanted = only === undefined ? rootsOf(policy) : [only.root]
  const roots = wanted.map((root) => openRoot(walk, root)).filter((root): root is OpenRoot => !isRefused(root))
  const [first] = roots
  if (first === undefined) return { ...nothing, stoppedAt: wanted[0]?.root }
  const state: State = {
    walk,
    policy,
    budget: ScanBudget.make(ceilings, policy.limits.max_entries),
    served: [],
    ids: [],
    skipped: tally(),
    noticed: tally(),
    root: first,
    beyond: 0,
    full: false,
    deep: false,
    stopped: undefined,
    stoppedAt: undefined
  }
  for (const root of roots) {
    if (state.stopped !== undefined) break
    state.root = root
    visitBelow(state, only?.path ?? "")
  }
  const skipped = state.skipped.all().map(([reason, count, example]): Skipped => ({ reason, count, example }))
  const found: Survey = {
    served: state.served,
    beyond: state.beyond,
    skipped: skipped.toSorted((one, other) => other.count - one.count),
    noticed: noticedIn(state),
    stopped: state.stopped,
    stoppedAt: state.stoppedAt
  }
  return found
}, Effect.scoped)
