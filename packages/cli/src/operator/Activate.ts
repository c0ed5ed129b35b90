/**
 * Puts a policy in force, after the operator has seen what it changes and has typed what was seen. (issue 5 item 4)
 *
 * Never on a bare yes: the fingerprint and the number of weakened classes are typed, on the command line or when asked.
 * The order of steps, and what is refused, is the core's `Activation`.
 */
import { modeOf } from "@memory-bridge/core/guard/Mode"
import { selfRoots } from "@memory-bridge/core/guard/Installation"
import type { Policy } from "@memory-bridge/core/guard/Policy"
import type { PolicySetting } from "@memory-bridge/core/guard/Settings"
import {
  activate,
  type Confirmation,
  confirmationDefect,
  meaningOf,
  weakenedBy
} from "@memory-bridge/core/lab/Activation"
import {
  type ActivationRefused,
  ActiveSettings,
  type GuardSettings,
  refused
} from "@memory-bridge/core/lab/ActivationPlace"
import type { PolicyChange } from "@memory-bridge/core/guard/AuditRecord"
import { type Review, review } from "@memory-bridge/core/lab/Review"
import * as FreshIds from "@memory-bridge/platform-posix/FreshIds"
import * as AuditFile from "@memory-bridge/platform-posix/guard/AuditFile"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import * as BackupFiles from "@memory-bridge/platform-posix/lab/BackupFiles"
import * as Fingerprint from "@memory-bridge/platform-posix/lab/Fingerprint"
import { labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { homedir } from "node:os"
import { join } from "node:path"
import { settingsLayer } from "../config/Settings.ts"
import { exitCodes, Stopped } from "../Exit.ts"
import { aboutToActivate, activatedText, askFingerprint, askWeakened, refusedText } from "../screen/ActivationText.ts"
import { Screen } from "../screen/Screen.ts"
import { homeOf } from "./HermesHome.ts"
import { inputText, policyFile } from "./LabInput.ts"

/** What was typed on the command line. */
export interface Typed {
  readonly fingerprint: string | undefined
  readonly weakened: number | undefined
  /** Of the policy that was active at the review. */
  readonly against: string | undefined
}

export interface ActivateOptions extends Typed {
  readonly policy: string
  readonly home: string | undefined
  readonly json: boolean
}

export const stop = Effect.fnUntraced(function* (text: string, code: 1 | 2 | 3) {
  yield* (yield* Screen).err(`memory-bridge: ${text}\n`)
  return yield* new Stopped({ code })
})

const reviewOf = (active: Policy, proposed: Policy, home: string): Review =>
  review(Fingerprint.sha256, {
    active,
    proposed,
    calls: [],
    self: selfRoots({
      hermes_home: home,
      user_home: homedir(),
      plugin_source: join(home, "plugins", "hermes-guardian"),
      backups: [BackupFiles.backupDirectoryOf(home)]
    }),
    view: posixView
  })

const asked = Effect.fnUntraced(function* (question: string) {
  yield* (yield* Screen).out(question)
  const terminal = yield* Terminal.Terminal
  return (yield* terminal.readLine.pipe(Effect.catch(() => Effect.interrupt))).trim()
})

/** Both from the command line, or both typed when asked. */
const confirmation = Effect.fnUntraced(function* (reviewed: Review, { fingerprint, weakened }: Typed) {
  if (fingerprint !== undefined && weakened !== undefined) return { fingerprint, weakened }
  const stdio = yield* Stdio.Stdio
  if (fingerprint !== undefined || weakened !== undefined || !(yield* stdio.stdinIsTerminal)) {
    return yield* stop(
      `Not confirmed. Look at the review, then give both.\n  hint  --fingerprint ${reviewed.proposed.fingerprint.slice(0, 12)}… --weakened N`,
      exitCodes.invalid
    )
  }
  const typed = yield* asked(askFingerprint)
  const count = yield* asked(askWeakened)
  return { fingerprint: typed, weakened: /^\d{1,9}$/.test(count) ? Number(count) : -1 } satisfies Confirmation
})

const isChained = ({ auditChain }: GuardSettings): boolean => auditChain.state === "value" && auditChain.value === true

export interface Wanted {
  readonly home: string
  readonly event: PolicyChange
  readonly target: PolicySetting
  readonly typed: Typed
  readonly json: boolean
}

/** The way that activation and rolling back share: show, ask, do. */
export const putInForce = Effect.fnUntraced(function* ({ event, home, json, target, typed }: Wanted) {
  const screen = yield* Screen
  const calls = labCalls()
  const place = settingsLayer(home, calls)
  const say = Effect.fnUntraced(function* (error: ActivationRefused) {
    const { detail, reason, subject } = error
    yield* screen.err(json ? JSON.stringify({ ok: false, reason, subject, detail }) + "\n" : refusedText(error, home))
    return yield* new Stopped({ code: exitCodes.refused })
  })
  const before = yield* ActiveSettings.use(({ read }) => read).pipe(
    Effect.provide(place.layer),
    Effect.catchTag("ActivationRefused", say)
  )
  const reviewed = reviewOf(meaningOf(before.policy, homedir()).policy, meaningOf(target, homedir()).policy, home)
  if (typed.against !== undefined && !reviewed.active.fingerprint.startsWith(typed.against)) {
    return yield* say(refused("stale_review", "review"))
  }
  if (!json) yield* screen.out(aboutToActivate(reviewed, screen))
  const confirmed = yield* confirmation(reviewed, typed)
  const defect = confirmationDefect(reviewed, confirmed)
  if (defect !== undefined) return yield* say(defect)
  const services = Layer.mergeAll(
    place.layer,
    BackupFiles.layerOf(home, calls),
    AuditFile.layerOf(() => calls, { chain: isChained(before) }),
    Fingerprint.layer,
    FreshIds.layer
  )
  const order = { home, userHome: homedir(), event, reviewed, confirmation: confirmed, target }
  const done = yield* activate(order).pipe(Effect.provide(services), Effect.catchTag("ActivationRefused", say))
  if (json)
    return yield* screen.out(JSON.stringify({ ok: true, event, weakened: weakenedBy(reviewed), ...done }) + "\n")
  yield* screen.out(activatedText(done, place.where, screen))
  if (Result.getOrElse(modeOf(before.mode), () => "enforce") === "log_only") {
    yield* screen.out(screen.paint.bad("The guard is in log-only mode: nothing is enforced.\n"))
  }
})

export const activatePolicy = Effect.fnUntraced(function* (options: ActivateOptions) {
  const screen = yield* Screen
  const { settings } = yield* policyFile(options.policy, homedir()).pipe(
    Effect.catchTag("InputRefused", (refusal) =>
      Effect.andThen(screen.err(inputText(refusal)), new Stopped({ code: exitCodes.refused }))
    )
  )
  return yield* putInForce({
    home: homeOf(options.home),
    event: "policy_activated",
    target: { state: "value", value: settings },
    typed: options,
    json: options.json
  })
})
