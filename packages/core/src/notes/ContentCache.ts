/**
 * What is known of notes read before, for one that has not changed since: its text, or what ranking knows of it.
 * (design.md section 8)
 *
 * It saves reading and looking through, never a decision: what an answer shows stands behind the full check of a freshly
 * opened descriptor, and a hit is charged to the budget like a read. A note is kept only once its last change is old
 * enough that a further change must show in its times, which advance in steps. Where there is no room, what the search
 * under way did not ask for goes first; it never drives out what it has just used, because it will ask for that again.
 *
 * Each note that is kept has a row in tables that a search goes through without a look at the note (`Rows.ts`): the stamp of
 * its facts, and bits for the words and letters of an index.
 */
import { type Facts, unchanged } from "../tree/Facts.ts"
import * as BitTable from "./BitTable.ts"
import * as Counts from "./Counts.ts"
import {
  bytesOf,
  lengthsAt,
  lettersOf,
  letterProperties,
  type NoteIndex,
  textFields,
  wordProperties,
  wordsOf
} from "./NoteIndex.ts"
import type { Searchable } from "./Query.ts"
import * as Rows from "./Rows.ts"
import { type Signature, signatureOf } from "./Signature.ts"
import { fold } from "./Text.ts"

/** What is known of a note by its facts. */
export interface Known {
  readonly facts: Facts
  /** See `OpenNote`. */
  readonly unlisted: boolean
  /** Its row in the tables; -1 where it is not kept, or not any more. */
  readonly row: number
}

/** For a search that looks for substrings. */
export interface Texted extends Known, Searchable {}

/** For a search that ranks. */
export interface Indexed extends Known {
  readonly index: NoteIndex
}

/** What is kept of one of the two kinds, for one call. */
export interface Kind<Note extends Known> {
  readonly find: (facts: Facts) => Note | undefined
  /** Whether a row holds a note of this kind that need not be opened to be found again. Its stamp is for the caller to compare. */
  readonly holds: (row: number) => boolean
  /** What is in a row that held it when it was asked in this call. */
  readonly at: (row: number) => Note
  /** The row as it stood in the tables when the call began, -1 where it has been taken since. */
  readonly rowBefore: (row: number) => number
}

type Opened = Pick<Known, "facts" | "unlisted">

export interface ContentCache {
  /** `now` (nanoseconds since 1970, the start of the call) tells the calls apart. */
  readonly texts: (now: bigint) => Kind<Texted>
  readonly indexes: (now: bigint) => Kind<Indexed>
  /**
   * Keeps one of the two in place of what was kept of the note before, unless it changed within the last two seconds before
   * `now`.
   */
  readonly keepText: (note: Opened, text: string, now: bigint) => Texted
  /** `text` is what the index was made from. */
  readonly keepIndex: (note: Opened, index: NoteIndex, text: string, now: bigint) => Indexed
  /** A number for what a note is judged by, to find it again in a row. */
  readonly judgement: (by: string) => number
  readonly rows: Rows.Rows
  /** By row, what `wordsOf` and `lettersOf` tell of an index. */
  readonly words: BitTable.BitTable
  readonly letters: BitTable.BitTable
  /** By row, of indexes. */
  readonly counts: Counts.Counts
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
  readonly text: string | undefined
  /** Of the text. Worked out when the text is first asked for again. */
  signature: Signature | undefined
  readonly index: NoteIndex | undefined
}

/** What a row holds; a listed note is opened each time. */
const listed = 1
const aText = 2
const anIndex = 4

/** Judgements that are told apart; beyond them, all begin anew. */
const mostJudgements = 1_000

