/**
 * What is known of notes read before, for one that has not changed since: its text, or what ranking knows of it.
 * (design.md section 8)
 *
 * It saves reading and looking through, never a decision: what an answer shows stands behind the full check of a freshly
 * opened descriptor, and a hit is charged to the budget like a read. A note is kept only once its last change is old
 * enough that a further change must show in its times, which advance in steps. Where there is no room, what the search
 * under way did not ask for goes first; it never drives out what it has just used, because it will ask for that again.
 *
 * Each note that is kept has a row in tables that a search goes through without a look at the note: the stamp of its facts,
 * and bits for the words and letters of an index. A row is given to another note once its own is dropped.
 */
import { type Facts, unchanged } from "../tree/Facts.ts"
import { stampWords, writeStamp } from "../tree/Stamp.ts"
import * as BitTable from "./BitTable.ts"
import { bytesOf, lettersOf, letterProperties, type NoteIndex, wordProperties, wordsOf } from "./NoteIndex.ts"
import type { Searchable } from "./Query.ts"
import { type Signature, signatureOf } from "./Signature.ts"
import { fold } from "./Text.ts"

/** What is known of a note by its facts. */
export interface Known {
  readonly facts: Facts
  /** See `OpenNote`. */
  readonly unlisted: boolean
  /** Where it stands in the tables; -1 where it is not kept, or not any more. */
  readonly row: number
  /** The call that kept it, or looked at it without keeping it. */
  readonly since: bigint
}

/** For a search that looks for substrings. */
export interface Texted extends Known, Searchable {}

/** For a search that ranks. */
export interface Indexed extends Known {
  readonly index: NoteIndex
}

type Opened = Pick<Known, "facts" | "unlisted">

export interface ContentCache {
  readonly findText: (facts: Facts, now: bigint) => Texted | undefined
  readonly findIndex: (facts: Facts, now: bigint) => Indexed | undefined
  /** The same for what was found or kept before, if it is kept still. Its facts are for the caller to look at. */
  readonly recallText: (known: Known, now: bigint) => Texted | undefined
  readonly recallIndex: (known: Known, now: bigint) => Indexed | undefined
  /**
   * Keeps one of the two in place of what was kept of the note before, unless it changed within the last two seconds before
   * `now` (nanoseconds since 1970, the start of the call).
   */
  readonly keepText: (note: Opened, text: string, now: bigint) => Texted
  /** `text` is what the index was made from. */
  readonly keepIndex: (note: Opened, index: NoteIndex, text: string, now: bigint) => Indexed
  /** By row. To be asked for anew after anything was kept. */
  readonly stamps: () => Int32Array
  /** By row, what `wordsOf` and `lettersOf` tell of an index. */
  readonly words: BitTable.BitTable
  readonly letters: BitTable.BitTable
}

/** Nanoseconds; the coarsest time stamps in use step by two seconds. */
const settling = 2_000_000_000n

/** Whether the last change lies so far before `now` (nanoseconds since 1970) that a later one must have another time. */
export const settledAt = ({ changed, modified }: Facts, now: bigint): boolean =>
  (changed > modified ? changed : modified) + settling <= now

/** Bytes that an entry takes beside text or index: facts, signature, its row of the tables. */
const overhead = 1024

/**
 * Bytes. Enough for what one search may look at: 16 MiB of text, the last file's overshoot of 1 MiB and the overhead of
 * 10,000 notes; or the indexes of 32 MiB of English, some 30 MiB. Of Chinese or Japanese they may take more: what does not
 * fit is worked out again in each search.
 */
export const maxCachedBytes = 48 * 1024 * 1024

/** Notes of two devices that share an inode, and inodes beyond what a number tells apart, take turns. */
const keyOf = ({ inode }: Facts): number => Number(inode)

interface Kept extends Known {
  row: number
  readonly cost: number
  text: string | undefined
  /** Of the text. Worked out when the text is first asked for again. */
  signature: Signature | undefined
  index: NoteIndex | undefined
  /** The call that last asked for it. */
  used: bigint
}

/** Rows, free ones first, with the stamps that stand in them. */
const rows = () => {
  const free: Array<number> = []
  let stamps = new Int32Array(64 * stampWords)
  let taken = 0
  return {
    stamps: () => stamps,
    take: (facts: Facts): number => {
      const row = free.pop() ?? taken++
      if (taken * stampWords > stamps.length) {
        const more = new Int32Array(stamps.length * 1.5)
        more.set(stamps)
        stamps = more
      }
      writeStamp(facts, stamps, row * stampWords)
      return row
    },
    give: (row: number): void => {
      free.push(row)
    }
  }
}

export const make = (maxBytes: number): ContentCache => {
  const entries = new Map<number, Kept>()
  const table = rows()
  const words = BitTable.make(wordProperties)
  const letters = BitTable.make(letterProperties)
  let held = 0
  let swept = -1n

  const drop = (key: number, now: bigint) => {
    const kept = entries.get(key)
    if (kept === undefined) return
    held -= kept.cost
    entries.delete(key)
    table.give(kept.row)
    kept.row = -1
    // Whoever remembers it would hold its content; the search under way may still need that.
    if (kept.used !== now) kept.text = kept.index = kept.signature = undefined
  }
  const makeRoom = (cost: number, now: bigint): boolean => {
    if (held + cost <= maxBytes) return true
    if (swept === now) return false
    swept = now
    for (const [key, { used }] of entries) if (used !== now) drop(key, now)
    return held + cost <= maxBytes
  }
  const find = (facts: Facts): Kept | undefined => {
    const kept = entries.get(keyOf(facts))
    return kept !== undefined && unchanged(kept.facts, facts) ? kept : undefined
  }
  const asText = (kept: Kept | undefined, now: bigint): Texted | undefined => {
    if (kept === undefined || kept.row < 0) return undefined
    kept.used = now
    if (kept.text === undefined) return undefined
    kept.signature ??= signatureOf(fold(kept.text))
    return kept as Kept & { readonly text: string }
  }
  const asIndex = (kept: Kept | undefined, now: bigint): Indexed | undefined => {
    if (kept === undefined || kept.row < 0) return undefined
    kept.used = now
    return kept.index === undefined ? undefined : (kept as Kept & { readonly index: NoteIndex })
  }
  /** Takes a place for a note if there is one for it. */
  const keep = (
    { facts, unlisted }: Opened,
    text: string | undefined,
    index: NoteIndex | undefined,
    now: bigint
  ): Kept => {
    drop(keyOf(facts), now)
    const cost = overhead + (index === undefined ? facts.size : bytesOf(index))
    const isKept = settledAt(facts, now) && cost <= maxBytes && makeRoom(cost, now)
    const row = isKept ? table.take(facts) : -1
    const kept = { facts, unlisted, row, since: now, cost, text, signature: undefined, index, used: now }
    if (isKept) {
      entries.set(keyOf(facts), kept)
      held += cost
    }
    return kept
  }

  return {
    findText: (facts, now) => asText(find(facts), now),
    findIndex: (facts, now) => asIndex(find(facts), now),
    recallText: (known, now) => asText(known as Kept, now),
    recallIndex: (known, now) => asIndex(known as Kept, now),
    keepText: (note, text, now) => keep(note, text, undefined, now) as Kept & { readonly text: string },
    keepIndex: (note, index, text, now) => {
      const kept = keep(note, undefined, index, now)
      if (kept.row >= 0) {
        words.set(kept.row, wordsOf(index))
        letters.set(kept.row, lettersOf(text, index))
      }
      return kept as Kept & { readonly index: NoteIndex }
    },
    stamps: table.stamps,
    words,
    letters
  }
}
