/**
 * Which of the permitted notes answer a query best? BM25F over title, tags, headings, file name and body, times how much
 * of the query a note covers. (design.md section 8 "Version 2")
 *
 * It is shown permitted notes alone, and its statistics (how many notes hold a word, how long they are) are of those
 * alone, so a note that is denied can change no score. The numbers that the statistics come from are whole, and each
 * note's sums run in the order of the query: the same notes give the same scores to the last bit.
 */
import { type DocumentId, fileNameOf } from "../tree/DocumentId.ts"
import { hasRow } from "./BitTable.ts"
import {
  type Entry,
  hitAt,
  type Hits,
  hitSize,
  matching,
  reserve,
  type Sources,
  substring,
  type Tables
} from "./Matching.ts"
import { lengthsAt, looseText, type NoteIndex, propertiesOfKey, type TextField, textFields } from "./NoteIndex.ts"
import type { Wanted } from "./Wanted.ts"
import { keyOf, wordRow } from "./Words.ts"

/** What is known of a permitted note. */
export interface Candidate {
  readonly index: NoteIndex
}

export interface Ranked<Note> {
  readonly id: DocumentId
  readonly note: Note
  readonly score: number
}

/** The text of a note; `undefined` where it is not to be had any more. */
export type TextOf<Note> = (id: DocumentId, note: Note) => string | undefined

export interface Order<Note> {
  /** Best first; equal ones in scan order. */
  readonly notes: ReadonlyArray<Ranked<Note>>
  /** All that match. */
  readonly found: number
  /** How much each word tells, for the choice of a passage. */
  readonly worths: ReadonlyArray<number>
}

/** Shown every permitted note in scan order, then asked once for those that match best. */
export interface Ranking<Note extends Candidate, In extends Entry = Entry> {
  /**
   * Whether the note matches. `row` is its row in the tables, -1 where it has none or got it after the ranking was made.
   * `text` is asked for only if what is known of the note does not tell.
   */
  readonly look: (entry: In, note: Note, row: number, text: () => string | undefined) => boolean
  /** The same for a note that has a row, and that is fetched only if it may match. */
  readonly again: (entry: In, row: number, textOf: (entry: In) => string | undefined) => void
  /** `textOf` is asked for the notes at the top. */
  readonly order: (textOf: TextOf<Note>, atMost: number) => Order<Note>
}

/** How much an occurrence in a field counts, and how much the length of the field takes from it. */
const fields: Readonly<Record<TextField, { readonly weight: number; readonly lengthShare: number }>> = {
  title: { weight: 6, lengthShare: 0.3 },
  tags: { weight: 4, lengthShare: 0.2 },
  headings: { weight: 3, lengthShare: 0.3 },
  body: { weight: 1, lengthShare: 0.75 }
}
/** How much more a tag counts that was asked for as one. */
const asTag = 8
/** Occurrences after which more of them say little more. */
const saturation = 1.2
/** What is left to a note that covers next to nothing of the query. */
const uncovered = 0.15
/** The notes at the top that are looked at for words in a row, and what it is worth if all are. */
const rowDepth = 20
const rowGain = 0.3

const tagField = textFields.indexOf("tags")

/**
 * What stands before the hits of a note: where they end, its row, or -1 less its place among those without one, whether the
 * query is a name of it, the words of its fields.
 */
const headAt = { end: 0, note: 1, named: 2, lengths: 3 } as const
const headSize = headAt.lengths + textFields.length

/** The list of hits serves one search after the other: it would be the largest thing that each leaves behind. */
let spare: Float64Array = new Float64Array(0)
/** Numbers. What a search leaves behind that is larger is not kept. */
const mostSpare = 1 << 20

