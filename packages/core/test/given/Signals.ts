/** Host signals as the shim sends them: an ordinary call, and what one helper may report instead. */
import type { HostHelper } from "@memory-bridge/core/identity/Signals"

export const value = (of: unknown) => ({ state: "value", value: of })
export const missing = { state: "missing" }
export const raised = { state: "raised" }

export const helperNames: ReadonlyArray<HostHelper> = [
  "get_hermes_home",
  "get_hermes_home_override",
  "current_secret_scope_home",
  "is_multiplex_active",
  "is_delegated_child_process_context",
  "cron_session",
  "cron_execution"
]

/** One profile, nothing bound, neither cron nor delegated. */
export const ordinary: Readonly<Record<string, unknown>> = {
  get_hermes_home: value("/h/ana"),
  get_hermes_home_override: value(null),
  current_secret_scope_home: value(null),
  is_multiplex_active: value(false),
  is_delegated_child_process_context: value(false),
  cron_session: value(""),
  cron_execution: value(false),
  plugin_host_process: false
}

export const signals = (changes: Readonly<Record<string, unknown>> = {}) => ({ ...ordinary, ...changes })

export const without = (key: string) => Object.fromEntries(Object.entries(ordinary).filter(([name]) => name !== key))
