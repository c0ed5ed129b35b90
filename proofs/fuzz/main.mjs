#!/usr/bin/env node
/**
 * Fuzzing of every decoder and text function. `npm run fuzz -- TARGET|all [--runs N] [--seed S] [--keep] [--json]`
 *
 * Seeded generators over a kept corpus, guided by the engine's own block coverage, with shrinking. `--input JSON` tries one
 * input, as a finding prints it; `--keep` adds the short inputs that reached new code to the corpus. From 100,000 runs
 * on an input that takes a second is a finding as well. (issue 6 "Fuzz")
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { campaign } from "./Campaign.ts"
import { failureOf } from "./Shrink.ts"
import { targets } from "./targets/All.ts"
import { planted } from "./targets/Planted.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    input: { type: "string" },
    keep: { type: "boolean", default: false },
    json: { type: "boolean", default: false }
  }
})
const [wanted = ""] = positionals
const chosen = wanted === "all" ? targets : [...targets, planted].filter(({ name }) => name === wanted)
if (chosen.length === 0) {
  console.error(`Targets: all ${targets.map(({ name }) => name).join(" ")}`)
  process.exit(2)
}

const watchedFrom = 100_000
const runs = Number(values.runs)

const corpusFile = (name) => fileURLToPath(new URL(`corpus/${name}.json`, import.meta.url))
const corpusOf = (name) => (existsSync(corpusFile(name)) ? JSON.parse(readFileSync(corpusFile(name), "utf8")) : [])

const longestKept = 400
const mostKept = 80
const keep = (name, found) => {
  const corpus = [...new Set([...corpusOf(name), ...found.filter((input) => input.length <= longestKept)])]
  writeFileSync(corpusFile(name), `${JSON.stringify(corpus.slice(0, mostKept), undefined, 1)}\n`)
}

if (values.input !== undefined) {
  for (const { check, name } of chosen) {
    const failure = failureOf(check, JSON.parse(values.input))
    console.log(`${name}: ${failure === undefined ? "holds" : failure.message}`)
    if (failure !== undefined) process.exitCode = 1
  }
} else {
  for (const target of chosen) {
    const report = campaign(target, {
      runs,
      seed: Number(values.seed),
      corpus: corpusOf(target.name),
      slowest: runs >= watchedFrom ? 1_000 : undefined
    })
    const { compared, finding, found, inputs, reached, seconds } = report
    if (values.json) console.log(JSON.stringify({ ...report, found: found.length }))
    else {
      const asked = compared === 0 ? "" : `, ${compared} compared`
      console.log(
        `${target.name.padEnd(10)} ${inputs} inputs in ${seconds.toFixed(1)} s${asked}, ` +
          `new code reached ${reached} times, ${found.length} inputs kept`
      )
      if (finding !== undefined) {
        console.log(
          `FINDING: ${finding.property}\n  input ${JSON.stringify(finding.input)}\n  ${finding.message.slice(0, 1_000)}`
        )
      }
    }
    if (finding !== undefined) process.exitCode = 1
    else if (values.keep) keep(target.name, found)
  }
}
