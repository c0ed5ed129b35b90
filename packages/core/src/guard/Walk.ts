/**
 * Where does a path lead? Follows it as the kernel would, name by name, and keeps all that it meets. (seed 004 "preserve
 * both lexical identity and current symlink targets, handle .. after symlink expansion")
 *
 * Links are always followed to the end, whatever the tool will do, and the link itself is kept as well. `..` takes
 * the parent of where the walk has come to, not of what is written. A name that is missing ends the asking: what
 * follows it is future, and a `..` there is refused because tools disagree about it.
 */
import { isSpecial, joined, lexical, parentOf } from "./LiteralPath.ts"
import { coveringMount, type MountTable, placeOf } from "./Mounts.ts"
import type { EntryKind, LookFault, Seen, Snapshot } from "./PathFacts.ts"

/** Linux follows 40 links in one path and no more. */
const maxLinks = 40

/**
 * - `link_loop` more links than a kernel follows; `not_directory` a name below something that holds no names
 * - `special_file_system` leads into processes, devices or kernel objects; `above_missing` `..` after a missing name
 */
export type WalkFault = LookFault | "link_loop" | "not_directory" | "special_file_system" | "above_missing"

export interface Refused {
  readonly refused: WalkFault
}

/** An entry on the way, by the name that has no link before it. */
export interface Visit {
  readonly path: string
  readonly id: number
}

export interface Walked {
  /** What the path is called, without repeats: as written, as an entry (links before it resolved), and in the end. */
  readonly names: ReadonlyArray<string>
  /** The last of them: where the path leads, existing or future. */
  readonly target: string
  /** The same by file system instead of mount point, so that two mounts of one tree agree; empty where unknown. */
  readonly places: ReadonlyArray<string>
  /** Every existing entry that was met, `/` first. */
  readonly visited: ReadonlyArray<Visit>
  /** What the target is; `undefined` for a future one. */
  readonly end: { readonly kind: Exclude<EntryKind, "link">; readonly id: number; readonly links: number } | undefined
  /** The last entry that exists on the way to a future target, else the target itself. */
  readonly anchor: number
  /** What of the target does not exist yet, with its slashes; "" when it does. */
  readonly future: string
}

export const isRefused = <A extends object>(result: A | Refused): result is Refused => "refused" in result

const refuse = (refused: WalkFault): Refused => ({ refused })

/** The names of a path, the last first. A slash at the end is a `.`: it wants a directory. */
const namesOf = (path: string): Array<string> => {
  const names = path.split("/").filter((name) => name !== "")
  if (path.endsWith("/") && names.length > 0) names.push(".")
  return names.toReversed()
}

const unique = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name, index) => names.indexOf(name) === index)

/** Wherever such a file system is mounted. A link in it may lead to what only its own process would find there. */
const isOnSpecial = (mounts: MountTable, path: string): boolean => coveringMount(mounts, path)?.special === true

/** Where a walk has come to: a directory, or at the very end whatever the path names. */
interface Reached {
  readonly path: string
  readonly entry: Seen
}

/** The names from a missing one on, or `undefined` where one of them goes up again. */
const futureOf = (missing: string, pending: ReadonlyArray<string>): string | undefined => {
  const rest = pending.toReversed().filter((name) => name !== ".")
  return rest.includes("..") ? undefined : `/${[missing, ...rest].join("/")}`
}

/** Walks an absolute path that has no defect. */
export const walk = (view: Snapshot, path: string): Walked | Refused => {
  const mounts = view.mounts()
  if (typeof mounts === "string") return refuse(mounts)
  const entry = view.look("/")
  if (typeof entry === "string" || entry.kind !== "directory") return refuse("io")

  const top: Reached = { path: "/", entry }
  const visited: Array<Visit> = [{ path: "/", id: entry.id }]
  const pending = namesOf(path)
  let here = top
  let links = 0
  let named: string | undefined
  let future: string | undefined = ""

  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (here.entry.kind !== "directory") return refuse("not_directory")
    if (name === ".") continue
    const next = name === ".." ? parentOf(here.path) : joined(here.path, name)
    // The first time that nothing is left over is at the path's own last name: links only add to what is left.
    if (pending.length === 0) named ??= next
    if (isSpecial(next)) return refuse("special_file_system")
    const seen = view.look(next)
    if (seen === "missing") {
      future = futureOf(name, pending)
      break
    }
    if (typeof seen === "string") return refuse(seen)
    if (name !== "..") visited.push({ path: next, id: seen.id })
    if (seen.kind !== "link") {
      here = { path: next, entry: seen }
      continue
    }
    links += 1
    if (links > maxLinks) return refuse("link_loop")
    if (seen.target === "") return refuse("io")
    if (isOnSpecial(mounts, next)) return refuse("special_file_system")
    pending.push(...namesOf(seen.target))
    if (seen.target.startsWith("/")) here = top
  }

  if (future === undefined) return refuse("above_missing")
  const target = future === "" ? here.path : joined(here.path, future.slice(1))
  if (isSpecial(target) || isOnSpecial(mounts, target)) return refuse("special_file_system")
  const { id, kind, links: hardLinks } = here.entry
  const names = unique([lexical(path), named ?? target, target])
  return {
    names,
    target,
    places: mounts.top === undefined ? [] : unique(names.map((name) => placeOf(mounts, name))),
    visited,
    end: future === "" && kind !== "link" ? { kind, id, links: hardLinks } : undefined,
    anchor: id,
    future
  }
}
