/**
 * Text read before, for a note that has not changed since. (design.md section 8)
 *
 * It saves reading and looking through, never a decision: what an answer shows stands behind the full check of a freshly
 * opened descriptor, and a hit is charged to the budget like a read. A note is kept only once its last change is old
 * enough that a further change must show in its times, which advance in steps.
 */
import { type Facts, unchanged } from "../tree/Facts.ts"
import { bytesOf, type NoteIndex } from "./NoteIndex.ts"
import type { Searchable } from "./Query.ts"
import { type Signature, signatureOf } from "./Signature.ts"
import { fold } from "./Text.ts"
import type { OpenNote } from "./TrustedEntry.ts"

/** What is known of a note by its facts. */
export interface Known {
  readonly text: string
  /** See `OpenNote`. */
  readonly unlisted: boolean
}

/** A text with what ranking knows of it, where there was room to keep that. */
export interface Indexed extends Known {
  readonly index: NoteIndex | undefined
}

export interface ContentCache {
  /** For a search that looks for substrings. */
  readonly find: (facts: Facts) => (Known & Searchable) | undefined
  /** For a search that ranks. */
  readonly findIndexed: (facts: Facts) => Indexed | undefined
  /** Keeps the text unless the note changed within the last two seconds before `now` (nanoseconds since 1970). */
  readonly keep: (note: Pick<OpenNote, "facts" | "unlisted">, text: string, now: bigint, index?: NoteIndex) => void
}

/** Nanoseconds; the coarsest time stamps in use step by two seconds. */
const settling = 2_000_000_000n

/** Whether the last change lies so far before `now` (nanoseconds since 1970) that a later one must have another time. */
export const settledAt = ({ changed, modified }: Facts, now: bigint): boolean =>
  (changed > modified ? changed : modified) + settling <= now

/** Bytes that an entry takes beside its text: facts and signature. */
const overhead = 1024
const costOf = ({ size }: Facts): number => size + overhead

/**
 * Bytes. What one search may read, so that a repeated one finds all of it: 16 MiB, the last file's overshoot of 1 MiB,
 * and the overhead of 10,000 notes.
 */
export const maxCachedBytes = 17 * 1024 * 1024 + 10_000 * overhead

/**
 * Bytes of indexes. Those of 16 MiB of English take some 15 MiB, of Chinese or Japanese more than there is room for: what
 * does not fit is worked out again in each search, in place of something that another note has.
 */
export const maxIndexBytes = 32 * 1024 * 1024

interface Kept extends Searchable, Known {
  readonly facts: Facts
  readonly index: NoteIndex | undefined
  /** Worked out when the text is first asked for again. */
  signature: Signature | undefined
}

export const make = (maxBytes: number, indexRoom = maxIndexBytes): ContentCache => {
  // By inode; notes of two devices that share a number take turns.
  const entries = new Map<bigint, Kept>()
  let held = 0
  let indexHeld = 0
  const drop = (inode: bigint) => {
    const kept = entries.get(inode)
    if (kept !== undefined) held -= costOf(kept.facts)
    if (kept?.index !== undefined) indexHeld -= bytesOf(kept.index)
    entries.delete(inode)
  }
  const current = (facts: Facts): Kept | undefined => {
    const kept = entries.get(facts.inode)
    return kept === undefined || !unchanged(kept.facts, facts) ? undefined : kept
  }
  return {
    find: (facts) => {
      const kept = current(facts)
      if (kept === undefined) return undefined
      kept.signature ??= signatureOf(fold(kept.text))
      return kept
    },
    findIndexed: current,
    keep: ({ facts, unlisted }, text, now, index) => {
      drop(facts.inode)
      if (costOf(facts) > maxBytes || !settledAt(facts, now)) return
      for (const oldest of entries.keys()) {
        if (held + costOf(facts) <= maxBytes) break
        drop(oldest)
      }
      const fits = index !== undefined && indexHeld + bytesOf(index) <= indexRoom
      entries.set(facts.inode, { facts, unlisted, text, signature: undefined, index: fits ? index : undefined })
      held += costOf(facts)
      if (fits) indexHeld += bytesOf(index)
    }
  }
}
