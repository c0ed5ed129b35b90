/**
 * What of a root is served, and what is passed over for which reason? (issue 7 items 1 and 2: "counts of skipped files by
 * reason with one example each"; cases/notes.md 11)
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
import { childId, type DocumentId, isMarkdownName, isServedName } from "@memory-bridge/core/tree/DocumentId"
import { type DirectoryHandle, type Entry, Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"

/** Why something below the root is not served; `unlistable` is a directory that opens and cannot be listed. */
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

export interface Survey {
  /** Ids that a search comes to, in its order. */
  readonly served: ReadonlyArray<DocumentId>
  /** Served by their id, but beyond what one search looks at. Their content was not looked at. */
  readonly beyond: number
  /** Most frequent first. */
  readonly skipped: ReadonlyArray<Skipped>
  /** Why a search of this root has no answer as a whole. */
  readonly stopped: ScanFailure | undefined
}

interface State {
  readonly walk: Walk
  readonly root: OpenRoot
  readonly policy: Policy
  readonly budget: ScanBudget.ScanBudget
  readonly served: Array<DocumentId>
  readonly skipped: Map<Skip, { count: number; example: string }>
  beyond: number
  /** The budget is used up: a search ends here. */
  full: boolean
  /** Some permitted name lies too deep: a search looks no further below its depth. */
  deep: boolean
  stopped: ScanFailure | undefined
}

const skip = (state: State, reason: Skip, example: string): void => {
  const before = state.skipped.get(reason)
  if (before === undefined) state.skipped.set(reason, { count: 1, example })
  else before.count++
  if (reason === "exhausted") state.stopped = "exhausted"
}

const byName = (one: Entry, other: Entry): number => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)

const shown = ({ kind, name }: Entry, path: string): string =>
  `${path === "" ? name : `${path}/${name}`}${kind === "directory" ? "/" : ""}`

/** Charges the raw entries, as a search does for as long as it goes on. */
const entriesOf = (state: State, directory: DirectoryHandle): ReadonlyArray<Entry> | undefined => {
  const listing = state.walk.list(directory, state.budget.rawLeft())
  if (typeof listing === "string") {
    if (listing === "too_many" && !state.full) state.stopped = "raw_entries"
    if (listing === "exhausted") state.stopped = "exhausted"
    return undefined
  }
  state.budget.chargeRaw(listing.raw)
  return listing.entries
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
  const { rules } = state.policy
  const here = shown(entry, path)
  if (!isServedName(entry.name)) return skip(state, "odd_name", here)
  const id = childId(path, depth, entry.name)
  if (id === undefined) return skip(state, "id_too_long", here)
  if (entry.kind === "directory") {
    if (!rules.mayEnter(id)) return skip(state, rules.closedBy(id) === undefined ? "no_allow" : "denied", here)
    return descend(state, parent, entry.name, id, depth + 1)
  }
  if (!isMarkdownName(entry.name)) return skip(state, "not_markdown", here)
  const decision = rules.decide(id)
  if (decision.verdict !== "allowed") return skip(state, decision.verdict, here)
  note(state, parent, entry, id)
}

const descend = (state: State, parent: DirectoryHandle, name: string, path: DocumentId, depth: number): void => {
  const beyond = depth >= state.policy.limits.max_depth
  if (beyond && state.deep) return skip(state, "too_deep", `${path}/`)
  const directory = openBranch(state.walk, state.root, parent, name)
  if (typeof directory === "string") return skip(state, directory, `${path}/`)
  const listed = beyond ? lookAhead(state, directory, path, depth) : visit(state, directory, path, depth)
  if (!listed && state.stopped === undefined) skip(state, "unlistable", `${path}/`)
  state.walk.close(directory)
}

/** Below the depth limit: names only, until one is found that would be served. */
const lookAhead = (state: State, directory: DirectoryHandle, path: DocumentId, depth: number): boolean => {
  const entries = entriesOf(state, directory)
  if (entries === undefined) return false
  for (const { kind, name } of entries.filter((entry) => isServedName(entry.name))) {
    if (state.stopped !== undefined || state.deep) break
    const id = childId(path, depth, name)
    if (id === undefined) continue
    if (kind === "directory") {
      if (state.policy.rules.mayEnter(id)) descend(state, directory, name, id, depth + 1)
    } else if (isMarkdownName(name) && state.policy.rules.permits(id)) {
      state.deep = true
      skip(state, "too_deep", id)
    }
  }
  return true
}

const note = (state: State, parent: DirectoryHandle, { kind, name }: Entry, id: DocumentId): void => {
  const { budget, policy, root, walk } = state
  state.full ||= !budget.admitCandidate()
  const opened = openNote(walk, root, parent, name, policy.limits.max_file_bytes)
  if (typeof opened === "string") return skip(state, opened, id)
  if (state.full || kind !== "file") {
    walk.close(opened.handle)
    if (state.full) state.beyond++
    return
  }
  const reading = readNote(walk, opened)
  walk.close(opened.handle)
  budget.chargeBytes(reading.consumed)
  if ("skipped" in reading) return skip(state, reading.skipped, id)
  state.served.push(id)
}

const nothing: Survey = { served: [], beyond: 0, skipped: [], stopped: "root_unlistable" }

/** Below the root, or below `id`, a directory that the policy lets a search enter. Nothing where the root is refused. */
export const survey = Effect.fnUntraced(function* (policy: Policy, id = "") {
  const tree = yield* Tree
  const ceilings = yield* ScanBudget.ScanCeilings
  const walk = yield* tree.walk
  const root = openRoot(walk, policy)
  if (isRefused(root)) return nothing
  const state: State = {
    walk,
    root,
    policy,
    budget: ScanBudget.make(ceilings, policy.limits.max_entries),
    served: [],
    skipped: new Map(),
    beyond: 0,
    full: false,
    deep: false,
    stopped: undefined
  }
  const names = id === "" ? [] : id.split("/")
  let directory: DirectoryHandle = root.handle
  for (const name of names) {
    const next = openBranch(walk, state.root, directory, name)
    if (typeof next === "string") return nothing
    directory = next
  }
  if (!visit(state, directory, id, names.length)) state.stopped ??= "root_unlistable"
  const skipped = Array.from(state.skipped, ([reason, { count, example }]): Skipped => ({ reason, count, example }))
  const found: Survey = {
    served: state.served,
    beyond: state.beyond,
    skipped: skipped.toSorted((one, other) => other.count - one.count),
    stopped: state.stopped
  }
  return found
}, Effect.scoped)
