/**
 * In which state is the guard of a home? (issue 5 item 5: log-only mode "shown by `status`")
 *
 * A look and no more: nothing is made, locked or repaired. What the guard would read is read the same way, inside Hermes
 * by the host's interface and elsewhere from the configuration file.
 */
import type { AuditReport } from "@memory-bridge/core/guard/AuditReport"
import { auditFileOf } from "@memory-bridge/core/guard/Installation"
import { type Mode, modeOf } from "@memory-bridge/core/guard/Mode"
import { meaningOf } from "@memory-bridge/core/lab/Activation"
import { ActivationRefused, ActiveSettings, type GuardSettings } from "@memory-bridge/core/lab/ActivationPlace"
import type { Kept } from "@memory-bridge/core/lab/Backup"
import { fingerprintOf } from "@memory-bridge/core/lab/Fingerprint"
import { verify } from "@memory-bridge/platform-posix/guard/AuditVerify"
import { look } from "@memory-bridge/platform-posix/lab/BackupFiles"
import { sha256 } from "@memory-bridge/platform-posix/lab/Fingerprint"
import { labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { homedir } from "node:os"
import { settingsLayer } from "../config/Settings.ts"
import { exitCodes, Stopped } from "../Exit.ts"
import { refusedText, statusText } from "../screen/ActivationText.ts"
import { Screen } from "../screen/Screen.ts"
import { homeOf } from "./HermesHome.ts"

export interface GuardState {
  readonly home: string
  readonly mode: Mode | "invalid" | "unreadable"
  readonly policy:
    | { readonly state: "set" | "built_in" | "invalid"; readonly fingerprint: string }
    | { readonly state: "refused"; readonly reason: string }
  readonly audit: AuditReport
  readonly backups: ReadonlyArray<Kept>
}

const policyState = ({ policy }: GuardSettings): GuardState["policy"] => {
  const { policy: meant, valid } = meaningOf(policy, homedir())
  const state = valid ? (policy.state === "unset" ? "built_in" : "set") : "invalid"
  return { state, fingerprint: fingerprintOf(sha256, meant) }
}

const modeState = ({ mode }: GuardSettings): GuardState["mode"] =>
  Result.getOrElse(modeOf(mode), (defect) => (defect === "raised" ? ("unreadable" as const) : defect))

const isHealthy = ({ audit, backups, mode, policy }: GuardState): boolean =>
  (mode === "enforce" || mode === "log_only") &&
  (policy.state === "set" || policy.state === "built_in") &&
  audit.problems.every(({ problem }) => problem === "missing") &&
  backups.every(({ backup }) => backup !== undefined)

export interface StatusOptions {
  readonly home: string | undefined
  readonly json: boolean
}

export const guardStatus = Effect.fnUntraced(function* ({ home: named, json }: StatusOptions) {
  const screen = yield* Screen
  const home = homeOf(named)
  const calls = labCalls()
  const settings = yield* Effect.result(
    ActiveSettings.use(({ read }) => read).pipe(Effect.provide(settingsLayer(home, calls).layer))
  )
  const kept = look(calls, home)
  const state: GuardState = {
    home,
    mode: Result.isSuccess(settings) ? modeState(settings.success) : "unreadable",
    policy: Result.isSuccess(settings)
      ? policyState(settings.success)
      : { state: "refused", reason: settings.failure.reason },
    audit: verify(auditFileOf(home)),
    backups: kept instanceof ActivationRefused ? [] : kept
  }
  yield* screen.out(json ? JSON.stringify(asJson(state)) + "\n" : statusText(state, screen))
  if (Result.isFailure(settings)) yield* screen.err(refusedText(settings.failure, home))
  if (kept instanceof ActivationRefused) yield* screen.err(refusedText(kept, home))
  if (!isHealthy(state) || kept instanceof ActivationRefused) return yield* new Stopped({ code: exitCodes.refused })
})

/** Without what the backups hold. */
const asJson = ({ backups, ...rest }: GuardState) => ({
  ...rest,
  backups: backups.map(({ backup, name }) => ({
    name,
    whole: backup !== undefined,
    fingerprint: backup?.fingerprint ?? null
  }))
})
