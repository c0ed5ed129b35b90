/**
 * Which of the permitted notes answer a query best? BM25F over title, tags, headings, file name and body, times how much
 * of the query a note covers. (design.md section 8 "Version 2")
 *
 * It is shown permitted notes alone, and its statistics (how many notes hold a word, how long they are) are of those
 * alone, so a note that is denied can change no score. The numbers that the statistics come from are whole, and each
 * note's sums run in the order of the query: the same notes give the same scores to the last bit.
 */
import { type DocumentId, fileNameOf } from "../tree/DocumentId.ts"
import { countIn, countsOf, looseText, type NoteIndex, type TextField, textFields } from "./NoteIndex.ts"
import { mayContain } from "./Signature.ts"
import type { Wanted } from "./Wanted.ts"
import { chunksOf, foldWords, wordRow } from "./Words.ts"

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
  /** How much each word tells, for the choice of a passage. */
  readonly worths: ReadonlyArray<number>
}

/** Shown every permitted note in scan order, then asked for the order of those that match. */
export interface Ranking<Note extends Candidate> {
  /** Whether the note matches. `text` is asked for only if what is known of the note does not tell. */
  readonly look: (id: DocumentId, note: Note, text: () => string | undefined) => boolean
  /** `textOf` is asked for the notes at the top. */
  readonly order: (textOf: TextOf<Note>) => Order<Note>
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
const fileNameWeight = 4
const folderWeight = 1.5
/** Occurrences after which more of them say little more. */
const saturation = 1.2
/** What a substring is worth: as an occurrence, and of the word that it stands for. */
const substring = { occurrence: 0.2, strength: 0.3 } as const
/** What is left to a note that covers next to nothing of the query. */
const uncovered = 0.15
/** The notes at the top that are looked at for words in a row, and what it is worth if all are. */
const rowDepth = 20
const rowGain = 0.3

/** How a note has one word of the query. */
interface Hit {
  readonly strength: number
  readonly counts: Readonly<Record<TextField, number>> | undefined
  /** Weight of the word in the path. */
  readonly path: number
}

interface Matched<Note> {
  readonly id: DocumentId
  readonly note: Note
  readonly hits: ReadonlyArray<Hit | undefined>
}

export const make = <Note extends Candidate>(query: string, wants: ReadonlyArray<Wanted>): Ranking<Note> => {
  const matched: Array<Matched<Note>> = []
  const total = { title: 0, tags: 0, headings: 0, body: 0 }
  /** Notes that have the word in some form, and those that have it at least as a substring. */
  const holding = wants.map(() => 0)
  const containing = wants.map(() => 0)
  let seen = 0

  const look: Ranking<Note>["look"] = (id, note, text) => {
    seen++
    const { lengths } = note.index
    total.title += lengths.title
    total.tags += lengths.tags
    total.headings += lengths.headings
    total.body += lengths.body
    const hits = hitsOf(wants, id, note.index, text)
    if (hits === undefined) return false
    for (const [which, hit] of hits.entries()) {
      if (hit === undefined) continue
      containing[which]!++
      if (hit.strength > substring.strength) holding[which]!++
    }
    matched.push({ id, note, hits })
    return true
  }

  const order: Ranking<Note>["order"] = (textOf) => {
    const rarities = wants.map((_, which) => [rarity(seen, containing[which]!), rarity(seen, holding[which]!)] as const)
    const worths = rarities.map(([loose, firm], which) =>
      holding[which]! > 0 ? firm : containing[which]! > 0 ? loose : 0
    )
    const whole = worths.reduce((sum, worth) => sum + worth, 0)
    const averages = { ...total }
    for (const field of textFields) averages[field] = Math.max(1, total[field] / Math.max(1, seen))

    const scoreOf = ({ hits, note: { index } }: Matched<Note>): number => {
      let [sum, covered] = [0, 0]
      for (const [which, hit] of hits.entries()) {
        if (hit === undefined) continue
        const [loose, firm] = rarities[which]!
        const worth = hit.strength > substring.strength ? firm : loose
        const weight = weightOf(hit, wants[which]!.tagged, index, averages)
        sum += (worth * weight) / (saturation + weight)
        covered += worth * hit.strength
      }
      const share = whole === 0 ? 0 : Math.min(1, covered / whole)
      return sum * (uncovered + (1 - uncovered) * share * share)
    }
    const scored = matched
      .map((one): Ranked<Note> => ({ id: one.id, note: one.note, score: scoreOf(one) }))
      .toSorted(byScore)
    const top = scored
      .slice(0, rowDepth)
      .map((one): Ranked<Note> => ({ id: one.id, note: one.note, score: one.score * rowBonus(wants, one, textOf) }))
    // A query that is the whole name of a note asks for that note.
    const row = wordRow(query)
    const [asked, others] = parted([...top.toSorted(byScore), ...scored.slice(rowDepth)], (one) => named(row, one))
    return { notes: [...asked, ...others], worths }
  }

  return { look, order }
}

/** How much a word tells that so many of the notes hold. Never negative. */
const rarity = (seen: number, notes: number): number => Math.log(1 + (seen - notes + 0.5) / (notes + 0.5))

/** Sorting by it is stable: equal scores stay in scan order. */
const byScore = (one: Ranked<unknown>, other: Ranked<unknown>): number => other.score - one.score

const parted = <A>(all: ReadonlyArray<A>, test: (one: A) => boolean): readonly [Array<A>, Array<A>] => {
  const [yes, no]: readonly [Array<A>, Array<A>] = [[], []]
  for (const one of all) (test(one) ? yes : no).push(one)
  return [yes, no]
}

const hitsOf = (
  wants: ReadonlyArray<Wanted>,
  id: DocumentId,
  index: NoteIndex,
  text: () => string | undefined
): ReadonlyArray<Hit | undefined> | undefined => {
  const path = foldWords(id)
  let loose: string | undefined
  let hits: Array<Hit | undefined> | undefined
  for (let which = 0; which < wants.length; which++) {
    const want = wants[which]!
    const inPath = pathHit(want, path)
    let strength = 0
    let counts: Hit["counts"]
    for (const form of want.forms) {
      counts = countsFor(form.groups, index)
      if (counts !== undefined) {
        strength = form.strength
        break
      }
    }
    // Of unspaced writing every character and pair is counted, so only what no field holds is left to look through.
    const told = counts !== undefined || inPath.strength > 0 || (want.unspaced && index.others === "")
    if (!told && mayContain(index.signature, want.bits)) {
      loose ??= looseText(text() ?? "", index)
      if (loose.includes(want.text)) strength = substring.strength
    }
    if (strength === 0 && inPath.strength === 0) continue
    hits ??= wants.map(() => undefined)
    hits[which] = { strength: Math.max(strength, inPath.strength), counts, path: inPath.weight }
  }
  return hits
}

const none = { strength: 0, weight: 0 } as const

/** The word in the path: in the file's own name, or in a folder's. */
const pathHit = (want: Wanted, path: string): { readonly strength: number; readonly weight: number } => {
  if (!path.includes(want.text)) return none
  const name = fileNameOf(path)
  const inName = nameStrength(want, name)
  if (inName > 0) return { strength: inName, weight: fileNameWeight * inName }
  const inFolder = nameStrength(want, path.slice(0, path.length - name.length))
  return inFolder > 0
    ? { strength: inFolder, weight: folderWeight * inFolder }
    : { strength: substring.strength, weight: substring.occurrence }
}

const nameStrength = (want: Wanted, name: string): number => {
  if (!name.includes(want.text)) return 0
  if (want.unspaced) return 1
  let best: number = substring.strength
  for (const { tokens } of chunksOf(name)) {
    for (const { kind, text } of tokens) {
      if (text === want.text) best = Math.max(best, kind === "word" ? 1 : 0.6)
    }
  }
  return best
}

/** How often a note has all groups of a form, field by field; undefined if some group is nowhere in it. */
const countsFor = (
  groups: ReadonlyArray<ReadonlyArray<number>>,
  index: NoteIndex
): Readonly<Record<TextField, number>> | undefined => {
  let least: Record<TextField, number> | undefined
  for (const group of groups) {
    let counts: Record<TextField, number> | undefined
    for (const key of group) {
      const packed = countsOf(index, key)
      if (packed === 0) continue
      counts ??= { title: 0, tags: 0, headings: 0, body: 0 }
      for (const field of textFields) counts[field] += countIn(packed, field)
    }
    if (counts === undefined) return undefined
    if (least === undefined) least = counts
    else for (const field of textFields) least[field] = Math.min(least[field], counts[field])
  }
  return least
}

const weightOf = (
  hit: Hit,
  tagged: boolean,
  index: NoteIndex,
  averages: Readonly<Record<TextField, number>>
): number => {
  let sum = 0
  if (hit.counts !== undefined) {
    for (const field of textFields) {
      const count = hit.counts[field]
      if (count === 0) continue
      const { lengthShare, weight } = fields[field]
      const each = tagged && field === "tags" ? weight * asTag : weight
      sum += (each * count) / (1 - lengthShare + (lengthShare * index.lengths[field]) / averages[field])
    }
  }
  // All pieces of a word, no two of them in one field, or a substring.
  if (sum === 0 && hit.path === 0) return substring.occurrence
  return sum * hit.strength + hit.path
}

/** How many of the query's neighbours are neighbours in the note, as a factor. */
const rowBonus = <Note extends Candidate>(
  wants: ReadonlyArray<Wanted>,
  { id, note }: Ranked<Note>,
  textOf: TextOf<Note>
): number => {
  if (wants.length < 2) return 1
  const row = looseText(textOf(id, note) ?? "", note.index).replace(/[\s_-]+/gu, " ")
  let found = 0
  for (const [which, want] of wants.slice(1).entries()) {
    const before = wants[which]!
    const together = before.unspaced && want.unspaced ? before.text + want.text : `${before.text} ${want.text}`
    if (row.includes(together)) found++
  }
  return 1 + (rowGain * found) / (wants.length - 1)
}

/** Whether the query is the note's title, one of its aliases, its file name or its id. */
const named = (row: string, { id, note }: Ranked<Candidate>): boolean => {
  if (row === "") return false
  if (note.index.names.includes(row)) return true
  // Making a row of words costs more than all else here, and nearly no path has the first of these.
  const space = row.indexOf(" ")
  if (!foldWords(id).includes(space < 0 ? row : row.slice(0, space))) return false
  const path = wordRow(id)
  if (!path.endsWith(row) && !path.endsWith(`${row} md`)) return false
  const name = wordRow(fileNameOf(id))
  return [path, name].some((whole) => whole === row || whole === `${row} md`)
}
