/** A policy as an operator would write it: what is empty is left out. */
import { settingsOf } from "@memory-bridge/core/lab/Fingerprint"
import type { Policy } from "@memory-bridge/core/guard/Policy"
import type { Data } from "./YamlValue.ts"

const withoutNothing = <A extends Readonly<Record<string, string>>>(rule: A): { readonly [key: string]: Data } =>
  Object.fromEntries(Object.entries(rule).filter(([key, value]) => key !== "why" || value !== ""))

export const settingsText = (policy: Policy): Data => {
  const { default_action, protected_paths, rules } = settingsOf(policy)
  return { default_action, rules: rules.map(withoutNothing), protected_paths: protected_paths.map(withoutNothing) }
}