export const make = <Note extends Candidate, In extends Entry = Entry>(
  query: string,
  wants: ReadonlyArray<Wanted>,
  tables: Tables,
  at: (row: number) => Note
): Ranking<Note, In> => {
  const { match, mayMatch } = matching(wants, tables)
  const entries: Array<Entry> = []
  /** Those without a row. */
  const notes: Array<Note> = []
  const hits: Hits = { numbers: spare, length: 0 }
  spare = new Float64Array(0)
  const total = textFields.map(() => 0)
  /** Notes that have the word in some form, and those that have it at least as a substring. */
  const holding = wants.map(() => 0)
  const containing = wants.map(() => 0)
  let seen = 0
  const name = wordRow(query)
  const nameMarks = tables.words.having(propertiesOfKey(keyOf("name", name)))

  /**
   * Whether a note matches; then its hits are in the list. `place` is what its head says of where it is found, and the words
   * of its fields stand in `lengths` from `first` on.
   */
  const take = (entry: Entry, note: Sources, place: number, lengths: Uint32Array, first: number): boolean => {
    const head = hits.length
    reserve(hits, headSize)
    hits.length += headSize
    if (match(entry, note, hits) === 0) {
      hits.length = head
      return false
    }
    const { length: end, numbers } = hits
    const mayBeNamed = name !== "" && (note.row < 0 || hasRow(nameMarks, note.row))
    const isNamed = (mayBeNamed && note.index().names.includes(name)) || isNamedByPath(name, entry)
    numbers[head + headAt.end] = end
    numbers[head + headAt.note] = place
    numbers[head + headAt.named] = isNamed ? 1 : 0
    for (let field = 0; field < total.length; field++) numbers[head + headAt.lengths + field] = lengths[first + field]!
    for (let at = head + headSize; at < end; at += hitSize) {
      const which = numbers[at + hitAt.which]!
      containing[which]!++
      if (numbers[at + hitAt.strength]! > substring.strength) holding[which]!++
    }
    entries.push(entry)
    return true
  }

  const count = (lengths: Uint32Array, first: number): void => {
    seen++
    for (let field = 0; field < total.length; field++) total[field]! += lengths[first + field]!
  }

  const look: Ranking<Note, In>["look"] = (entry, note, row, text) => {
    const { index } = note
    const { numbers } = index
    const first = lengthsAt(index)
    count(numbers, first)
    if (!take(entry, { row, index: () => index, text }, -1 - notes.length, numbers, first)) return false
    notes.push(note)
    return true
  }

  // One for all notes that have a row: an object for each would be most of what a search allocates.
  let textOfEntry: ((entry: In) => string | undefined) | undefined
  let current: In | undefined
  const kept = {
    row: -1,
    index: () => at(kept.row).index,
    text: () => (current === undefined ? undefined : textOfEntry?.(current))
  }

  const again: Ranking<Note, In>["again"] = (entry, row, textOf) => {
    const { lengths } = tables.rows
    const first = row * total.length
    count(lengths, first)
    if (!mayMatch(entry, row)) return
    kept.row = row
    current = entry
    textOfEntry = textOf
    take(entry, kept, row, lengths, first)
  }

  /** The score of each note that matches, and which of them the query is a name of. */
  const scored = (worths: ReadonlyArray<number>) => {
    const loose = containing.map((count) => rarity(seen, count))
    const firm = holding.map((count) => rarity(seen, count))
    const whole = worths.reduce((sum, worth) => sum + worth, 0)
    const averages = total.map((length) => Math.max(1, length / Math.max(1, seen)))
    const { numbers } = hits
    const score = new Float64Array(entries.length)
    const isNamed = new Uint8Array(entries.length)
    const places = new Int32Array(entries.length)
    let head = 0
    for (let which = 0; which < entries.length; which++) {
      const end = numbers[head + headAt.end]!
      let [sum, covered] = [0, 0]
      for (let at = head + headSize; at < end; at += hitSize) {
        const word = numbers[at + hitAt.which]!
        const strength = numbers[at + hitAt.strength]!
        const worth = strength > substring.strength ? firm[word]! : loose[word]!
        const weight = weightOf(numbers, at, head + headAt.lengths, wants[word]!.tagged, averages)
        sum += (worth * weight) / (saturation + weight)
        covered += worth * strength
      }
      const share = whole === 0 ? 0 : Math.min(1, covered / whole)
      score[which] = sum * (uncovered + (1 - uncovered) * share * share)
      isNamed[which] = numbers[head + headAt.named]!
      places[which] = numbers[head + headAt.note]!
      head = end
    }
    return { score, isNamed, places }
  }

  const order: Ranking<Note, In>["order"] = (textOf, atMost) => {
    const worths = wants.map((_, which) =>
      holding[which]! > 0
        ? rarity(seen, holding[which]!)
        : containing[which]! > 0
          ? rarity(seen, containing[which]!)
          : 0
    )
    const { isNamed, places, score } = scored(worths)
    const noteAt = (which: number): Note => {
      const place = places[which]!
      return place < 0 ? notes[-1 - place]! : at(place)
    }
    if (hits.numbers.length <= mostSpare) spare = hits.numbers
    const depth = Math.max(rowDepth, atMost)
    const best = highest(score, depth)
    // A query that is the whole name of a note asks for that note, wherever it stands.
    const asked = highest(score, depth, (at) => isNamed[at] === 1)
    const bonus = (which: number): number => {
      if (wants.length < 2) return 1
      const note = noteAt(which)
      return rowBonus(wants, looseText(textOf(entries[which]!.id, note) ?? "", note.index))
    }
    const rowed = best.slice(0, rowDepth).map((which) => ({ which, score: score[which]! * bonus(which) }))
    const plain = [...best.slice(rowDepth), ...asked.filter((which) => !best.includes(which))]
    const ranked = [...rowed.toSorted(byScore), ...plain.map((which) => ({ which, score: score[which]! }))]
    const [above, below] = parted(ranked, ({ which }) => isNamed[which] === 1)
    const shown = [...above, ...below].slice(0, atMost)
    return {
      notes: shown.map(({ score, which }) => ({ id: entries[which]!.id, note: noteAt(which), score })),
      found: entries.length,
      worths
    }
  }

  return { look, again, order }
}

