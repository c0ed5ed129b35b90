#!/usr/bin/env node
/**
 * What ranking by relevance costs beside the order of version 1: the same bridge, the same 2,000 notes of 6 KB, with
 * everything kept that may be kept ("warm") and at first sight ("cold"). `node bench/relevance.mjs [-- --json]`
 *
 * The two take turns in one process and medians are compared: a ratio from one run means something, an absolute time on a
 * shared machine does not. Needs Node 24.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ours } from "../eval/Ours.ts"
import { makeCorpus } from "./corpus.mjs"

const rounds = 25
const count = 2000
const json = process.argv.includes("--json")
const asked = [
  ["a word of every fiftieth note", "budget"],
  ["a sentence", "the quarterly budget is settled"],
  ["a word of no note", "absent"],
  ["a syllable of every note", "ka"]
]
const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]
const round = (value, digits = 1) => Number(value.toFixed(digits))

const timed = (work) => {
  const start = performance.now()
  work()
  return performance.now() - start
}

const base = mkdtempSync(join(tmpdir(), "memory-bridge-bench-"))
try {
  const root = join(base, "notes")
  makeCorpus(root, count, 6000)
  // Text is remembered only of notes that have rested for two seconds.
  await new Promise((resolve) => setTimeout(resolve, 2500))
  const limits = { max_entries: count }
  const path = ours({ base, root }, "path", { version: 1, limits })
  const relevance = ours({ base, root }, "relevance", { version: 2, limits })
  const cold = { path: timed(() => path("budget")), relevance: timed(() => relevance("budget")) }
  const rows = asked.map(([what, query]) => {
    for (const engine of [path, relevance]) for (let i = 0; i < 3; i++) engine(query)
    const [one, two] = [[], []]
    for (let i = 0; i < rounds; i++) {
      one.push(timed(() => path(query)))
      two.push(timed(() => relevance(query)))
    }
    return {
      what,
      pathMs: round(median(one)),
      relevanceMs: round(median(two)),
      ratio: round(median(two) / median(one), 2)
    }
  })
  const result = { notes: count, coldMs: { path: round(cold.path), relevance: round(cold.relevance) }, warm: rows }
  if (json) console.log(JSON.stringify(result))
  else {
    console.log(
      `${count} notes of 6 KB; cold: by path ${result.coldMs.path} ms, by relevance ${result.coldMs.relevance} ms`
    )
    for (const { pathMs, ratio, relevanceMs, what } of rows)
      console.log(`warm, ${what.padEnd(30)} by path ${pathMs} ms, by relevance ${relevanceMs} ms, ratio ${ratio}`)
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
