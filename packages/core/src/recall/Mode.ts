/**
 * Which source serves a profile, or why none does. (seed 003, recall-contract 1.4 "connection.json")
 *
 * A connection file means managed mode, a broken one too: managed is then disabled, because another store in its place
 * would be read and written without anybody having chosen it. For the same reason half a direct configuration is not
 * passed over. Only where nothing is configured do the profile's own notes serve.
 */
import * as Result from "effect/Result"
import { type Connection, connectionFileName, connectionOf } from "./Connection.ts"
import type { Profile } from "./Profile.ts"
import {
  connectionFileOf,
  namesServer,
  type ServerSettings,
  serverSettingsOf,
  type SettingDefect,
  type Settings,
  settingsOf
} from "./Settings.ts"
import type { FileReading } from "./TrustedFile.ts"

/**
 * - `setting_invalid`, with the variable and its rule
 * - `connection_missing`: it is named and not there; `connection_refused`: its facts, or `connection_invalid`: its text
 */
export type DisabledReason = "setting_invalid" | "connection_missing" | "connection_refused" | "connection_invalid"

export type Mode =
  | { readonly kind: "managed"; readonly settings: Settings; readonly connection: Connection }
  | { readonly kind: "direct"; readonly settings: Settings; readonly server: ServerSettings }
  | { readonly kind: "notes"; readonly settings: Settings }
  | {
      readonly kind: "disabled"
      readonly reason: DisabledReason
      /** The variable that the reason speaks of. */
      readonly subject?: string
      readonly rule?: string
    }
  /** Nothing is configured, and the profile has no policy or its notes are switched off. */
  | { readonly kind: "off"; readonly reason: "not_configured" | "notes_off" }

export type Disabled = Extract<Mode, { readonly kind: "disabled" }>

const disabled = (reason: DisabledReason, more: Omit<Disabled, "kind" | "reason"> = {}): Disabled => ({
  kind: "disabled",
  reason,
  ...more
})

const invalid = ({ rule, variable }: SettingDefect): Disabled =>
  disabled("setting_invalid", { subject: variable, rule })

export interface ConnectionPlace {
  readonly path: string
  /** Whether the operator named it. It must then be there. */
  readonly named: boolean
}

/** Where the connection file of a profile would lie. */
export const connectionPlaceOf = ({
  environment,
  plugin_directory: directory
}: Profile): Result.Result<ConnectionPlace, Disabled> =>
  Result.mapBoth(connectionFileOf(environment), {
    onSuccess: (named) =>
      named === undefined
        ? { path: `${directory === "/" ? "" : directory}/${connectionFileName}`, named: false }
        : { path: named, named: true },
    onFailure: invalid
  })

const managedBy = (reading: FileReading, settings: Settings): Mode => {
  if (reading.kind === "refused") return disabled("connection_refused", { rule: reading.fault })
  return Result.match(connectionOf(reading.text), {
    onSuccess: (connection): Mode => ({ kind: "managed", settings, connection }),
    onFailure: (rule) => disabled("connection_invalid", { rule })
  })
}

/** What is configured. `undefined` where nothing is, and the notes may serve. */
export const configuredMode = (
  { environment }: Profile,
  { named }: ConnectionPlace,
  reading: FileReading
): Mode | { readonly kind: "unconfigured"; readonly settings: Settings } => {
  const common = settingsOf(environment)
  if (Result.isFailure(common)) return invalid(common.failure)
  const settings = common.success
  if (reading.kind === "text" || reading.fault !== "missing") return managedBy(reading, settings)
  if (named) return disabled("connection_missing")
  if (!namesServer(environment)) return { kind: "unconfigured", settings }
  return Result.match(serverSettingsOf(environment, settings), {
    onSuccess: (server): Mode => ({ kind: "direct", settings, server }),
    onFailure: invalid
  })
}
