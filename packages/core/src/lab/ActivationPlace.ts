/**
 * What an activation needs of the world: the settings in force, the backups, and to be alone. (issue 5 item 4)
 *
 * Two things stand behind the settings: the host's own interface inside Hermes, the configuration file elsewhere. Both
 * replace the policy whole or not at all.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { PolicySetting } from "../guard/Settings.ts"
import type { Backup, Kept } from "./Backup.ts"

/**
 * - `unknown_fingerprint`, `wrong_count`: what the operator typed is not what was reviewed
 * - `stale_review`: another policy is active than the one that was reviewed against
 * - `link`, `not_directory`, `not_regular`, `hard_link`, `foreign_owner`, `open_to_others`: a place that is not trusted
 * - `changed`: somebody wrote the file meanwhile; `locked`: another activation is under way
 * - `not_permitted`, `read_only`, `storage`, `too_large`: the system would not, or has no room
 * - `file_unsupported`: the configuration file cannot be edited safely, `detail` says why
 * - `host_refused`: the host's interface did not take the settings; `not_read_back`: it says something else afterwards
 * - `audit_unavailable`: it could not be recorded, so it was not done; `no_backup`: there is none of that name
 * - `policy_invalid`: what is to be activated is no policy
 */
export const activationReasons = [
  "unknown_fingerprint",
  "wrong_count",
  "stale_review",
  "link",
  "not_directory",
  "not_regular",
  "hard_link",
  "foreign_owner",
  "open_to_others",
  "changed",
  "locked",
  "not_permitted",
  "read_only",
  "storage",
  "too_large",
  "file_unsupported",
  "host_refused",
  "not_read_back",
  "audit_unavailable",
  "no_backup",
  "policy_invalid"
] as const
export type ActivationReason = (typeof activationReasons)[number]

export const activationSubjects = [
  "review",
  "home",
  "config",
  "plugin_data",
  "directory",
  "backups",
  "audit",
  "host"
] as const
export type ActivationSubject = (typeof activationSubjects)[number]

export class ActivationRefused extends Schema.TaggedError<ActivationRefused>()("ActivationRefused", {
  reason: Schema.Literals(activationReasons),
  /** What the reason speaks of. */
  subject: Schema.Literals(activationSubjects),
  /** A code of the layer below, or "". */
  detail: Schema.String,
  /** Of the configuration file, from 1; 0 for none. */
  line: Schema.Number
}) {}

export const refused = (
  reason: ActivationReason,
  subject: ActivationSubject,
  detail = "",
  line = 0
): ActivationRefused => new ActivationRefused({ reason, subject, detail, line })

/** The settings of the guard as they stand. */
export interface GuardSettings {
  readonly policy: PolicySetting
  readonly mode: PolicySetting
  readonly auditChain: PolicySetting
}

export class ActiveSettings extends Context.Service<
  ActiveSettings,
  {
    readonly read: Effect.Effect<GuardSettings, ActivationRefused>
    /** Refuses with `changed` where the settings are no longer what the last `read` gave. */
    readonly replace: (policy: PolicySetting) => Effect.Effect<void, ActivationRefused>
  }
>()("@memory-bridge/core/lab/ActiveSettings") {}

export class Backups extends Context.Service<
  Backups,
  {
    /** Keeps every other activation of this home out until the scope closes. */
    readonly alone: Effect.Effect<void, ActivationRefused, Scope.Scope>
    /** In the order of names, so oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Kept>, ActivationRefused>
    /** Has succeeded only when the backup is on stable storage. Never writes over one. */
    readonly save: (backup: Backup) => Effect.Effect<void, ActivationRefused>
    readonly remove: (kept: Kept) => Effect.Effect<void, ActivationRefused>
  }
>()("@memory-bridge/core/lab/Backups") {}
