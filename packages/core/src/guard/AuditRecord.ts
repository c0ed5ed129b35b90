/**
 * What is kept of a decision: enough to count and to find the rule, nothing of the call. (seed 004 "Audit and operations")
 *
 * Redaction by omission: every member is a time, a random id or one of a closed set of words. No member is made from an
 * argument, so there is nothing that a redaction could miss.
 */
import * as Schema from "effect/Schema"
import { actions, type Decision, evaluationReasons, failureReasons } from "./Decision.ts"
import { inspectedTools } from "./Inspection.ts"

const otherTool = "other"

/** SHA-256 of the line before, as 64 hex digits; of nothing for the first line. Only where the operator wants a chain. */
const Link = Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/)))

export const AuditRecord = Schema.Struct({
  event: Schema.Literal("policy_decision"),
  /** UTC, to the millisecond. */
  time: Schema.String.pipe(Schema.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))),
  id: Schema.String.pipe(Schema.check(Schema.isPattern(/^[A-Za-z0-9-]{1,64}$/))),
  action: Schema.Literals(["allow", "approve", "block"]),
  reason: Schema.Literals([...evaluationReasons, ...failureReasons]),
  /** Position in the policy of that time. */
  rule: Schema.NullOr(Schema.String.pipe(Schema.check(Schema.isPattern(/^(tool|path):\d{1,3}$/)))),
  tool: Schema.Literals(["read_file", "write_file", "patch", "terminal", otherTool]),
  previous: Schema.optionalKey(Link)
})
export type AuditRecord = typeof AuditRecord.Type

type RecordedTool = AuditRecord["tool"]

/** A name that the guard does not inspect is the model's or a server's own text, so it is not kept. */
const recorded = (tool: string): RecordedTool => (inspectedTools.includes(tool) ? (tool as RecordedTool) : otherTool)

/** `time` in milliseconds since 1970. */
export const make = (decision: Decision, tool: string, time: number, id: string): AuditRecord => ({
  event: "policy_decision",
  time: new Date(time).toISOString(),
  id,
  action: actions.includes(decision.action) ? decision.action : "block",
  reason: decision.reason,
  rule: decision.rule,
  tool: recorded(tool)
})

/** The line of a record, without its line feed. */
export const lineOf = (record: AuditRecord): string => JSON.stringify(record)
