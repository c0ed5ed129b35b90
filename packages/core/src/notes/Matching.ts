/**
 * How does a note have each word of a query: in its text, field by field, in its path, or only within other words?
 * (design.md section 8 "Version 2")
 *
 * Of a note that has a row in the tables, most words that it does not have are ruled out by a bit; whatever else is said
 * here comes from the note's own index, path and text. So a note with a row and one without are matched alike.
 */
import { type DocumentId, fileNameOf } from "../tree/DocumentId.ts"
import * as BitTable from "./BitTable.ts"
import { type Column, type Counts, learn, unknown } from "./Counts.ts"
import { countIn, countsOf, looseText, type NoteIndex, propertiesOfKey, textFields } from "./NoteIndex.ts"
import type { Form, Wanted } from "./Wanted.ts"
import { chunksOf } from "./Words.ts"

/** A permitted note by its path. */
export interface Entry {
  readonly id: DocumentId
  /** The id, folded. */
  readonly folded: string
}

/** What is known of the indexes that have a row. */
export interface Tables {
  readonly words: BitTable.BitTable
  readonly letters: BitTable.BitTable
  readonly counts: Counts
  readonly rows: { readonly lengths: Uint32Array }
}

/** What the file name, a folder or a substring is worth, beside the weights of the fields of the text. */
const fileNameWeight = 4
const folderWeight = 1.5
/** What a substring is worth: as an occurrence, and of the word that it stands for. */
export const substring = { occurrence: 0.2, strength: 0.3 } as const

const fieldCount = textFields.length

/** Numbers of a hit: which word, how well it is matched, its weight in the path, and its count in each field. */
export const hitAt = { which: 0, strength: 1, path: 2, counts: 3 } as const
export const hitSize = hitAt.counts + fieldCount

/** All hits of a search, one after the other. */
export interface Hits {
  numbers: Float64Array
  /** Numbers in use. */
  length: number
}

/** Makes room for so many more. */
export const reserve = (hits: Hits, more: number): void => {
  if (hits.length + more <= hits.numbers.length) return
  const larger = new Float64Array(Math.max(1024, hits.numbers.length * 2))
  larger.set(hits.numbers)
  hits.numbers = larger
}

/** Where to look a note up. */
export interface Sources {
  /** -1 for a note without one. */
  readonly row: number
  readonly index: () => NoteIndex
  readonly text: () => string | undefined
}

export interface Matching {
  /** False only for a row whose note has no word of the query anywhere. */
  readonly mayMatch: (entry: Entry, row: number) => boolean
  /**
   * Appends the hits of a note; their number. Its index and its text are asked for only if what is known of its row does not
   * tell.
   */
  readonly match: (entry: Entry, note: Sources, into: Hits) => number
}

interface Marks {
  /** For each form, the rows that may have it, and the counts of its tokens. */
  readonly forms: ReadonlyArray<BitTable.RowBits>
  readonly columns: ReadonlyArray<ReadonlyArray<ReadonlyArray<Column>>>
  /** Rows that may have the substring. */
  readonly letters: BitTable.RowBits
}

const marksOf = (want: Wanted, { counts, letters, words }: Tables): Marks => ({
  columns: want.forms.map(({ groups }) => groups.map((group) => group.map(counts.of))),
  forms: want.forms.map(({ groups }) => {
    const all = words.having([])
    for (const group of groups) {
      const [first, ...others] = group.map((key) => words.having(propertiesOfKey(key)))
      for (const other of others) BitTable.join(first!, other)
      BitTable.meet(all, first!)
    }
    return all
  }),
  letters: letters.having(want.bits)
})

export const matching = (wants: ReadonlyArray<Wanted>, tables: Tables): Matching => {
  const marks = wants.map((want) => marksOf(want, tables))
  const any = tables.words.having([]).fill(0)
  for (const { forms, letters } of marks) for (const bits of [...forms, letters]) BitTable.join(any, bits)
  const least = new Float64Array(fieldCount)

  const strengthIn = (which: number, note: Sources): number => {
    const { forms } = wants[which]!
    const { columns, forms: rows } = marks[which]!
    for (let at = 0; at < forms.length; at++) {
      if (note.row >= 0 && !BitTable.hasRow(rows[at]!, note.row)) continue
      if (countForm(forms[at]!, columns[at]!, note, least)) return forms[at]!.strength
    }
    return 0
  }

  const mayMatch: Matching["mayMatch"] = ({ folded }, row) => {
    if (BitTable.hasRow(any, row)) return true
    for (let which = 0; which < wants.length; which++) if (folded.includes(wants[which]!.text)) return true
    return false
  }

  const match: Matching["match"] = ({ folded }, note, into) => {
    const { row } = note
    const start = into.length
    let loose: string | undefined
    for (let which = 0; which < wants.length; which++) {
      const want = wants[which]!
      const inPath = pathHit(want, folded)
      let strength = strengthIn(which, note)
      const inText = strength > 0
      // Of unspaced writing every character and pair is counted, so only what no field holds is left to look through.
      const told = inText || inPath.strength > 0 || (want.unspaced && note.index().others === "")
      if (!told && (row < 0 || BitTable.hasRow(marks[which]!.letters, row))) {
        loose ??= looseText(note.text() ?? "", note.index())
        if (loose.includes(want.text)) strength = substring.strength
      }
      if (strength === 0 && inPath.strength === 0) continue
      reserve(into, hitSize)
      const { length: at, numbers } = into
      numbers[at + hitAt.which] = which
      numbers[at + hitAt.strength] = Math.max(strength, inPath.strength)
      numbers[at + hitAt.path] = inPath.weight
      for (let field = 0; field < fieldCount; field++) numbers[at + hitAt.counts + field] = inText ? least[field]! : 0
      into.length += hitSize
    }
    return (into.length - start) / hitSize
  }

  return { mayMatch, match }
}

const sum = new Float64Array(fieldCount)

/** Whether a note has all groups of a form, and how often, field by field. */
const countForm = (
  { groups }: Form,
  columns: ReadonlyArray<ReadonlyArray<Column>>,
  note: Sources,
  least: Float64Array
): boolean => {
  for (let at = 0; at < groups.length; at++) {
    const group = groups[at]!
    let isThere = false
    for (let which = 0; which < group.length; which++) {
      const counts = countToken(group[which]!, columns[at]![which]!, note)
      if (counts !== 0) isThere = true
      for (let field = 0; field < fieldCount; field++)
        sum[field] = (which === 0 ? 0 : sum[field]!) + countIn(counts, field)
    }
    if (!isThere) return false
    for (let field = 0; field < fieldCount; field++)
      least[field] = at === 0 ? sum[field]! : Math.min(least[field]!, sum[field]!)
  }
  return groups.length > 0
}

const countToken = (key: number, column: Column, { index, row }: Sources): number => {
  if (row < 0) return countsOf(index(), key)
  const known = column.counts[row] ?? unknown
  if (known !== unknown) return known
  const counts = countsOf(index(), key)
  learn(column, row, counts)
  return counts
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
