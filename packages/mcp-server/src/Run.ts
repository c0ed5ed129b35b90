/**
 * Who is calling, where the operator has said so once and for all? (design.md section 4, "Identity"; seed 000 "Who is
 * calling")
 *
 * The home is the one that the operator named when the server was set up. It is put as the signals of a host that knows
 * one profile, so that `identity` judges it like any other; nothing that a client sends, its name, its capabilities or
 * its roots, has a way in here.
 *
 * The run counts as an ordinary one: that the operator connects a client is the opt-in for whatever runs in it, since
 * the protocol does not tell a main agent from a subagent. Where the server is started by Hermes itself, directly or
 * through another program, the marks of its run are in the environment, and a cron job or a delegated child stays one.
 */
import type { HostSignals } from "@memory-bridge/core/identity/Signals"

/** The environment variables that Hermes marks a run with. The launcher hands on these and no others. */
export const runMarks = ["HERMES_CRON_SESSION", "HERMES_DELEGATED_CHILD_CONTEXT", "HERMES_PLUGIN_HOST_PROCESS"] as const

type Environment = Readonly<Record<string, string | undefined>>

/** What Hermes itself takes for an unset mark. */
const isSet = (mark: string | undefined): boolean => mark !== undefined && mark !== ""

const value = <A>(of: A) => ({ state: "value", value: of }) as const

export const signalsOf = (home: string, environment: Environment): HostSignals => ({
  get_hermes_home: value(home),
  get_hermes_home_override: value(home),
  current_secret_scope_home: value(null),
  is_multiplex_active: value(false),
  is_delegated_child_process_context: value(isSet(environment["HERMES_DELEGATED_CHILD_CONTEXT"])),
  cron_session: value(environment["HERMES_CRON_SESSION"] ?? ""),
  cron_execution: value(false),
  // As in the shim, any value counts.
  plugin_host_process: environment["HERMES_PLUGIN_HOST_PROCESS"] !== undefined
})
