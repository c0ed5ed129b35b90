/** Repeatable chance: a failing test prints the seed and the case, and the same two give the same case again. */

export interface Random {
  /** A whole number from 0 to `below - 1`. */
  readonly int: (below: number) => number
  readonly pick: <A>(from: ReadonlyArray<A>) => A
  readonly chance: (probability: number) => boolean
  readonly list: <A>(most: number, make: () => A) => ReadonlyArray<A>
  readonly shuffled: <A>(items: ReadonlyArray<A>) => ReadonlyArray<A>
}

/** mulberry32. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (below: number) => Math.floor(next() * below)
  const pick = <A>(from: ReadonlyArray<A>): A => from[int(from.length)] as A
  return {
    int,
    pick,
    chance: (probability) => next() < probability,
    list: (most, make) => Array.from({ length: int(most + 1) }, make),
    shuffled: (items) => {
      const left = [...items]
      return items.map(() => left.splice(int(left.length), 1)[0] as (typeof items)[number])
    }
  }
}

/** `GUARD_LONG=1` runs as many cases as a release deserves. */
export const long = process.env["GUARD_LONG"] === "1"

export const cases = (usual: number, inLongRuns: number): number => (long ? inLongRuns : usual)

/** Runs `check` on `count` cases; a failure names the seed that gives the case again. */
export const forEachSeed = (first: number, count: number, check: (random: Random, seed: number) => void): void => {
  for (let seed = first; seed < first + count; seed++) {
    try {
      check(randomFrom(seed), seed)
    } catch (error) {
      throw new Error(`replay with seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error
      })
    }
  }
}
