/**
 * The judged queries, and what is measured of an answer. (cases/notes.md 2.5)
 *
 * A query has notes that answer it, gain 2, and notes that are near, gain 1. In the class `no answer` no note has a word
 * of the query, and the right answer is none. In `low answer` there is no answer either, but notes share a common word
 * with the query; right is to return nothing, or nothing but notes that show a word of it, so that a reader can tell.
 */
import { readFileSync } from "node:fs"

export interface Judged {
  readonly kind: string
  readonly query: string
  readonly answers: ReadonlyArray<string>
  readonly near: ReadonlyArray<string>
}

/** One result, as far as it is judged: which note, and what was shown of it. */
export interface Shown {
  readonly id: string
  readonly text: string
}

export interface Measured {
  readonly hit1: number
  readonly hit5: number
  readonly mrr10: number
  readonly ndcg10: number
}

const ids = (field = ""): ReadonlyArray<string> => field.split(",").filter((id) => id !== "")

export const readQueries = (file: string | URL): ReadonlyArray<Judged> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => {
      const [kind = "", query = "", answers, near] = line.split("\t")
      return { kind, query, answers: ids(answers), near: ids(near) }
    })

const fold = (text: string): string => text.normalize("NFKC").toLowerCase()

/** Words of a query, and characters where it is written without spaces. */
const wordsOf = (query: string): ReadonlyArray<string> =>
  fold(query).match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? [query]

const wasted = (judged: Judged, results: ReadonlyArray<Shown>): boolean =>
  judged.kind === "no answer"
    ? results.length > 0
    : results.some(({ id, text }) => {
        const shown = fold(`${id} ${text}`)
        return !wordsOf(judged.query).some((word) => shown.includes(word))
      })

const gains = (judged: Judged, id: string): number =>
  judged.answers.includes(id) ? 2 : judged.near.includes(id) ? 1 : 0

const discounted = (gains: ReadonlyArray<number>): number =>
  gains.reduce((sum, gain, rank) => sum + (2 ** gain - 1) / Math.log2(rank + 2), 0)

export const measure = (judged: Judged, results: ReadonlyArray<Shown>): Measured => {
  if (judged.answers.length === 0) {
    const right = wasted(judged, results) ? 0 : 1
    return { hit1: right, hit5: right, mrr10: right, ndcg10: right }
  }
  const ten = results.slice(0, 10).map(({ id }) => id)
  const rank = ten.findIndex((id) => judged.answers.includes(id))
  const ideal = [...judged.answers.map(() => 2), ...judged.near.map(() => 1)].slice(0, 10)
  return {
    hit1: rank === 0 ? 1 : 0,
    hit5: rank >= 0 && rank < 5 ? 1 : 0,
    mrr10: rank < 0 ? 0 : 1 / (rank + 1),
    ndcg10: discounted(ten.map((id) => gains(judged, id))) / discounted(ideal)
  }
}

export const mean = (measured: ReadonlyArray<Measured>): Measured => {
  const of = (name: keyof Measured) => measured.reduce((sum, one) => sum + one[name], 0) / measured.length
  return { hit1: of("hit1"), hit5: of("hit5"), mrr10: of("mrr10"), ndcg10: of("ndcg10") }
}

/** The means by class, in the order of the queries, and over all. */
export const byKind = (
  queries: ReadonlyArray<Judged>,
  measured: ReadonlyArray<Measured>
): ReadonlyArray<readonly [kind: string, count: number, mean: Measured]> => {
  const kinds = [...new Set(queries.map(({ kind }) => kind))]
  const rows = kinds.map((kind) => {
    const those = measured.filter((_, index) => queries[index]?.kind === kind)
    return [kind, those.length, mean(those)] as const
  })
  return [...rows, ["over all", measured.length, mean(measured)] as const]
}
