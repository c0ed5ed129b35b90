/**
 * What a directory listed before, for a directory that has not changed since. (design.md section 8)
 *
 * Like the content cache it stands behind the full check of the freshly opened directory, saves work and never a
 * decision: which of the names are permitted is asked anew, and so is each entry. It holds served names alone, and only
 * of directories whose last change is old enough that a further one must show in their times.
 */
import { type Facts, unchanged } from "../tree/Facts.ts"
import { childId, type DocumentId } from "../tree/DocumentId.ts"
import { type NameSet, servedBy } from "../tree/ServedName.ts"
import type { Entry, Listing } from "../tree/Tree.ts"
import { settledAt } from "./ContentCache.ts"

/** An entry of a served name. */
export interface Named {
  readonly name: string
  readonly kind: Entry["kind"]
  /** Its path from the root; `undefined` where that would break the limits of an id. */
  readonly path: DocumentId | undefined
}

/** A directory's entries of served names, in name order. */
export interface Listed {
  readonly entries: ReadonlyArray<Named>
  /** Directory entries of any kind. */
  readonly raw: number
}

/** Which directory of which root, and how its names are looked at. */
export interface Place {
  readonly path: string
  /** Segments of `path`. */
  readonly depth: number
  readonly names: NameSet
}

export interface Listings {
  readonly find: (facts: Facts, place: Place) => Listed | undefined
  /** Keeps what may be kept. `now` is in nanoseconds since 1970. */
  readonly keep: (facts: Facts, place: Place, listed: Listed, now: bigint) => void
}

/** Names, of all directories. Those of one search with room to spare. */
export const maxListedNames = 100_000

const byName = (one: Named, other: Named): number => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)

export const listedAs = ({ entries, raw }: Listing, { depth, names, path }: Place): Listed => {
  const isServed = servedBy[names]
  const served = entries
    .filter(({ name }) => isServed(name))
    .map(({ kind, name }): Named => ({ name, kind, path: childId(path, depth, name) }))
  return { entries: served.toSorted(byName), raw }
}

interface Kept extends Place {
  readonly facts: Facts
  readonly listed: Listed
}

/** A directory without served names takes room as well. */
const costOf = ({ entries }: Listed): number => entries.length + 1

export const make = (maxNames = maxListedNames): Listings => {
  // By inode; directories of two devices that share a number take turns.
  const kept = new Map<bigint, Kept>()
  let held = 0
  const drop = (inode: bigint) => {
    const before = kept.get(inode)
    if (before !== undefined) held -= costOf(before.listed)
    kept.delete(inode)
  }
  return {
    find: (facts, place) => {
      const before = kept.get(facts.inode)
      return before !== undefined &&
        unchanged(before.facts, facts) &&
        before.path === place.path &&
        before.names === place.names
        ? before.listed
        : undefined
    },
    keep: (facts, place, listed, now) => {
      drop(facts.inode)
      if (costOf(listed) > maxNames || !settledAt(facts, now)) return
      for (const oldest of kept.keys()) {
        if (held + costOf(listed) <= maxNames) break
        drop(oldest)
      }
      kept.set(facts.inode, { ...place, facts, listed })
      held += costOf(listed)
    }
  }
}
