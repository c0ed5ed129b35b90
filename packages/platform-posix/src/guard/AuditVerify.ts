/**
 * Reads an audit file for an operator who wants to know what is wrong with it. (issue 3 part 5, core `AuditReport`)
 *
 * Changes nothing and takes no lock, so it may be run beside the guard and may then see a record half written.
 */
import { createHash } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import {
  type AuditProblem,
  type AuditReport,
  type Line,
  maxAuditBytes,
  maxLineBytes,
  reportOf
} from "@memory-bridge/core/guard/AuditReport"
import { decodeUtf8 } from "../Utf8.ts"
import { type AuditCalls, auditCalls, isCode } from "./AuditCalls.ts"
import { fileFault } from "./AuditPlace.ts"

const nothing: Omit<AuditReport, "problems"> = { records: 0, chained: 0, first: "", last: "", head: "", stopped: false }

const alone = (problem: AuditProblem["problem"] & string): AuditReport => ({
  ...nothing,
  problems: [{ problem } as AuditProblem]
})

/** Reads to the end, or to one byte more than a file may have. */
const readBounded = (path: string): Buffer | undefined => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const buffer = Buffer.alloc(Math.min(Number(fstatSync(descriptor).size), maxAuditBytes) + 1)
    let length = 0
    for (let count = -1; count !== 0 && length < buffer.length; length += count) {
      count = readSync(descriptor, buffer, length, buffer.length - length, null)
    }
    return buffer.subarray(0, length)
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

const lineFeed = 0x0a

const linesOf = (bytes: Buffer): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(lineFeed, start)
    const end = found < 0 ? bytes.length : found
    lines.push(decodeUtf8(bytes, start, end))
    start = end + 1
  }
  return lines
}

export const verify = (path: string, calls: Pick<AuditCalls, "factsAt" | "user"> = auditCalls()): AuditReport => {
  const facts = calls.factsAt(path)
  if (isCode(facts)) return alone(facts === "ENOENT" ? "missing" : "unreadable")
  const fault = fileFault(facts, calls.user())
  if (fault === "link" || fault === "not_regular") return alone(fault)
  const bytes = readBounded(path)
  if (bytes === undefined) return alone("unreadable")
  const torn = bytes.length > 0 && bytes[bytes.length - 1] !== lineFeed
  const report = reportOf(linesOf(bytes), torn, (text) => createHash("sha256").update(text).digest("hex"))
  const whole: Array<AuditProblem> = []
  if (fault !== undefined) whole.push({ problem: fault })
  if (bytes.length + maxLineBytes > maxAuditBytes) whole.push({ problem: "full" })
  return { ...report, problems: [...whole, ...report.problems] }
}
