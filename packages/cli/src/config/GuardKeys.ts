/** Where the guard's settings stand in a host's configuration. (hermes-contract.md b: `get_config`) */
import type { KeyPath } from "./YamlEdit.ts"

export type GuardKey = "policy" | "mode" | "audit_chain"

export const keyPath = (key: GuardKey): KeyPath => ["plugins", "entries", "hermes-guardian", "settings", key]

/** Where older hosts kept them; read where the place above has none, never written. */
export const formerKeyPath = (key: GuardKey): KeyPath => ["plugins", "entries", "hermes-guardian", "config", key]
