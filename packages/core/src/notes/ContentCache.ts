/**
 * Text read before, for a note that has not changed since. (design.md section 8)
 *
 * It stands behind the full check of the freshly opened descriptor: it saves reading and folding, never a decision, and
 * a hit is charged to the budget like a read. A note is kept only once its last change is old enough that a further
 * change must show in its times, which advance in steps.
 */
import { type Facts, unchanged } from "../tree/Facts.ts"

export interface KnownText {
  readonly text: string
  /** `Text.fold` of it. */
  readonly folded: string
}

export interface ContentCache {
  readonly find: (facts: Facts) => KnownText | undefined
  /** Keeps the text unless the note changed within the last two seconds before `now` (nanoseconds since 1970). */
  readonly keep: (facts: Facts, known: KnownText, now: bigint) => void
}

/** Bytes of notes: what one search may read, the last file's overshoot included, so that a repeated search finds all. */
export const maxCachedBytes = 17 * 1024 * 1024
/** Nanoseconds; the coarsest time stamps in use step by two seconds. */
const settled = 2_000_000_000n

const keyOf = (facts: Facts): string => `${facts.device}:${facts.inode}`

export const make = (maxBytes: number): ContentCache => {
  const entries = new Map<string, { readonly facts: Facts; readonly known: KnownText }>()
  let held = 0
  const drop = (key: string) => {
    held -= entries.get(key)?.facts.size ?? 0
    entries.delete(key)
  }
  return {
    find: (facts) => {
      const entry = entries.get(keyOf(facts))
      return entry !== undefined && unchanged(entry.facts, facts) ? entry.known : undefined
    },
    keep: (facts, known, now) => {
      const key = keyOf(facts)
      drop(key)
      const last = facts.changed > facts.modified ? facts.changed : facts.modified
      if (facts.size > maxBytes || last + settled > now) return
      for (const oldest of entries.keys()) {
        if (held + facts.size <= maxBytes) break
        drop(oldest)
      }
      entries.set(key, { facts, known })
      held += facts.size
    }
  }
}
