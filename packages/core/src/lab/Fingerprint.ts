/**
 * One short name for what a policy means: what the operator confirms is what was simulated. (cases/guard.md section 5
 * "typed confirmation showing the policy hash … hash must equal the simulated one")
 *
 * The hash is of a canonical text: the same three fields as in the settings, keys sorted, `~/` expanded, nothing left
 * out that a decision or its reason can depend on. The order of rules stays, because reasons name rules by position.
 * Spelling, comments and examples that were checked at load are no part of it.
 */
import * as Context from "effect/Context"
import type { Policy } from "../guard/Policy.ts"

/** A policy as the settings spell it, `~/` expanded. */
export interface SettingsForm {
  readonly default_action: Policy["defaultAction"]
  readonly protected_paths: ReadonlyArray<Readonly<Record<"action" | "path" | "why", string>>>
  readonly rules: ReadonlyArray<Readonly<Record<"action" | "tool" | "why", string>>>
}

/** Keys in sorted order, so that its JSON text is canonical. */
export const settingsOf = ({ defaultAction, protectedPaths, rules }: Policy): SettingsForm => ({
  default_action: defaultAction,
  protected_paths: protectedPaths.map(({ action, path, why }) => ({ action, path, why })),
  rules: rules.map(({ action, tool, why }) => ({ action, tool, why }))
})

export const canonical = (policy: Policy): string => JSON.stringify(settingsOf(policy))

export class Fingerprint extends Context.Service<
  Fingerprint,
  {
    /** SHA-256 of the text's UTF-8, as 64 hex digits. */
    readonly sha256: (text: string) => string
  }
>()("@memory-bridge/core/lab/Fingerprint") {}

/** The fingerprint of a policy. */
export const fingerprintOf = (sha256: (text: string) => string, policy: Policy): string => sha256(canonical(policy))
