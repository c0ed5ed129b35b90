/** What came back of the calls under one attack, and what each answer counts as. */
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import { marker, noteId, safeText } from "./Place.ts"

export interface Tally {
  /** Calls of `openat2` and `openat` that the engine made. Zero where they cannot be seen, in the sidecar. */
  opens: number
  calls: number
  /** Answers that hold the permitted note. */
  served: number
  /** Answers that hold anything else. */
  outside: number
  /** Calls without an answer within the time of the watchdog. */
  hangs: number
  /** Milliseconds of the slowest call. */
  slowest: number
}

export const emptyTally = (): Tally => ({ opens: 0, calls: 0, served: 0, outside: 0, hangs: 0, slowest: 0 })

export const added = (one: Tally, other: Tally): Tally => ({
  opens: one.opens + other.opens,
  calls: one.calls + other.calls,
  served: one.served + other.served,
  outside: one.outside + other.outside,
  hangs: one.hangs + other.hangs,
  slowest: Math.max(one.slowest, other.slowest)
})

/** A refusal, and a search that found nothing, give away nothing and serve nothing. */
const kindOf = (answer: PublicAnswer): "served" | "outside" | "refused" => {
  if (JSON.stringify(answer).includes(marker)) return "outside"
  if (!answer.ok) return "refused"
  if ("content" in answer) return answer.id === noteId && answer.content === safeText ? "served" : "outside"
  if (answer.results.length === 0) return "refused"
  return answer.results.every(({ id, snippet }) => id === noteId && snippet === safeText) ? "served" : "outside"
}

export const count = (tally: Tally, answer: PublicAnswer, milliseconds: number): void => {
  const kind = kindOf(answer)
  tally.calls += 1
  if (kind === "served") tally.served += 1
  if (kind === "outside") tally.outside += 1
  tally.slowest = Math.max(tally.slowest, milliseconds)
}
