/**
 * From a reviewed policy to the active one, and back. (issue 5 item 4; cases/guard.md section 5 "Activate", "Rollback")
 *
 * What is written is what was reviewed, and it was reviewed against what is active: both are compared by fingerprint when
 * nobody else can activate any more. Then, in an order in which a death at any point leaves one whole policy in force and
 * the former one kept: backup, record that it begins, replacement in one step, reading back, record that it is done. A
 * record is made before the policy changes because an unrecorded change is worse than a recorded one that did not come.
 * To roll back is to activate a backup, with a review and a confirmation of its own.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { AuditLog, type AuditRefused } from "../guard/AuditLog.ts"
import { changeRecord, type PolicyChange, type PolicyChangePhase } from "../guard/AuditRecord.ts"
import { FreshId } from "../guard/FreshId.ts"
import { defaultPolicy, make, type Policy } from "../guard/Policy.ts"
import { decode, type PolicySetting } from "../guard/Settings.ts"
import { type ActivationRefused, ActiveSettings, Backups, refused } from "./ActivationPlace.ts"
import * as Backup from "./Backup.ts"
import { Fingerprint, fingerprintOf } from "./Fingerprint.ts"
import type { Review } from "./Review.ts"

/** What a setting comes to. Under one that is no policy every call is blocked, so it is compared as such a policy. */
export interface Meaning {
  readonly policy: Policy
  readonly valid: boolean
}

const blocksAll: Meaning = { policy: make("block", [], []), valid: false }

export const meaningOf = (setting: PolicySetting, userHome: string): Meaning => {
  switch (setting.state) {
    case "raised":
      return blocksAll
    case "unset":
      return { policy: defaultPolicy(userHome), valid: true }
    case "value":
      return Result.match(decode(setting.value, userHome), {
        onFailure: () => blocksAll,
        onSuccess: (policy) => ({ policy, valid: true })
      })
  }
}

/** What the operator typed, after having seen the review. */
export interface Confirmation {
  readonly fingerprint: string
  readonly weakened: number
}

/** What of a review is confirmed. */
export type Reviewed = Pick<Review, "active" | "proposed"> & {
  readonly difference: { readonly counts: Pick<Review["difference"]["counts"], "weakened" | "linked"> }
}

/** Classes that are refused less than before, also those that need a link. */
export const weakenedBy = ({ difference: { counts } }: Reviewed): number => counts.weakened + counts.linked

/** Digits of a fingerprint that are enough to mean it: no hand types so many by chance. */
export const leastDigits = 12

const means = (typed: string, fingerprint: string): boolean =>
  typed.length >= leastDigits && fingerprint.startsWith(typed)

export const confirmationDefect = (reviewed: Reviewed, typed: Confirmation): ActivationRefused | undefined => {
  if (!means(typed.fingerprint, reviewed.proposed.fingerprint)) return refused("unknown_fingerprint", "review")
  return typed.weakened === weakenedBy(reviewed) ? undefined : refused("wrong_count", "review")
}

export interface Order {
  /** The Hermes home. */
  readonly home: string
  readonly userHome: string
  readonly event: PolicyChange
  readonly reviewed: Reviewed
  readonly confirmation: Confirmation
  readonly target: PolicySetting
}

export interface Activated {
  readonly from: string
  readonly to: string
  /** File name of the backup; `undefined` where the policy was active already and nothing was done. */
  readonly backup: string | undefined
  /** Whether the record that it is done was kept; the one that it begins always was. */
  readonly recorded: boolean
  /** File names of old backups that went, since only so many are kept. */
  readonly removed: ReadonlyArray<string>
}

// The guard holds its lock for the time of one record.
const patience = { schedule: Schedule.spaced("25 millis"), times: 40 }

const isLocked = ({ fault }: AuditRefused): boolean => fault === "locked"

const sameSetting = (one: PolicySetting, other: PolicySetting): boolean => JSON.stringify(one) === JSON.stringify(other)

/** A backup of the same setting is made once: after an attempt that was cut off there is one already. */
const keep = Effect.fnUntraced(function* (setting: PolicySetting, fingerprint: string, time: number, id: string) {
  const backups = yield* Backups
  const newest = (yield* backups.list).findLast(({ backup }) => backup !== undefined)?.backup
  if (newest !== undefined && sameSetting(newest.setting, setting)) return Backup.nameOf(newest)
  const backup = Backup.make(setting, fingerprint, time, id)
  yield* backups.save(backup)
  return Backup.nameOf(backup)
})

/** Needs `ActiveSettings`, `Backups`, `AuditLog`, `Fingerprint` and `FreshId`, all of the home that is named. */
export const activate = Effect.fn("Activation.activate")(function* (order: Order) {
  const { event, home, reviewed, target, userHome } = order
  const defect = confirmationDefect(reviewed, order.confirmation)
  if (defect !== undefined) return yield* defect
  const settings = yield* ActiveSettings
  const backups = yield* Backups
  const audit = yield* AuditLog
  const ids = yield* FreshId
  const { sha256 } = yield* Fingerprint
  const fingerprint = (setting: PolicySetting) => fingerprintOf(sha256, meaningOf(setting, userHome).policy)

  yield* backups.alone
  const before = yield* settings.read
  const from = fingerprint(before.policy)
  const to = fingerprint(target)
  if (!meaningOf(target, userHome).valid) return yield* refused("policy_invalid", "review")
  if (to !== reviewed.proposed.fingerprint) return yield* refused("unknown_fingerprint", "review")
  if (from !== reviewed.active.fingerprint) return yield* refused("stale_review", "review")
  const unchanged: Activated = { from, to, backup: undefined, recorded: true, removed: [] }
  if (from === to && meaningOf(before.policy, userHome).valid) return unchanged

  const record = Effect.fnUntraced(function* (phase: PolicyChangePhase) {
    const time = yield* Clock.currentTimeMillis
    const line = changeRecord({ event, phase, from, to }, time, yield* ids.next)
    yield* Effect.retry(audit.append(home, line), { ...patience, while: isLocked })
  })

  const backup = yield* keep(before.policy, from, yield* Clock.currentTimeMillis, yield* ids.next)
  yield* record("begun").pipe(Effect.mapError(({ fault }) => refused("audit_unavailable", "audit", fault)))
  yield* settings.replace(target).pipe(Effect.tapError(() => Effect.ignore(record("failed"))))
  const after = yield* settings.read
  if (fingerprint(after.policy) !== to) return yield* refused("not_read_back", "config")
  const recorded = yield* record("done").pipe(
    Effect.as(true),
    Effect.catch(() => Effect.succeed(false))
  )
  const removed: Array<string> = []
  for (const old of Backup.surplus(yield* backups.list)) {
    const gone = yield* Effect.result(backups.remove(old))
    if (Result.isSuccess(gone)) removed.push(old.name)
  }
  const activated: Activated = { from, to, backup, recorded, removed }
  return activated
}, Effect.scoped)
