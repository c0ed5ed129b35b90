/**
 * Does the guard decide, does its decision count, and is it recorded? (issue 7 item 2; cases/guard.md section 5;
 * hermes-contract.md b and e)
 *
 * The settings are read as the guard reads them and the audit is verified as `guardian audit verify` does. What the host
 * makes of a hook's answer cannot be seen from outside, so its version is looked up among what is known; an unknown
 * version is a warning, never a guess.
 */
import { cureOf } from "@memory-bridge/core/guard/AuditReport"
import { auditFileOf } from "@memory-bridge/core/guard/Installation"
import { modeOf } from "@memory-bridge/core/guard/Mode"
import { meaningOf } from "@memory-bridge/core/lab/Activation"
import { ActiveSettings, type GuardSettings } from "@memory-bridge/core/lab/ActivationPlace"
import { verify } from "@memory-bridge/platform-posix/guard/AuditVerify"
import { labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { homedir } from "node:os"
import { settingsLayer } from "../../config/Settings.ts"
import { activationCure } from "../ActivationCure.ts"
import { quote } from "../Quote.ts"
import type { HostConfig } from "./Config.ts"
import { type Finding, findingsOf } from "./Finding.ts"
import type { Wholeness } from "./Plugins.ts"
import { type Host, type Version, versionIn } from "./Programs.ts"

const found = findingsOf("guard")

const modeFinding = ({ mode }: GuardSettings): Finding => {
  const meant = modeOf(mode)
  if (Result.isFailure(meant)) {
    const cure = "set plugins.entries.hermes-guardian.settings.mode to enforce or log_only"
    return found.error(
      "mode_invalid",
      `The guard's mode is ${meant.failure === "raised" ? "not readable" : "not valid"}, so every call is blocked.`,
      cure
    )
  }
  return meant.success === "enforce"
    ? found.ok("mode_enforce", "Decisions are enforced.")
    : found.warning(
        "mode_log_only",
        "The guard only records: nothing is enforced.",
        "set plugins.entries.hermes-guardian.settings.mode to enforce"
      )
}

const policyFindings = ({ policy }: GuardSettings): ReadonlyArray<Finding> => {
  const { policy: meant, valid } = meaningOf(policy, homedir())
  if (!valid) {
    return [
      found.error(
        "guard_policy_invalid",
        "The guard's policy is not valid, so every call is blocked.",
        "memory-bridge guardian status"
      )
    ]
  }
  return [
    policy.state === "unset"
      ? found.info(
          "guard_policy_built_in",
          "No policy is set, so the built-in one decides.",
          "memory-bridge guardian propose --help"
        )
      : found.ok("guard_policy_set", "The guard's policy is valid."),
    ...(meant.defaultAction === "allow"
      ? [
          found.warning(
            "guard_default_allow",
            "What no rule names is allowed (default_action: allow).",
            "memory-bridge guardian review --help"
          )
        ]
      : [])
  ]
}

const auditFindings = (home: string): ReadonlyArray<Finding> => {
  const report = verify(auditFileOf(home))
  const kinds = [...new Set(report.problems.map(({ problem }) => problem))]
  if (kinds.length === 0) return [found.ok("audit_whole", `The audit is whole: ${report.records} records.`)]
  if (kinds.every((kind) => kind === "missing")) {
    return [found.info("audit_none", "Nothing has been recorded yet.")]
  }
  return kinds.map((kind) =>
    found.error(
      `audit_${kind}`,
      `The audit is not whole: ${kind}. ${cureOf(kind)}`,
      `memory-bridge guardian audit verify --home ${quote(home)}`
    )
  )
}

// ---- The host's guarantees.

interface Guarantees {
  /** Whether a hook that raises blocks the call. */
  readonly raising: "blocks" | "proceeds" | "unknown"
  /** Whether a block counts whatever another plugin said before. */
  readonly block: "beats" | "first_wins" | "unknown"
}

const isBefore = (version: Version, other: Version): boolean => {
  const at = version.findIndex((part, index) => part !== other[index])
  return at !== -1 && (version[at] ?? 0) < (other[at] ?? 0)
}

/** Up to 0.20.1 it was seen; of 0.21.3 the order alone was read; from 0.21.5 on it is the host's own documentation. */
export const guaranteesOf = (version: Version | undefined): Guarantees => {
  if (version === undefined || isBefore(version, [0, 10, 0]) || !isBefore(version, [0, 24, 0])) {
    return { raising: "unknown", block: "unknown" }
  }
  if (isBefore(version, [0, 20, 2])) return { raising: "proceeds", block: "first_wins" }
  if (isBefore(version, [0, 21, 5])) return { raising: "unknown", block: "first_wins" }
  return { raising: "blocks", block: "beats" }
}

export const guaranteeFindings = (host: Host | undefined): ReadonlyArray<Finding> => {
  const { block, raising } = guaranteesOf(host === undefined ? undefined : versionIn(host.version))
  const cure = "hermes update"
  const ask = "see the host's notes on pre_tool_call hooks for its version: hermes --version"
  return [
    raising === "blocks"
      ? found.ok("raising_blocks", "A hook that raises, or takes too long, blocks the call.")
      : raising === "proceeds"
        ? found.warning(
            "raising_proceeds",
            "In this host a hook that raises lets the call go on. The guard's own hook catches everything and blocks; a plugin that does not load cannot.",
            cure
          )
        : found.warning(
            "raising_unknown",
            "Whether a hook that raises blocks the call is not known for this host. The guard's own hook catches everything and blocks.",
            ask
          ),
    block === "beats"
      ? found.ok("block_beats_approve", "A block counts, whatever another plugin says.")
      : block === "first_wins"
        ? found.warning(
            "block_first_wins",
            "In this host the first plugin that says block or approve wins, so another plugin's approve can come before a block.",
            cure
          )
        : found.warning(
            "block_unknown",
            "Whether a block beats another plugin's approve is not known for this host.",
            ask
          )
  ]
}

const unasked = (code: string, what: string, cure: string) =>
  found.warning(
    code,
    `${what}, so a call that the guard wants approved runs without being asked about. Only block is a hard stop.`,
    cure
  )

/** What lets an approve through without anybody having been asked; only a block is a hard stop. */
const wavedThrough = (config: HostConfig): ReadonlyArray<Finding> => {
  const mode = config.at("approvals", "mode")
  const yolo = process.env["HERMES_YOLO_MODE"] ?? ""
  return [
    // An unquoted off is false to some readers.
    ...(mode === "off" || mode === false
      ? [unasked("approvals_off", "approvals.mode is off", "set approvals.mode to manual in config.yaml")]
      : []),
    ...(config.at("approvals", "cron_mode") === "approve"
      ? [unasked("approvals_cron", "approvals.cron_mode is approve", "set approvals.cron_mode to deny in config.yaml")]
      : []),
    ...(config.at("approvals", "single_query_mode") === "approve"
      ? [
          unasked(
            "approvals_single_query",
            "approvals.single_query_mode is approve",
            "set approvals.single_query_mode to deny in config.yaml"
          )
        ]
      : []),
    ...(/^(?:1|true|yes|on)$/i.test(yolo)
      ? [unasked("approvals_yolo", "HERMES_YOLO_MODE is set", "unset HERMES_YOLO_MODE")]
      : [])
  ]
}

export const guardFindings = Effect.fnUntraced(function* (
  home: string,
  state: Wholeness,
  config: HostConfig,
  host: Host | undefined
) {
  if (state === "absent") return [] as ReadonlyArray<Finding>
  const read = yield* Effect.result(
    ActiveSettings.use(({ read }) => read).pipe(Effect.provide(settingsLayer(home, labCalls()).layer))
  )
  const settings = Result.isSuccess(read)
    ? [modeFinding(read.success), ...policyFindings(read.success)]
    : [
        found.error(
          "guard_settings_refused",
          `The guard's settings cannot be read: ${read.failure.reason}.`,
          activationCure(read.failure, home).cure
        )
      ]
  const all: ReadonlyArray<Finding> = [
    ...settings,
    ...auditFindings(home),
    ...guaranteeFindings(host),
    ...wavedThrough(config)
  ]
  return all
})
