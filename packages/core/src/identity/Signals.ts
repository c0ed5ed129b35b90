/**
 * What the host says about a call, as the shim gathered it. (design.md section 4, hermes-contract.md c)
 *
 * The shim reports, it does not judge: each host helper is sent as its value, or as missing, or as having raised.
 * Model arguments travel in another field and have no way into this type.
 */
import * as Schema from "effect/Schema"

const absent = Schema.Struct({ state: Schema.Literals(["missing", "raised"]) })
const reading = <S extends Schema.Top>(value: S) =>
  Schema.Union([Schema.Struct({ state: Schema.Literal("value"), value }), absent])

/** The host helpers that identity needs, by the name the host gives them. All are required. */
export const HostSignals = Schema.Struct({
  /** `hermes_constants.get_hermes_home()`: the home that the host resolves for this call. */
  get_hermes_home: reading(Schema.String),
  /** `hermes_constants.get_hermes_home_override()`: the home bound for this turn, if any. */
  get_hermes_home_override: reading(Schema.NullOr(Schema.String)),
  /** `agent.secret_scope.current_secret_scope_home()`: the home of the bound secret scope, if any. */
  current_secret_scope_home: reading(Schema.NullOr(Schema.String)),
  /** `agent.secret_scope.is_multiplex_active()`: whether one process serves several profiles. */
  is_multiplex_active: reading(Schema.Boolean),
  /** `agent.delegation_context.is_delegated_child_process_context()`. */
  is_delegated_child_process_context: reading(Schema.Boolean),
  /** `gateway.session_context.get_session_env("HERMES_CRON_SESSION", "")`: "1" in a cron session. */
  cron_session: reading(Schema.String),
  /** Whether `ctx.current_cron_execution()` returned something. */
  cron_execution: reading(Schema.Boolean),
  /** Whether the plugin runs in the host's separate plugin process (`HERMES_PLUGIN_HOST_PROCESS`). */
  plugin_host_process: Schema.Boolean
})
export type HostSignals = typeof HostSignals.Type

export type HostHelper = Exclude<keyof HostSignals, "plugin_host_process">
