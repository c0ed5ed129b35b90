/**
 * What one search may cost. (seed 000 "Scan limits count policy-matching candidates", "Every byte read is charged")
 *
 * Two kinds of limit: what truncates (candidates and bytes, which only permitted names can use up) and what refuses
 * the whole search (raw directory entries, a ceiling against huge trees whoever owns them).
 */
import * as Context from "effect/Context"

export interface ScanCeilings {
  /** Directory entries of any kind seen in one search; more refuse it. */
  readonly rawEntries: number
  /** Bytes read in one search; checked before each file, so the last one may overshoot by its own size. */
  readonly bytes: number
}

/** The ceilings in force. They are the product's, not the policy's; tests provide smaller ones. */
export const ScanCeilings = Context.Reference<ScanCeilings>("@memory-bridge/core/budget/ScanCeilings", {
  defaultValue: () => ({ rawEntries: 50_000, bytes: 16 * 1024 * 1024 })
})

/**
 * The ceilings of one search. A ranking is worth as much as it has seen, so a search by relevance may read twice the bytes;
 * 10,000 notes of 3 KB are seen whole. (version 1 and its order keep the seed's 16 MiB)
 */
export const ceilingsFor = (ranking: "relevance" | "path", { bytes, rawEntries }: ScanCeilings): ScanCeilings => ({
  rawEntries,
  bytes: ranking === "relevance" ? 2 * bytes : bytes
})

/** The running account of one search. */
export interface ScanBudget {
  /** Raw entries that may still be seen. */
  readonly rawLeft: () => number
  readonly chargeRaw: (entries: number) => void
  /** Counts one candidate, or says that this one is already too many. */
  readonly admitCandidate: () => boolean
  readonly chargeBytes: (bytes: number) => void
}

export const make = (ceilings: ScanCeilings, maxCandidates: number): ScanBudget => {
  let rawLeft = ceilings.rawEntries
  let bytesLeft = ceilings.bytes
  let candidatesLeft = maxCandidates
  return {
    rawLeft: () => rawLeft,
    chargeRaw: (entries) => {
      rawLeft -= entries
    },
    admitCandidate: () => {
      if (candidatesLeft <= 0 || bytesLeft <= 0) return false
      candidatesLeft--
      return true
    },
    chargeBytes: (bytes) => {
      bytesLeft -= bytes
    }
  }
}
