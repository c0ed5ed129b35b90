/**
 * Was the call decided and recorded as it should be, and does nothing tell of its arguments? (seed 004 "Approval
 * semantics", "Audit and operations")
 */
import { AuditRecord } from "@memory-bridge/core/guard/AuditRecord"
import type { Action } from "@memory-bridge/core/guard/Decision"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Reply } from "../Host.ts"
import type { Scenario } from "./Scenarios.ts"
import { secretWord, type World } from "./World.ts"

/** What the hook may tell a host. `null` is allow. */
const Directive = Schema.fromJsonString(
  Schema.NullOr(
    Schema.Union([
      Schema.Struct({ action: Schema.Literal("block"), message: Schema.NonEmptyString }),
      Schema.Struct({
        action: Schema.Literal("approve"),
        message: Schema.NonEmptyString,
        rule_key: Schema.NonEmptyString
      })
    ])
  )
)

const decodeDirective = Schema.decodeUnknownOption(Directive, { onExcessProperty: "error" })
const decodeRecord = Schema.decodeUnknownOption(Schema.fromJsonString(AuditRecord), { onExcessProperty: "error" })

/** What the host was told to do, or `undefined` where it was told nothing that it knows. */
export const actionOf = (answer: string): Action | undefined =>
  Option.getOrUndefined(Option.map(decodeDirective(answer), (directive) => directive?.action ?? "allow"))

/** One call: what was expected, what the host was told, and the records that it added. */
export interface Judged {
  readonly scenario: Scenario
  readonly reply: Reply
  readonly records: ReadonlyArray<string>
}

/** Texts that may be in no message, log line or record: where everything lies, and what the secrets hold. */
const forbidden = ({ top }: World): ReadonlyArray<string> => [top, "notes.md", ".env", secretWord]

/** What is wrong, in words, or `undefined`. */
export const mistake = ({ records, reply, scenario }: Judged, world: World): string | undefined => {
  const said = [reply.answer, ...reply.log, ...records].join("\n")
  if (forbidden(world).some((never) => said.includes(never))) return "a text of the call that must stay in it"
  if (actionOf(reply.answer) !== scenario.action) return `${actionOf(reply.answer) ?? "no directive"}`
  if (records.length !== 1) return `${records.length} records of it`
  const record = Option.getOrUndefined(decodeRecord(records[0]))
  if (record === undefined) return "a record of another form"
  const right =
    record.action === scenario.action &&
    record.reason === scenario.reason &&
    record.rule === scenario.rule &&
    record.tool === scenario.recorded
  return right ? undefined : "another record of it"
}
