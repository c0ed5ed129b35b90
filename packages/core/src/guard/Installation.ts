/**
 * Where the guard itself lives, as the host says, and so what no policy can open. (seed 004: "The plugin source
 * directory, its audit directory, and the active Hermes home … remain blocked")
 */
import * as Schema from "effect/Schema"
import { components } from "../trust/TrustedPath.ts"
import { joined } from "./LiteralPath.ts"

const Directory = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((path: string) => (typeof components(path) === "string" ? "is not canonical" : undefined))
  )
)

/** Canonical absolute paths. They come from the host alone, never from a call. */
export const Installation = Schema.Struct({
  /** The active profile's home. */
  hermes_home: Directory,
  /** The user's own home, for which `~/` stands in a policy. */
  user_home: Directory,
  plugin_source: Directory,
  /** Where activation keeps former policies. */
  backups: Schema.Array(Directory)
})
export type Installation = typeof Installation.Type

export const pluginDataOf = (hermesHome: string): string => joined(hermesHome, "plugin-data")

export const auditDirectoryOf = (hermesHome: string): string => joined(pluginDataOf(hermesHome), "hermes-guardian")

export const auditFileOf = (hermesHome: string): string => joined(auditDirectoryOf(hermesHome), "audit.jsonl")

/** Blocked whatever the policy says. The directories below the home are named too: they may be links to elsewhere. */
export const selfRoots = (installation: Installation): ReadonlyArray<string> => [
  installation.plugin_source,
  auditDirectoryOf(installation.hermes_home),
  ...installation.backups,
  installation.hermes_home
]
