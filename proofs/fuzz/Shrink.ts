/** The shortest input found that still breaks the same property. */
import { Broken } from "./Target.ts"

export interface Failure {
  /** Of a defect the kind of error, so that shrinking keeps to it. */
  readonly property: string
  readonly message: string
}

export const failureOf = (check: (input: string) => void, input: string): Failure | undefined => {
  try {
    check(input)
    return undefined
  } catch (error) {
    if (error instanceof Broken) return { property: error.property, message: error.message }
    const name = error instanceof Error ? error.name : "something that is no error"
    return {
      property: `throws ${name}`,
      message: error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
  }
}

const mostAttempts = 5_000

/** Leaves out ever smaller pieces, then makes what is left plainer. */
export const shrink = (check: (input: string) => void, input: string): string => {
  const wanted = failureOf(check, input)?.property
  let best = input
  let left = mostAttempts
  const accepts = (candidate: string): boolean => {
    if (left <= 0) return false
    left -= 1
    if (failureOf(check, candidate)?.property !== wanted) return false
    best = candidate
    return true
  }
  /** Whether anything could be left out. */
  const leaveOut = (size: number): boolean => {
    const before = best.length
    let at = 0
    while (at < best.length) {
      if (!accepts(best.slice(0, at) + best.slice(at + size))) at += size
    }
    return best.length < before
  }
  let size = Math.ceil(best.length / 2)
  while (size > 1) {
    leaveOut(size)
    size = Math.ceil(Math.min(size, best.length) / 2)
  }
  while (leaveOut(1));
  for (let at = 0; at < best.length; at++) {
    if (best[at] !== "a") accepts(`${best.slice(0, at)}a${best.slice(at + 1)}`)
  }
  return best
}
