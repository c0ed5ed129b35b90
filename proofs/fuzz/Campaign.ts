/**
 * One campaign: so many inputs against one target, those that reach new code kept as a start for others.
 *
 * A broken property ends it with the shortest input that breaks it. Where `slowest` is given, an input that alone takes
 * longer is a finding too.
 */
import { randomFrom } from "../../tests/guard/support/Random.ts"
import { startCoverage } from "./Coverage.ts"
import { nextInput } from "./Mutation.ts"
import { type Failure, failureOf, shrink } from "./Shrink.ts"
import type { Target } from "./Target.ts"

export interface Finding extends Failure {
  readonly input: string
}

export interface Report {
  readonly target: string
  readonly inputs: number
  /** Inputs that an independent program was asked about. */
  readonly compared: number
  /** How often code of the product was reached that had never run before. */
  readonly reached: number
  /** Inputs that reached new code, those it started with apart. */
  readonly found: ReadonlyArray<string>
  readonly seconds: number
  readonly finding: Finding | undefined
}

export interface Options {
  readonly runs: number
  readonly seed: number
  readonly corpus: ReadonlyArray<string>
  /** Milliseconds for one input. */
  readonly slowest: number | undefined
}

const batchSize = 256
const mostKept = 2_000
/** Of all inputs, how many an independent program is asked about at most. */
const mostCompared = 10_000

const timed = (work: () => void): number => {
  const start = performance.now()
  work()
  return performance.now() - start
}

const tried = ({ check }: Target, input: string): Finding | undefined => {
  const failure = failureOf(check, input)
  if (failure === undefined) return undefined
  const least = shrink(check, input)
  return { ...(failureOf(check, least) ?? failure), input: least }
}

const firstSlow = ({ check }: Target, batch: ReadonlyArray<string>, limit: number): Finding | undefined => {
  for (const input of batch) {
    const millis = timed(() => failureOf(check, input))
    if (millis > limit) return { input, property: "takes too long", message: `${Math.round(millis)} ms` }
  }
  return undefined
}

const firstDifferent = ({ compare }: Target, inputs: ReadonlyArray<string>): Finding | undefined => {
  const different = compare?.(inputs)[0]
  return different && { input: different.input, property: "an independent reader agrees", message: different.detail }
}

export const campaign = (target: Target, { corpus: kept, runs, seed, slowest }: Options): Report => {
  const random = randomFrom(seed)
  const coverage = startCoverage()
  const start = performance.now()
  const corpus = [...target.seeds, ...kept]
  const found: Array<string> = []
  const asked: Array<string> = []
  const askedOf = Math.max(1, Math.ceil(runs / mostCompared))
  let finding: Finding | undefined
  let inputs = 0

  const run = (batch: ReadonlyArray<string>): void => {
    const millis = timed(() => {
      for (const input of batch) finding ??= tried(target, input)
    })
    if (slowest !== undefined && millis > slowest) finding ??= firstSlow(target, batch, slowest)
    if (target.compare !== undefined) asked.push(...batch.filter((_, index) => (inputs + index) % askedOf === 0))
    inputs += batch.length
  }

  /** Runs each once more by itself, where the batch reached something new. */
  const keepNew = (batch: ReadonlyArray<string>): void => {
    for (const input of batch) {
      failureOf(target.check, input)
      if (!coverage.noteNew() || corpus.length >= mostKept) continue
      corpus.push(input)
      found.push(input)
    }
  }

  run(corpus)
  coverage.noteNew()
  for (let left = runs - inputs; left > 0; left -= batchSize) {
    if (finding !== undefined) break
    const batch = Array.from({ length: Math.min(batchSize, left) }, () => nextInput(random, target, corpus))
    run(batch)
    if (coverage.reachesNew()) keepNew(batch)
  }
  finding ??= firstDifferent(target, asked)

  coverage.end()
  const seconds = (performance.now() - start) / 1_000
  return { target: target.name, inputs, compared: asked.length, reached: coverage.reached(), found, seconds, finding }
}
