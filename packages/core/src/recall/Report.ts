/**
 * What an operator gets to know of recall: the mode and why, how the last question ended, what waits. (issue 4, recall-
 * contract 2.3 point 7: a memory that is down must be visible)
 *
 * Codes and counts alone: no path, no query, no content, no credential.
 */
import type { FailureReason, SourceFailed } from "./Failure.ts"
import type { Mode } from "./Mode.ts"

/** How something ended. */
export type Ending =
  | { readonly kind: "recalled"; readonly count: number }
  | { readonly kind: "failed"; readonly reason: FailureReason; readonly rule?: string }
  | { readonly kind: "stored" }
  /** A captured text that is not stored. */
  | { readonly kind: "not_stored"; readonly reason: string }
  /** The mode has no source: something is wrong, or nothing is wanted. */
  | {
      readonly kind: "disabled" | "off"
      readonly reason: string
      readonly subject?: string
      readonly rule?: string
    }

export interface Ended {
  readonly ending: Ending
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface RecallStatus {
  readonly mode: Mode["kind"]
  readonly reason?: string
  readonly subject?: string
  readonly rule?: string
  readonly auto_recall: boolean
  readonly auto_capture: boolean
  readonly fresh: boolean
  /** Where the seen sets are. */
  readonly seen: "file" | "memory" | "unknown"
  /** How long the source is still left alone. */
  readonly resting_millis: number
  readonly last_recall: Ended | null
  readonly last_write: Ended | null
  /** In this process, of all homes. */
  readonly waiting_results: number
  readonly running: number
}

export const failedEnding = ({ reason, rule }: SourceFailed): Ending =>
  rule === undefined ? { kind: "failed", reason } : { kind: "failed", reason, rule }

/** The part of a status that the mode alone decides. */
type ModeStatus = Pick<RecallStatus, "mode" | "reason" | "subject" | "rule" | "auto_recall" | "auto_capture" | "fresh">

const nothingOn = { auto_recall: false, auto_capture: false, fresh: false } as const

/** The files that decide it could not be read in time. */
export const unknownMode = ({ reason }: SourceFailed): ModeStatus => ({ mode: "disabled", reason, ...nothingOn })

export const modeStatus = (mode: Mode): ModeStatus => {
  switch (mode.kind) {
    case "managed":
    case "notes":
    case "direct": {
      const { autoRecall, fresh } = mode.settings
      const capture = mode.kind === "direct" && mode.server.autoCapture
      return { mode: mode.kind, auto_recall: autoRecall, auto_capture: capture, fresh }
    }
    case "disabled":
    case "off": {
      const { kind, ...why } = mode
      return { mode: kind, ...why, ...nothingOn }
    }
  }
}
