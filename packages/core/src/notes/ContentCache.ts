/**
 * What is known of notes read before, for one that has not changed since: its text, or what ranking knows of it.
 * (design.md section 8)
 *
 * It saves reading and looking through, never a decision: what an answer shows stands behind the full check of a freshly
 * opened descriptor, and a hit is charged to the budget like a read. A note is kept only once its last change is old
 * enough that a further change must show in its times, which advance in steps. Where there is no room, what the search
 * under way did not ask for goes first; it never drives out what it has just used, because it will ask for that again.
 */
import { type Facts, unchanged } from "../tree/Facts.ts"
import { bytesOf, type NoteIndex } from "./NoteIndex.ts"
import type { Searchable } from "./Query.ts"
import { type Signature, signatureOf } from "./Signature.ts"
import { fold } from "./Text.ts"

/** What is known of a note by its facts. */
export interface Known {
  readonly facts: Facts
  /** See `OpenNote`. */
  readonly unlisted: boolean
}

/** For a search that looks for substrings. */
export interface Texted extends Known, Searchable {}

/** For a search that ranks. */
export interface Indexed extends Known {
  readonly index: NoteIndex
}

export interface ContentCache {
  readonly findText: (facts: Facts, now: bigint) => Texted | undefined
  readonly findIndex: (facts: Facts, now: bigint) => Indexed | undefined
  /**
   * Keeps one of the two in place of what was kept of the note before, unless it changed within the last two seconds before
   * `now` (nanoseconds since 1970, the start of the call).
   */
  readonly keep: (known: Texted | Indexed, now: bigint) => void
}

/** Nanoseconds; the coarsest time stamps in use step by two seconds. */
const settling = 2_000_000_000n

/** Whether the last change lies so far before `now` (nanoseconds since 1970) that a later one must have another time. */
export const settledAt = ({ changed, modified }: Facts, now: bigint): boolean =>
  (changed > modified ? changed : modified) + settling <= now

/** Bytes that an entry takes beside text or index: facts and signature. */
const overhead = 1024
const costOf = (known: Texted | Indexed): number =>
  overhead + ("index" in known ? bytesOf(known.index) : known.facts.size)

/**
 * Bytes. Enough for what one search may look at: 16 MiB of text, the last file's overshoot of 1 MiB and the overhead of
 * 10,000 notes; or the indexes of 32 MiB of English, some 30 MiB. Of Chinese or Japanese they may take more: what does not
 * fit is worked out again in each search.
 */
export const maxCachedBytes = 48 * 1024 * 1024

/** Notes of two devices that share an inode, and inodes beyond what a number tells apart, take turns. */
const keyOf = ({ inode }: Facts): number => Number(inode)

interface Kept {
  readonly facts: Facts
  readonly unlisted: boolean
  readonly cost: number
  readonly text: string | undefined
  /** Of the text. Worked out when the text is first asked for again. */
  signature: Signature | undefined
  readonly index: NoteIndex | undefined
  /** The call that last asked for it. */
  used: bigint
}

export const make = (maxBytes: number): ContentCache => {
  const entries = new Map<number, Kept>()
  let held = 0
  let swept = -1n
  const drop = (key: number) => {
    held -= entries.get(key)?.cost ?? 0
    entries.delete(key)
  }
  const current = (facts: Facts, now: bigint): Kept | undefined => {
    const kept = entries.get(keyOf(facts))
    if (kept === undefined || !unchanged(kept.facts, facts)) return undefined
    kept.used = now
    return kept
  }
  const makeRoom = (cost: number, now: bigint): boolean => {
    if (held + cost <= maxBytes) return true
    if (swept === now) return false
    swept = now
    for (const [key, { used }] of entries) if (used !== now) drop(key)
    return held + cost <= maxBytes
  }
  return {
    findText: (facts, now) => {
      const kept = current(facts, now)
      if (kept?.text === undefined) return undefined
      kept.signature ??= signatureOf(fold(kept.text))
      return kept as Kept & { readonly text: string }
    },
    findIndex: (facts, now) => {
      const kept = current(facts, now)
      return kept?.index === undefined ? undefined : (kept as Kept & { readonly index: NoteIndex })
    },
    keep: (known, now) => {
      const { facts, unlisted } = known
      drop(keyOf(facts))
      const cost = costOf(known)
      if (!settledAt(facts, now) || cost > maxBytes || !makeRoom(cost, now)) return
      const what = "index" in known ? { text: undefined, index: known.index } : { text: known.text, index: undefined }
      entries.set(keyOf(facts), { facts, unlisted, cost, ...what, signature: undefined, used: now })
      held += cost
    }
  }
}
