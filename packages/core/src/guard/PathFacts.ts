/**
 * What the file system says about a path: a service that looks, and the plain record that judgements are made on.
 * (seed 004 "Path checks", cases/guard.md section 8)
 *
 * The service only looks at one name at a time and at the mount table; `Walk.ts` puts the looks together. So the whole
 * way from looks to verdict is a pure function, and a recorded set of looks gives the recorded verdict again.
 */
import * as Context from "effect/Context"
import { type MountTable, tableOf } from "./Mounts.ts"

/**
 * Why the system would not say. Closed: an errno without a row of its own is `io`, and only a proven ENOENT is missing.
 */
export type LookFault = "not_permitted" | "name_too_long" | "not_utf8" | "io"

export type EntryKind = "directory" | "file" | "link" | "other"

/** What bears a name. A link is not followed. */
export interface Entry {
  readonly kind: EntryKind
  /** Device and inode as one text: equal texts are one object. */
  readonly id: string
  /** Hard links. */
  readonly links: number
  /** Where a link points, as it is written there; "" for all else. */
  readonly target: string
}

/** Looks at an absolute path whose directories hold no link. */
export type Look = (path: string) => Entry | "missing" | LookFault

export interface View {
  readonly look: Look
  /** The mount table; empty where the system has none to ask. */
  readonly mounts: () => MountTable | LookFault
}

export class PathFacts extends Context.Service<PathFacts, View>()("@memory-bridge/core/guard/PathFacts") {}

const noMounts = tableOf([])

/** A tree with nothing in it, on which policies are judged without touching a file. */
export const emptyView: View = {
  look: (path) => (path === "/" ? { kind: "directory", id: "root", links: 1, target: "" } : "missing"),
  mounts: () => noMounts
}

/** An entry whose identity is a number: equal numbers are one object, within one `View`'s memory. */
export type Seen = Omit<Entry, "id"> & { readonly id: number }

/** A view that looks at each name once, so that one evaluation sees one state of it. */
export interface Snapshot {
  readonly look: (path: string) => Seen | "missing" | LookFault
  readonly mounts: () => MountTable | LookFault
}

export const snapshot = (view: View): Snapshot => {
  const seen = new Map<string, Seen | "missing" | LookFault>()
  // Numbers, because identities are compared several hundred times for one decision.
  const ids = new Map<string, number>()
  let table: MountTable | LookFault | undefined
  const numbered = (entry: Entry): Seen => {
    const id = ids.get(entry.id) ?? ids.size
    ids.set(entry.id, id)
    return { ...entry, id }
  }
  return {
    look: (path) => {
      const before = seen.get(path)
      if (before !== undefined) return before
      const now = view.look(path)
      const answer = typeof now === "string" ? now : numbered(now)
      seen.set(path, answer)
      return answer
    },
    mounts: () => (table ??= view.mounts())
  }
}
