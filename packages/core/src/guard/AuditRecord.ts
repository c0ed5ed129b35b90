/**
 * What is kept of a decision, and of a change of the policy: enough to count and to find the rule, nothing of the call.
 * (seed 004 "Audit and operations")
 *
 * Redaction by omission: every member is a time, a random id or one of a closed set of words. No member is made from an
 * argument, so there is nothing that a redaction could miss.
 */
import * as Schema from "effect/Schema"
import { actions, type Decision, evaluationReasons, failureReasons } from "./Decision.ts"
import { inspectedTools } from "./Inspection.ts"

const otherTool = "other"

/** A SHA-256 as 64 hex digits. `previous` is that of the line before, of nothing for the first, where a chain is wanted. */
const Link = Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/)))

const common = {
  /** UTC, to the millisecond. */
  time: Schema.String.pipe(Schema.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))),
  id: Schema.String.pipe(Schema.check(Schema.isPattern(/^[A-Za-z0-9-]{1,64}$/)))
}

export const AuditRecord = Schema.Struct({
  event: Schema.Literal("policy_decision"),
  ...common,
  action: Schema.Literals(["allow", "approve", "block"]),
  reason: Schema.Literals([...evaluationReasons, ...failureReasons]),
  /** Position in the policy of that time. */
  rule: Schema.NullOr(Schema.String.pipe(Schema.check(Schema.isPattern(/^(tool|path):\d{1,3}$/)))),
  tool: Schema.Literals(["read_file", "write_file", "patch", "terminal", otherTool]),
  /** Only where the decision had no effect: the guard was in log-only mode. */
  enforced: Schema.optionalKey(Schema.Literal(false)),
  previous: Schema.optionalKey(Link)
})
export type AuditRecord = typeof AuditRecord.Type

/** `begun` before the settings are written, `done` or `failed` after; a process that died in between left neither. */
const phases = ["begun", "done", "failed"] as const
export type PolicyChangePhase = (typeof phases)[number]

const changes = ["policy_activated", "policy_rolled_back"] as const
export type PolicyChange = (typeof changes)[number]

/** That an operator changed the policy: the fingerprints of both, and nothing of what they say. */
export const ChangeRecord = Schema.Struct({
  event: Schema.Literals(changes),
  ...common,
  phase: Schema.Literals(phases),
  from: Link,
  to: Link,
  previous: Schema.optionalKey(Link)
})
export type ChangeRecord = typeof ChangeRecord.Type

/** Whatever a line of the audit can be. */
export const KeptRecord = Schema.Union([AuditRecord, ChangeRecord])
export type KeptRecord = typeof KeptRecord.Type

type RecordedTool = AuditRecord["tool"]

/** A name that the guard does not inspect is the model's or a server's own text, so it is not kept. */
const recorded = (tool: string): RecordedTool => (inspectedTools.includes(tool) ? (tool as RecordedTool) : otherTool)

/** `time` in milliseconds since 1970. */
export const make = (
  decision: Decision,
  tool: string,
  time: number,
  id: string,
  effect: "enforced" | "logged" = "enforced"
): AuditRecord => ({
  event: "policy_decision",
  time: new Date(time).toISOString(),
  id,
  action: actions.includes(decision.action) ? decision.action : "block",
  reason: decision.reason,
  rule: decision.rule,
  tool: recorded(tool),
  ...(effect === "logged" ? { enforced: false } : {})
})

export const changeRecord = (
  change: Pick<ChangeRecord, "event" | "phase" | "from" | "to">,
  time: number,
  id: string
): ChangeRecord => ({ ...change, time: new Date(time).toISOString(), id })

/** The line of a record, without its line feed. */
export const lineOf = (record: KeptRecord): string => JSON.stringify(record)
