/**
 * What is wrong with an audit file, and how to go on. (seed 004 "Nothing is silently deleted or rotated … repair any
 * partial record"; the chain is **beyond**)
 *
 * A view of lines and facts that somebody else has read. The chain shows a change by anybody who does not write it
 * anew from there on; it has no secret, so it proves nothing against the owner of the file.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as StrictJson from "../policy/StrictJson.ts"
import type { AuditFault } from "./AuditLog.ts"
import { KeptRecord } from "./AuditRecord.ts"

/** Bytes that an audit file may have. */
export const maxAuditBytes = 16 * 1024 * 1024
/** Bytes of the longest line, its line feed included. A file without room for one more is full. */
export const maxLineBytes = 512

/**
 * Of a line: `not_text` no UTF-8, `not_record` no record of the exact form, `torn` the last one without a line feed,
 * `chain_broken` not the line that was written after the one before, `chain_interrupted` without a link after a linked
 * one, `repeated_id` an id that an earlier record bears.
 */
export type LineProblem = "not_text" | "not_record" | "torn" | "chain_broken" | "chain_interrupted" | "repeated_id"

export type AuditProblem =
  | { readonly problem: AuditFault | "missing" | "unreadable" }
  /** `line` from 1. */
  | { readonly problem: LineProblem; readonly line: number }

export interface AuditReport {
  readonly records: number
  /** Records that carry a link. */
  readonly chained: number
  /** Time of the first and last record, or "". */
  readonly first: string
  readonly last: string
  /** Hash of the last line: noted elsewhere, it shows later whether the end was cut off. "" without a record. */
  readonly head: string
  readonly problems: ReadonlyArray<AuditProblem>
  /** Whether the lines after the last problem were not looked at, because it was one too many. */
  readonly stopped: boolean
}

/** Problems of lines that are listed; a file with more is no audit. */
const maxProblems = 1000

/** A line without its line feed; `undefined` where it is no UTF-8. The last one of a torn file counts too. */
export type Line = string | undefined

const decodeRecord = Schema.decodeUnknownResult(KeptRecord, { onExcessProperty: "error" })

const recordOf = (text: string): KeptRecord | undefined =>
  Result.getOrElse(Result.flatMap(StrictJson.parse(text), decodeRecord), () => undefined)

/** `hash` gives the hex digits of a text's SHA-256; `torn` says that the last line has no line feed. */
export const reportOf = (lines: ReadonlyArray<Line>, torn: boolean, hash: (text: string) => string): AuditReport => {
  const problems: Array<AuditProblem> = []
  const ids = new Set<string>()
  const records: Array<KeptRecord> = []
  let before: { readonly text: string; readonly linked: boolean } | undefined
  let stopped = false
  for (const [index, text] of lines.entries()) {
    stopped = problems.length >= maxProblems
    if (stopped) break
    const line = index + 1
    const isTorn = torn && line === lines.length
    const record = text === undefined || isTorn ? undefined : recordOf(text)
    if (isTorn) problems.push({ problem: "torn", line })
    else if (text === undefined) problems.push({ problem: "not_text", line })
    else if (record === undefined) problems.push({ problem: "not_record", line })
    if (record !== undefined) {
      if (ids.has(record.id)) problems.push({ problem: "repeated_id", line })
      if (record.previous === undefined && before?.linked) problems.push({ problem: "chain_interrupted", line })
      if (record.previous !== undefined && record.previous !== hash(before?.text ?? "")) {
        problems.push({ problem: "chain_broken", line })
      }
      ids.add(record.id)
      records.push(record)
    }
    before = { text: text ?? "", linked: record?.previous !== undefined }
  }
  const last = lines.at(-1)
  return {
    records: records.length,
    chained: records.filter((record) => record.previous !== undefined).length,
    first: records[0]?.time ?? "",
    last: records.at(-1)?.time ?? "",
    head: records.length === 0 || last === undefined || torn ? "" : hash(last),
    problems,
    stopped
  }
}

const archive = "Stop Hermes, move the file out of the plugin's data directory, and start again: a new file is made."

/** How to go on. Nothing here is done by itself: an audit is repaired by a person. */
export const cureOf = (problem: AuditProblem["problem"]): string => {
  switch (problem) {
    case "missing":
      return "No call was recorded in this home yet, or the file was moved away."
    case "unreadable":
      return "Read it as the user that Hermes runs under; if that fails too, the disk may be failing."
    case "link":
    case "not_directory":
    case "not_regular":
      return "Something else bears the name. Find out who made it, move it away, and start again."
    case "hard_link":
      return "The file has a second name. Find it (find -inum), remove one of the two, and start again."
    case "foreign_owner":
      return "Another user owns it. Find out why, move it away, and start again."
    case "open_to_others":
      return "Others may read or change it. Check its records, then chmod 600 the file and 700 the directory."
    case "replaced":
    case "locked":
      return "Another process is using it. Try again."
    case "full":
      return archive
    case "storage":
      return "The disk is full or failing. Make room; calls stay blocked until a record can be kept."
    case "torn":
      return (
        `The last record was cut off, as by a power failure; the call it speaks of was blocked. ${archive} ` +
        "Or cut the file after its last whole line, and keep the rest as evidence."
      )
    case "not_text":
    case "not_record":
      return `The guard did not write this line. Keep the file as evidence. ${archive}`
    case "chain_broken":
    case "chain_interrupted":
      return `A line was changed, removed or added, or the chain was switched off, before this one. ${archive}`
    case "repeated_id":
      return `A record was copied. Keep the file as evidence. ${archive}`
  }
}
