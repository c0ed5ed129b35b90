/** The evaluation as a table: what is measured, by class of query, for each engine. */
import { hitCount } from "./Baseline.ts"
import { byKind, type Judged, measure, type Measured, readQueries } from "./Measures.ts"
import { copyNotes, ours } from "./Ours.ts"
import { startPeers } from "./Peers.ts"

export const queries: ReadonlyArray<Judged> = readQueries(new URL("queries.tsv", import.meta.url))

const table = (name: string, measured: ReadonlyArray<Measured>): string => {
  const rows = byKind(queries, measured).map(([kind, count, { hit1, hit5, mrr10, ndcg10 }]) =>
    [
      `  ${kind}`.padEnd(14),
      String(count).padStart(4),
      ...[hit1, hit5, mrr10, ndcg10].map((value) => value.toFixed(3).padStart(9))
    ].join("")
  )
  return [name, `  ${"class".padEnd(12)}   n    hit@1    hit@5   MRR@10  nDCG@10`, ...rows].join("\n")
}

const best = "ours, ranking relevance"

/** Each misplaced answer, for whoever wants to know why. */
const misses = (measured: ReadonlyArray<Measured>): string =>
  queries
    .filter((_, index) => measured[index]!.hit1 === 0)
    .map(({ answers, kind, query }) => `  not first: ${kind}: ${query} -> ${answers.join(" or ") || "nothing"}`)
    .join("\n")

/** The goals over all that was asked, each met or missed. */
export const goals = (
  ours: ReadonlyArray<Measured>,
  others: ReadonlyArray<readonly [string, ReadonlyArray<Measured>]>
): ReadonlyArray<readonly [text: string, met: boolean]> => {
  const rows = byKind(queries, ours)
  const overAll = rows.at(-1)![2].hit1
  return [
    [`hit@1 over all ${overAll.toFixed(3)} >= 0.95`, overAll >= 0.95],
    ...rows
      .slice(0, -1)
      .map(([kind, , { hit1 }]) => [`hit@1 of ${kind} ${hit1.toFixed(3)} >= 0.9`, hit1 >= 0.9] as const),
    ...others.map(([name, measured]) => {
      const theirs = byKind(queries, measured).at(-1)![2].hit1
      return [
        `hit@1 over all ahead of ${name}: ${overAll.toFixed(3)} > ${theirs.toFixed(3)}`,
        overAll > theirs
      ] as const
    })
  ]
}

/** An error is no answer, and so not the right one to a question without any. */
const noAnswer = [{ id: "error", text: "" }] as const

/** Says all tables and goals; whether every goal is met. */
export const report = async (say: (text: string) => void): Promise<boolean> => {
  const others: Array<readonly [string, ReadonlyArray<Measured>]> = []
  let mine: ReadonlyArray<Measured> = []
  const notes = copyNotes()
  try {
    const engines = [
      [best, ours(notes, "relevance", { version: 2 })],
      ["ours, ranking path (version 1)", ours(notes, "path", { version: 1 })],
      ["lines with a word, counted (rg -i -c)", hitCount(notes.root)]
    ] as const
    for (const [name, engine] of engines) {
      const measured = queries.map((judged) => measure(judged, engine(judged.query)))
      say(table(name, measured))
      if (name === best) {
        mine = measured
        say(misses(measured))
      } else others.push([name, measured])
    }
    for (const [name, peer] of await startPeers(notes.root)) {
      if (typeof peer === "string") {
        say(`${name}: ${peer}`)
        continue
      }
      const measured: Array<Measured> = []
      let errors = 0
      for (const judged of queries) {
        const shown = await peer.ask(judged.query)
        if (shown === undefined) errors++
        measured.push(measure(judged, shown ?? noAnswer))
      }
      peer.stop()
      others.push([name, measured])
      say(table(errors === 0 ? name : `${name}: ${errors} errors`, measured))
    }
    const checked = goals(mine, others)
    for (const [text, met] of checked) say(`${met ? "met   " : "MISSED"} ${text}`)
    return checked.every(([, met]) => met)
  } finally {
    notes.dispose()
  }
}
