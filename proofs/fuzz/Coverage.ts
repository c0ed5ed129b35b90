/**
 * Which code an input reached, from the engine's own block counters. They cost nothing measurable while code runs; asking
 * costs about a millisecond, so the campaign asks once for a batch and looks closer only when something new was reached.
 */
import { Session } from "node:inspector"

interface Range {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}
interface Script {
  readonly url: string
  readonly functions: ReadonlyArray<{ readonly ranges: ReadonlyArray<Range> }>
}

export interface Coverage {
  /** Whether code ran since the last look that had never run before. Each look starts the next. */
  readonly reachesNew: () => boolean
  /** The same, and it counts as known from now on. */
  readonly noteNew: () => boolean
  /** How often code of the product was reached that had never run before. */
  readonly reached: () => number
  readonly end: () => void
}

/** The product's code, and the one target that stands for some. */
const isProduct = (url: string): boolean => /\/packages\/[^/]+\/src\/|\/targets\/Planted\.ts$/.test(url)

type Stretch = readonly [start: number, end: number]

/** What lies in both. A stretch that never ran is reported whole, and in parts once some of it has run. */
const shared = (ones: ReadonlyArray<Stretch>, others: ReadonlyArray<Stretch>): ReadonlyArray<Stretch> =>
  ones.flatMap((one) =>
    others.flatMap((other): ReadonlyArray<Stretch> => {
      const [start, end] = [Math.max(one[0], other[0]), Math.min(one[1], other[1])]
      return start < end ? [[start, end]] : []
    })
  )

const length = (stretches: ReadonlyArray<Stretch>): number =>
  stretches.reduce((sum, [start, end]) => sum + end - start, 0)

export const startCoverage = (): Coverage => {
  const session = new Session()
  session.connect()
  const take = (): ReadonlyArray<Script> => {
    let scripts: ReadonlyArray<Script> = []
    session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error !== null) throw error
      scripts = taken.result
    })
    return scripts
  }
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })

  /** By function: the stretches of it that have never run. */
  const idle = new Map<string, ReadonlyArray<Stretch>>()
  let reached = 0

  const isNew = (url: string, ranges: ReadonlyArray<Range>, note: boolean): boolean => {
    const [whole] = ranges
    if (whole === undefined || whole.count === 0) return false
    const name = `${url} ${whole.startOffset} ${whole.endOffset}`
    const idleNow = ranges
      .filter(({ count }) => count === 0)
      .map(({ endOffset, startOffset }) => [startOffset, endOffset] as const)
    const before = idle.get(name)
    const left = before === undefined ? idleNow : shared(before, idleNow)
    if (before !== undefined && length(left) === length(before)) return false
    if (note) {
      reached += 1
      idle.set(name, left)
    }
    return true
  }

  const look = (note: boolean): boolean => {
    let any = false
    for (const { functions, url } of take()) {
      if (!isProduct(url)) continue
      for (const { ranges } of functions) any = isNew(url, ranges, note) || any
    }
    return any
  }

  return {
    reachesNew: () => look(false),
    noteNew: () => look(true),
    reached: () => reached,
    end: () => session.disconnect()
  }
}
