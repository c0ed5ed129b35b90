/**
 * Who is calling, and in what kind of run? (seed 000 "Who is calling", "Profile identity"; design.md section 4)
 *
 * Signals become a caller, or a refusal; there is no default. A total function, so the whole table of signal
 * combinations can be tested. Helper presence is judged, versions never.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { components } from "../trust/TrustedPath.ts"
import { type HostHelper, HostSignals } from "./Signals.ts"

/** A permission that a run needs from the policy because of its kind. */
export type OptIn = "allow_cron" | "allow_subagents"

declare const brand: unique symbol
/** An identified caller. Only `identify` and `asOperator` make one. */
export interface Caller {
  readonly [brand]: true
  /** Canonical absolute path of the profile home. */
  readonly home: string
  /** What the policy must opt in to for this run; empty for an ordinary one. */
  readonly needs: ReadonlyArray<OptIn>
}

/**
 * The host's signals do not name one caller beyond doubt.
 *
 * - `signals_malformed` not the agreed form; `helper_missing`, `helper_raised` with the helper's name
 * - `home_conflict` two signals name different homes; `home_unbound` several profiles and none is named
 * - `home_invalid` a home is empty, relative or not canonical
 */
export class IdentityRefused extends Schema.TaggedError<IdentityRefused>()("IdentityRefused", {
  reason: Schema.Literals([
    "signals_malformed",
    "helper_missing",
    "helper_raised",
    "home_conflict",
    "home_unbound",
    "home_invalid"
  ]),
  /** The helper that the reason speaks of, or "". */
  helper: Schema.String
}) {}

const refuse = (reason: IdentityRefused["reason"], helper: HostHelper | "" = "") =>
  Result.fail(new IdentityRefused({ reason, helper }))

const decodeSignals = Schema.decodeUnknownResult(HostSignals, { onExcessProperty: "error" })

const helpers: ReadonlyArray<HostHelper> = [
  "get_hermes_home",
  "get_hermes_home_override",
  "current_secret_scope_home",
  "is_multiplex_active",
  "is_delegated_child_process_context",
  "cron_session",
  "cron_execution"
]

type Values = { readonly [K in HostHelper]: Extract<HostSignals[K], { readonly state: "value" }>["value"] }

/** All helpers' values, or the first helper without one. */
const valuesOf = (signals: HostSignals): Result.Result<Values, IdentityRefused> => {
  const values: Record<string, unknown> = {}
  for (const helper of helpers) {
    const reading = signals[helper]
    if (reading.state !== "value") {
      return refuse(reading.state === "missing" ? "helper_missing" : "helper_raised", helper)
    }
    values[helper] = reading.value
  }
  return Result.succeed(values as Values)
}

/** Two spellings that differ by slashes at the end name one home; nothing else is smoothed over. */
const withoutEndSlashes = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, "") || "/" : path)

const homeOf = (values: Values): Result.Result<string, IdentityRefused> => {
  const named = [
    ["get_hermes_home", values.get_hermes_home],
    ["get_hermes_home_override", values.get_hermes_home_override],
    ["current_secret_scope_home", values.current_secret_scope_home]
  ] as const
  for (const [helper, home] of named) {
    if (home !== null && typeof components(withoutEndSlashes(home)) === "string") return refuse("home_invalid", helper)
  }
  const resolved = withoutEndSlashes(values.get_hermes_home)
  for (const [helper, home] of named) {
    if (home !== null && withoutEndSlashes(home) !== resolved) return refuse("home_conflict", helper)
  }
  const bound = values.get_hermes_home_override !== null || values.current_secret_scope_home !== null
  return values.is_multiplex_active && !bound ? refuse("home_unbound") : Result.succeed(resolved)
}

const needsOf = (values: Values, pluginHostProcess: boolean): ReadonlyArray<OptIn> => {
  // The separate plugin process sees no run marks, so the run may be of any kind.
  if (pluginHostProcess) return ["allow_cron", "allow_subagents"]
  const needs: Array<OptIn> = []
  if (values.cron_session !== "" || values.cron_execution) needs.push("allow_cron")
  if (values.is_delegated_child_process_context) needs.push("allow_subagents")
  return needs
}

/** Turns the host's signals, as they came over the wire, into a caller. */
export const identify = (signals: unknown): Result.Result<Caller, IdentityRefused> =>
  Result.mapError(decodeSignals(signals), () => new IdentityRefused({ reason: "signals_malformed", helper: "" })).pipe(
    Result.flatMap((decoded) =>
      Result.flatMap(valuesOf(decoded), (values) =>
        Result.map(
          homeOf(values),
          (home) => ({ home, needs: needsOf(values, decoded.plugin_host_process) }) as unknown as Caller
        )
      )
    )
  )
