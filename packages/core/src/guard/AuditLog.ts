/**
 * Where decisions are recorded before they take effect. (seed 004 "Audit and operations")
 *
 * `append` has succeeded only when the record is on stable storage. Whatever keeps it from that blocks the call, an
 * allowed one too: a decision that is not recorded does not count.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { KeptRecord } from "./AuditRecord.ts"

/**
 * Why a record was not kept.
 *
 * - `link`, `not_directory`, `not_regular`: not what it should be; `hard_link`: the file has a second name
 * - `foreign_owner`, `open_to_others`: somebody else could have changed it
 * - `replaced`: another file took the name meanwhile; `locked`: another process is writing, try again
 * - `torn`: the last record is not whole; `full`: the file has reached its size
 * - `storage`: the system failed or has no room
 */
export const auditFaults = [
  "link",
  "not_directory",
  "not_regular",
  "hard_link",
  "foreign_owner",
  "open_to_others",
  "replaced",
  "locked",
  "torn",
  "full",
  "storage"
] as const
export type AuditFault = (typeof auditFaults)[number]

export class AuditRefused extends Schema.TaggedError<AuditRefused>()("AuditRefused", {
  fault: Schema.Literals(auditFaults),
  /** What the fault speaks of. */
  subject: Schema.Literals(["home", "plugin_data", "directory", "file"])
}) {}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Appends to the audit of a Hermes home. */
    readonly append: (hermesHome: string, record: KeptRecord) => Effect.Effect<void, AuditRefused>
  }
>()("@memory-bridge/core/guard/AuditLog") {}
