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

export const report = async (say: (text: string) => void): Promise<void> => {
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
      if (name === best) say(misses(measured))
    }
    for (const [name, peer] of await startPeers(notes.root)) {
      if (typeof peer === "string") {
        say(`${name}: ${peer}`)
        continue
      }
      const measured: Array<Measured> = []
      for (const judged of queries) measured.push(measure(judged, await peer.ask(judged.query)))
      peer.stop()
      say(table(name, measured))
    }
  } finally {
    notes.dispose()
  }
}
