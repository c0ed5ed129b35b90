/**
 * What a directory listed before, for a directory that has not changed since. (design.md section 8)
 *
 * Like the content cache it stands behind the full check of the freshly opened directory, saves work and never a
 * decision: each entry is asked anew, and what rules said of a path is taken from those very rules alone. It holds served
 * names alone, and only of directories whose last change is old enough that a further one must show in their times.
 */
import { type Facts, unchanged } from "../tree/Facts.ts"
import type { AccessRules } from "../policy/AccessRules.ts"
import { childId, type DocumentId, isMarkdownName, maxIdLength } from "../tree/DocumentId.ts"
import { type NameSet, servedBy } from "../tree/ServedName.ts"
import { seenAs, type Seen } from "../tree/Stamp.ts"
import type { Entry, Listing } from "../tree/Tree.ts"
import { settledAt } from "./ContentCache.ts"
import { foldWords } from "./Words.ts"

/** An entry of a served name whose path is an id. Small, since a search goes through all of them. */
export interface Named {
  readonly name: string
  readonly kind: Entry["kind"]
  readonly id: DocumentId
  /** The id as a search by relevance compares it. */
  readonly folded: string
  /** Row of the note that was there when last opened, else -1, or the directory. Both may have changed since. */
  row: number
  folder: Folder | undefined
}

/** The path of an entry from its root, whose ids begin with `prefix`. */
export const pathOf = ({ id }: Named, prefix: string): DocumentId => id.slice(prefix.length) as DocumentId

/** A directory's entries of served names, in name order. */
export interface Listed {
  readonly entries: ReadonlyArray<Named>
  /** Directory entries of any kind. */
  readonly raw: number
  /** The rules that were last asked, and the entries that they leave, see `openIn`. */
  rules: AccessRules | undefined
  open: ReadonlyArray<Named>
}

/** The notes that rules permit, and the directories that they let one into. */
export const openIn = (listed: Listed, { prefix, rules }: { readonly prefix: string; readonly rules: AccessRules }) => {
  if (listed.rules !== rules) {
    listed.open = listed.entries.filter((entry) => {
      const path = pathOf(entry, prefix)
      return entry.kind === "directory" ? rules.mayEnter(path) : isMarkdownName(entry.name) && rules.permits(path)
    })
    listed.rules = rules
  }
  return listed.open
}

/** Which directory of which root, and how its names are looked at. */
export interface Place {
  readonly path: string
  /** Segments of `path`. */
  readonly depth: number
  readonly names: NameSet
  /** Of its root's ids. */
  readonly prefix: string
}

/** A directory as it was when it was listed. */
export interface Folder {
  readonly place: Place
  readonly seen: Seen
  /** `undefined` once it is not kept any more. */
  listed: Listed | undefined
}

export interface Listings {
  /** What is kept of a directory that is as it was. */
  readonly find: (facts: Facts, place: Place) => Folder | undefined
  /** Keeps what may be kept, and carries over what is known of entries that are still there. */
  readonly add: (facts: Facts, place: Place, listing: Listing, now: bigint) => Added
}

export interface Added {
  readonly listed: Listed
  /** Where it was kept. */
  readonly folder: Folder | undefined
}

/** Names, of all directories. Those of one search with room to spare. */
export const maxListedNames = 100_000

const byName = (one: Named, other: Named): number => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)

const isAt = (one: Place, other: Place): boolean =>
  one.path === other.path && one.names === other.names && one.prefix === other.prefix

const listedAs = ({ entries, raw }: Listing, place: Place, before: Listed | undefined): Listed => {
  const isServed = servedBy[place.names]
  const known = new Map(before?.entries.map((entry) => [entry.name, entry]))
  const served: Array<Named> = []
  for (const { kind, name } of entries) {
    const path = isServed(name) ? childId(place.path, place.depth, name) : undefined
    if (path === undefined || place.prefix.length + path.length > maxIdLength) continue
    const same = known.get(name)
    served.push(same?.kind === kind ? same : named(name, kind, `${place.prefix}${path}` as DocumentId))
  }
  return { entries: served.toSorted(byName), raw, rules: undefined, open: [] }
}

const named = (name: string, kind: Entry["kind"], id: DocumentId): Named => ({
  name,
  kind,
  id,
  folded: foldWords(id),
  row: -1,
  folder: undefined
})

/** A directory without served names takes room as well. */
const costOf = ({ entries }: Listed): number => entries.length + 1

export const make = (maxNames = maxListedNames): Listings => {
  // By inode; directories of two devices that share a number take turns.
  const kept = new Map<bigint, Folder>()
  let held = 0
  const drop = (inode: bigint) => {
    const folder = kept.get(inode)
    if (folder?.listed === undefined) return
    held -= costOf(folder.listed)
    // An entry of its parent may still know it.
    folder.listed = undefined
    kept.delete(inode)
  }
  const at = ({ inode }: Facts, place: Place): Folder | undefined => {
    const folder = kept.get(inode)
    return folder !== undefined && isAt(folder.place, place) ? folder : undefined
  }
  return {
    find: (facts, place) => {
      const folder = at(facts, place)
      return folder !== undefined && unchanged(folder.seen.facts, facts) ? folder : undefined
    },
    add: (facts, place, listing, now) => {
      const listed = listedAs(listing, place, at(facts, place)?.listed)
      drop(facts.inode)
      if (!listing.lasting || costOf(listed) > maxNames || !settledAt(facts, now)) return { listed, folder: undefined }
      for (const oldest of kept.keys()) {
        if (held + costOf(listed) <= maxNames) break
        drop(oldest)
      }
      const folder = { place, seen: seenAs(facts), listed }
      kept.set(facts.inode, folder)
      held += costOf(listed)
      return { listed, folder }
    }
  }
}
