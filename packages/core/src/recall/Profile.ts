/**
 * What the host's side says about a call: whose it is, in which session, under which settings. (recall-contract 2.1, T2)
 *
 * All of it comes from the host. What the model or the user wrote travels in other members and cannot name a home, a
 * session, a user or a Broker. It is sent with every call, so a sidecar that was started again needs to be told nothing.
 */
import * as Schema from "effect/Schema"
import type { OptIn } from "../identity/Caller.ts"
import { components } from "../trust/TrustedPath.ts"
import { isItemId, maxIdLength } from "./Item.ts"

const Directory = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((path: string) =>
      typeof components(path) === "string" ? "must be a canonical absolute path" : undefined
    )
  )
)

export const Profile = Schema.Struct({
  /** `hermes_home` as the host gave it to the provider. */
  home: Directory,
  /** Where provider.py lies, and the connection file beside it. */
  plugin_directory: Directory,
  /** The host's variables whose names begin with `HY_MEMORY_`, and no others. */
  environment: Schema.Record(Schema.String, Schema.String),
  /** The host's `agent_context`: `primary`, `subagent`, `cron`, `flush`. */
  run: Schema.String,
  /** Whether the host keeps an injected block in what later turns see. Detected by the shim, never by version. */
  history: Schema.Literals(["kept", "dropped"])
})
export type Profile = typeof Profile.Type

/** The id that the provider holds as current; never empty, whatever the host passes with one call. */
export const SessionId = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((id: string) => (isItemId(id) ? undefined : `must be 1 to ${maxIdLength} printable characters`))
  )
)

/** One session of one home: what no item crosses. */
export const Place = Schema.Struct({ profile: Profile, session: SessionId })
export type Place = typeof Place.Type

/** Neither part can hold a NUL. */
export const placeKey = (home: string, session: string): string => `${home}\0${session}`

export const isPrimary = ({ run }: Profile): boolean => run === "primary"

/** What a policy must opt in to for this run. A kind that is not known may be any. */
export const needsOf = ({ run }: Profile): ReadonlyArray<OptIn> => {
  switch (run) {
    case "primary":
      return []
    case "cron":
      return ["allow_cron"]
    case "subagent":
      return ["allow_subagents"]
    default:
      return ["allow_cron", "allow_subagents"]
  }
}