export const make = (maxBytes: number): ContentCache => {
  const entries = new Map<number, Kept>()
  const rows = Rows.make()
  /** By row. */
  const notes: Array<Kept | undefined> = []
  const words = BitTable.make(wordProperties)
  const letters = BitTable.make(letterProperties)
  const counts = Counts.make()
  const judgements = new Map<string, number>()
  let lastJudgement = 0
  let held = 0
  let swept = -1

  let turn = 0
  let last: bigint | undefined
  const turnAt = (now: bigint): number => {
    if (now !== last) {
      last = now
      turn++
    }
    return turn
  }

  const drop = (key: number) => {
    const kept = entries.get(key)
    if (kept === undefined) return
    held -= kept.cost
    entries.delete(key)
    // The search under way may come back to what it has asked for.
    if (rows.used[kept.row] !== turn) notes[kept.row] = undefined
    rows.give(kept.row)
    kept.row = -1
  }
  const makeRoom = (cost: number): boolean => {
    if (held + cost <= maxBytes) return true
    if (swept === turn) return false
    swept = turn
    for (const [key, { row }] of entries) if (rows.used[row] !== turn) drop(key)
    return held + cost <= maxBytes
  }
  /** Takes a place for a note if there is one for it. */
  const keep = (
    { facts, unlisted }: Opened,
    text: string | undefined,
    index: NoteIndex | undefined,
    now: bigint
  ): Kept => {
    turnAt(now)
    drop(keyOf(facts))
    const cost = overhead + (index === undefined ? facts.size : bytesOf(index))
    const kept: Kept = { facts, unlisted, row: -1, cost, text, signature: undefined, index }
    if (!settledAt(facts, now) || cost > maxBytes || !makeRoom(cost)) return kept
    kept.row = rows.take(facts, (unlisted ? 0 : listed) + (index === undefined ? aText : anIndex), turn)
    notes[kept.row] = kept
    entries.set(keyOf(facts), kept)
    held += cost
    return kept
  }
  const found = (facts: Facts): Kept | undefined => {
    const kept = entries.get(keyOf(facts))
    if (kept === undefined || !unchanged(kept.facts, facts)) return undefined
    rows.used[kept.row] = turn
    return kept
  }
  const kind = (what: number, now: bigint) => {
    turnAt(now)
    return {
      holds: (row: number): boolean => {
        if (row < 0 || rows.holds[row] !== what) return false
        rows.used[row] = turn
        return true
      },
      rowBefore: (row: number): number => (row >= 0 && rows.since[row] === turn ? -1 : row)
    }
  }
  const texted = (kept: Kept | undefined): Texted | undefined => {
    if (kept?.text === undefined) return undefined
    kept.signature ??= signatureOf(fold(kept.text))
    return kept as Kept & { readonly text: string }
  }
  const indexed = (kept: Kept | undefined): Indexed | undefined =>
    kept?.index === undefined ? undefined : (kept as Kept & { readonly index: NoteIndex })

  return {
    texts: (now) => ({
      ...kind(aText, now),
      find: (facts) => texted(found(facts)),
      at: (row) => texted(notes[row])!
    }),
    indexes: (now) => ({
      ...kind(anIndex, now),
      find: (facts) => indexed(found(facts)),
      at: (row) => indexed(notes[row])!
    }),
    keepText: (note, text, now) => keep(note, text, undefined, now) as Kept & { readonly text: string },
    keepIndex: (note, index, text, now) => {
      const kept = keep(note, undefined, index, now)
      if (kept.row >= 0) {
        counts.forget(kept.row)
        words.set(kept.row, wordsOf(index))
        letters.set(kept.row, lettersOf(text, index))
        rows.lengths.set(index.numbers.subarray(lengthsAt(index)), kept.row * textFields.length)
      }
      return kept as Kept & { readonly index: NoteIndex }
    },
    judgement: (by) => {
      const before = judgements.get(by)
      if (before !== undefined) return before
      if (judgements.size >= mostJudgements) judgements.clear()
      lastJudgement++
      judgements.set(by, lastJudgement)
      return lastJudgement
    },
    rows,
    words,
    letters,
    counts
  }
}