/** How much a word tells that so many of the notes hold. Never negative. */
const rarity = (seen: number, notes: number): number => Math.log(1 + (seen - notes + 0.5) / (notes + 0.5))

/** Sorting by it is stable: equal scores stay in scan order. */
const byScore = (one: { readonly score: number }, other: { readonly score: number }): number => other.score - one.score

const parted = <A>(all: ReadonlyArray<A>, test: (one: A) => boolean): readonly [Array<A>, Array<A>] => {
  const [yes, no]: readonly [Array<A>, Array<A>] = [[], []]
  for (const one of all) (test(one) ? yes : no).push(one)
  return [yes, no]
}

/** The places of the highest numbers that pass, at most so many, highest first; of equal ones the first. */
const highest = (
  numbers: Float64Array,
  atMost: number,
  passes: (at: number) => boolean = () => true
): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = 0; at < numbers.length; at++) {
    const isFull = found.length >= atMost
    if ((isFull && (atMost <= 0 || numbers[at]! <= numbers[found.at(-1)!]!)) || !passes(at)) continue
    if (isFull) found.pop()
    let place = found.length
    while (place > 0 && numbers[found[place - 1]!]! < numbers[at]!) place--
    found.splice(place, 0, at)
  }
  return found
}

/** Of a hit; `lengths` is where the words of the note's fields stand. */
const weightOf = (
  numbers: Float64Array,
  at: number,
  lengths: number,
  tagged: boolean,
  averages: ReadonlyArray<number>
): number => {
  let sum = 0
  for (let field = 0; field < weights.length; field++) {
    const count = numbers[at + hitAt.counts + field]!
    if (count === 0) continue
    const { lengthShare, weight } = weights[field]!
    const each = tagged && field === tagField ? weight * asTag : weight
    sum += (each * count) / (1 - lengthShare + (lengthShare * numbers[lengths + field]!) / averages[field]!)
  }
  const path = numbers[at + hitAt.path]!
  // All pieces of a word, no two of them in one field, or a substring.
  if (sum === 0 && path === 0) return substring.occurrence
  return sum * numbers[at + hitAt.strength]! + path
}

const weights = textFields.map((field) => fields[field])

/** How many neighbours among two words or more are neighbours in a folded text, as a factor. */
const rowBonus = (wants: ReadonlyArray<Wanted>, folded: string): number => {
  let found = 0
  for (const [which, want] of wants.slice(1).entries()) if (inRow(wants[which]!, want, folded)) found++
  return 1 + (rowGain * found) / (wants.length - 1)
}

const between = /[\s_-]/u

/** Whether one word stands right before another somewhere, with no more than white space, hyphens or low lines between. */
const inRow = (one: Wanted, other: Wanted, folded: string): boolean => {
  if (one.unspaced && other.unspaced) return folded.includes(one.text + other.text)
  const { length } = one.text
  for (let at = folded.indexOf(one.text); at >= 0;) {
    let next = at + length
    while (between.test(folded.charAt(next))) next++
    if (next > at + length && folded.startsWith(other.text, next)) return true
    // One that ends within what was passed over comes to the same place.
    at = folded.indexOf(one.text, Math.max(at + 1, next - length))
  }
  return false
}

const isWordUnit = (unit: number): boolean => (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39)

/** Whether a query, as a row of words, is the file name or the id of a note. */
const isNamedByPath = (name: string, { folded, id }: Entry): boolean => {
  if (name === "") return false
  // Making a row of words costs more than all else here, and the last letter before `.md` mostly tells.
  const last = folded.charCodeAt(folded.length - 4)
  if (isWordUnit(last) && last !== name.charCodeAt(name.length - 1) && !name.endsWith("md")) return false
  const space = name.indexOf(" ")
  if (!folded.includes(space < 0 ? name : name.slice(0, space))) return false
  const path = wordRow(id)
  if (!path.endsWith(name) && !path.endsWith(`${name} md`)) return false
  return [path, wordRow(fileNameOf(id))].some((whole) => whole === name || whole === `${name} md`)
}
