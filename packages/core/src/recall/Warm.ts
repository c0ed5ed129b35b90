/**
 * Results that wait for the next turn of their session. (recall-contract T6 and T7, cases/recall.md 2, 5 and 7)
 *
 * Keyed by home and session, so no item is ever handed to another one, whichever provider object asks. One result a
 * session, used once; it ages out, because turns that ask nothing may leave it lying for hours. An empty result
 * replaces a full one: it is the newer answer. Bounded in sessions; the one that lay longest goes.
 */
import type { Shown } from "./Item.ts"

/** What is shown of an item, with the digest that the seen set compares. */
export interface WarmItem extends Shown {
  readonly digest: string
}

export interface WarmResult {
  readonly items: ReadonlyArray<WarmItem>
  /** Bounded. */
  readonly query: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** No two results have the same, not even across two processes one after the other. */
  readonly serial: number
}

export const warmMillis = 10 * 60_000
export const maxWarmSessions = 128

export interface WarmStore {
  readonly put: (key: string, result: Omit<WarmResult, "serial">) => void
  /** The result if it is not too old. It stays. */
  readonly peek: (key: string, now: number) => WarmResult | undefined
  readonly drop: (key: string) => void
  readonly size: () => number
}

export const warmStore = (): WarmStore => {
  const results = new Map<string, WarmResult>()
  let serial = 0
  return {
    put: (key, result) => {
      serial = Math.max(serial + 1, result.at)
      results.delete(key)
      results.set(key, { ...result, serial })
      if (results.size > maxWarmSessions) results.delete(results.keys().next().value ?? "")
    },
    peek: (key, now) => {
      const result = results.get(key)
      // A clock that was set back makes nothing younger.
      if (result === undefined || Math.abs(now - result.at) < warmMillis) return result
      results.delete(key)
      return undefined
    },
    drop: (key) => {
      results.delete(key)
    },
    size: () => results.size
  }
}
