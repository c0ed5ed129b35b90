/**
 * What the doctor found: how bad, which code, why, and one thing to do. (issue 7 item 2: "Each finding has a severity,
 * the cause and one safe command as cure. Exit code says the worst")
 *
 * Codes are stable: scripts and the documentation name them. A finding never holds a credential or the content of a note.
 */
import { exitCodes } from "../../Exit.ts"

/**
 * - `ok`: looked at and right; `info`: worth knowing
 * - `warning`: works, but not as one would expect; `error`: does not work, or does not protect
 */
export const severities = ["ok", "info", "warning", "error"] as const
export type Severity = (typeof severities)[number]

export const areas = ["programs", "host", "plugins", "policy", "notes", "fences", "recall", "guard"] as const
export type Area = (typeof areas)[number]

export interface Finding {
  readonly area: Area
  readonly severity: Severity
  readonly code: string
  /** The cause, in a sentence or two. */
  readonly text: string
  /** A command that can be pasted, or a sentence; "" where nothing is to be done. */
  readonly cure: string
  /** What it stands on, a line each. */
  readonly details: ReadonlyArray<string>
}

type Make = (code: string, text: string, cure?: string, details?: ReadonlyArray<string>) => Finding

/** The findings of one area. */
export const findingsOf = (area: Area): Readonly<Record<Severity, Make>> => {
  const make =
    (severity: Severity): Make =>
    (code, text, cure = "", details = []) => ({ area, severity, code, text, cure, details })
  return { ok: make("ok"), info: make("info"), warning: make("warning"), error: make("error") }
}

export const worstOf = (findings: ReadonlyArray<Finding>): Severity =>
  severities.findLast((severity) => findings.some((finding) => finding.severity === severity)) ?? "ok"

/** 0 for ok and info, 1 for a warning, 2 for an error. */
export const exitCodeOf = (worst: Severity) =>
  worst === "error" ? exitCodes.refused : worst === "warning" ? exitCodes.invalid : exitCodes.ok
