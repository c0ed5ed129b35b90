/**
 * Is the source left alone for now? (recall-contract 1.4 "Error map", cases/recall.md 1, 23 and 24)
 *
 * Three failures in a row that are the source's own open it, for half a minute and then longer; when that has passed
 * one question goes through, and its outcome decides. What is held against one peer does not count for another that
 * took its place. A total function over plain state; the time comes from outside.
 */
import type { Weight } from "./Failure.ts"

export interface Breaker {
  readonly peer: string
  /** In a row. */
  readonly failures: number
  /** In a row without a success between. */
  readonly openings: number
  /** Milliseconds since 1970; nothing goes through before. */
  readonly until: number
  /** Whether the one question that decides is under way. */
  readonly probing: boolean
}

export const threshold = 3
export const firstRestMillis = 30_000
export const longestRestMillis = 240_000

export const closedFor = (peer: string): Breaker => ({ peer, failures: 0, openings: 0, until: 0, probing: false })

/** A clock that was set back makes no rest longer than the longest. */
const isResting = ({ until }: Breaker, now: number): boolean => now < until && until - now <= longestRestMillis

const isOpen = ({ failures }: Breaker): boolean => failures >= threshold

/** The state after asking to pass; `undefined` where it must not. */
export const admit = (before: Breaker | undefined, peer: string, now: number): Breaker | undefined => {
  const breaker = before?.peer === peer ? before : closedFor(peer)
  if (isResting(breaker, now) || breaker.probing) return undefined
  return isOpen(breaker) ? { ...breaker, probing: true } : breaker
}

const opened = (breaker: Breaker, now: number): Breaker => {
  const openings = breaker.openings + 1
  const rest = Math.min(firstRestMillis * 2 ** (openings - 1), longestRestMillis)
  return { ...breaker, openings, until: now + rest, probing: false }
}

/** What an outcome with that peer makes of the state. */
export const after = (
  before: Breaker | undefined,
  peer: string,
  outcome: "success" | "interrupted" | Weight,
  retryAfterMillis: number,
  now: number
): Breaker | undefined => {
  // The peer was replaced while the question was under way.
  if (before?.peer !== peer) return before
  switch (outcome) {
    case "success":
      return closedFor(peer)
    case "counts": {
      // Asked before it opened, together with those that opened it: nothing new.
      if (isOpen(before) && !before.probing) return before
      const failed = { ...before, failures: before.failures + 1 }
      return isOpen(failed) ? opened(failed, now) : failed
    }
    case "rests":
      return {
        ...before,
        until: Math.max(before.until, now + Math.min(retryAfterMillis, longestRestMillis)),
        probing: false
      }
    case "free":
    case "interrupted":
      return { ...before, probing: false }
  }
}
