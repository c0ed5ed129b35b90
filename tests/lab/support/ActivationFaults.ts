/** The system calls of an activation with a step that goes wrong, by number, and one activation over them. */
import type { PolicyChange } from "@memory-bridge/core/guard/AuditRecord"
import type { PolicySetting } from "@memory-bridge/core/guard/Settings"
import { activate, type Activated, meaningOf, type Reviewed } from "@memory-bridge/core/lab/Activation"
import { type ActivationRefused, ActiveSettings } from "@memory-bridge/core/lab/ActivationPlace"
import { fingerprintOf, settingsOf } from "@memory-bridge/core/lab/Fingerprint"
import * as FreshIds from "@memory-bridge/platform-posix/FreshIds"
import * as AuditFile from "@memory-bridge/platform-posix/guard/AuditFile"
import * as BackupFiles from "@memory-bridge/platform-posix/lab/BackupFiles"
import * as Fingerprint from "@memory-bridge/platform-posix/lab/Fingerprint"
import { type LabCalls, labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FileSettings from "memory-bridge/config/FileSettings"

export type Step = keyof LabCalls

type AnyCall = (...args: ReadonlyArray<unknown>) => unknown

/** `around` gets each call in order, from 0, with what it would do. */
export const watched = (
  around: (step: Step, index: number, perform: AnyCall, args: ReadonlyArray<unknown>) => unknown
): LabCalls => {
  const real = labCalls()
  let index = 0
  const wrapped = (Object.keys(real) as Array<Step>).map((step) => [
    step,
    (...args: ReadonlyArray<unknown>) => around(step, index++, real[step] as AnyCall, args)
  ])
  return Object.fromEntries(wrapped) as LabCalls
}

export const stepsOf = async (run: (calls: LabCalls) => Promise<unknown>): Promise<ReadonlyArray<Step>> => {
  const steps: Array<Step> = []
  await run(
    watched((step, _index, perform, args) => {
      steps.push(step)
      return perform(...args)
    })
  )
  return steps
}

const userHome = "/home/u"

export const fingerprint = (setting: PolicySetting): string =>
  fingerprintOf(Fingerprint.sha256, meaningOf(setting, userHome).policy)

/** As much of a review as is confirmed, of a policy over another. */
export const reviewedOf = (active: PolicySetting, proposed: PolicySetting): Reviewed => {
  const side = (setting: PolicySetting) => ({
    fingerprint: fingerprint(setting),
    settings: settingsOf(meaningOf(setting, userHome).policy)
  })
  return {
    active: side(active),
    proposed: side(proposed),
    difference: { counts: { weakened: 3, linked: 0 } }
  }
}

export interface Run {
  readonly home: string
  readonly target: PolicySetting
  readonly event?: PolicyChange
  /** What was reviewed, if not what is active. */
  readonly reviewed?: Reviewed
  readonly weakened?: number
  readonly fingerprint?: string
}

/** Reviews against what is active, confirms, activates. */
export const activation = (run: Run, calls: LabCalls): Effect.Effect<Activated, ActivationRefused> =>
  Effect.gen(function* () {
    const { home, target } = run
    const { policy } = yield* (yield* ActiveSettings).read
    const reviewed = run.reviewed ?? reviewedOf(policy, target)
    const confirmation = {
      fingerprint: run.fingerprint ?? reviewed.proposed.fingerprint,
      weakened: run.weakened ?? 3
    }
    return yield* activate({ home, userHome, event: run.event ?? "policy_activated", reviewed, confirmation, target })
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        FileSettings.layerOf(home(run), calls),
        BackupFiles.layerOf(home(run), calls),
        AuditFile.layerOf(() => calls, { chain: true }),
        Fingerprint.layer,
        FreshIds.layer
      )
    )
  )

const home = (run: Run): string => run.home

/** The outcome in a word: `done`, `unchanged`, or the reason of the refusal. */
export const outcome = async (run: Run, calls: LabCalls = labCalls()): Promise<string> =>
  Effect.runPromise(
    activation(run, calls).pipe(
      Effect.map(({ backup }) => (backup === undefined ? "unchanged" : "done")),
      Effect.catch(({ reason }) => Effect.succeed<string>(reason))
    )
  )
