/** Every refusal there is, each with words in it that no agent and no log may see. */
import { RunRefused } from "@memory-bridge/core/identity/Admission"
import { IdentityRefused } from "@memory-bridge/core/identity/Caller"
import type { Refusal } from "@memory-bridge/core/host/PublicAnswer"
import { nameRules, NoteRefused, RootRefused, ScanRefused } from "@memory-bridge/core/notes/Notes"
import { InvalidRequest } from "@memory-bridge/core/notes/Request"
import { skipReasons } from "@memory-bridge/core/notes/TrustedEntry"
import { PolicyRefused } from "@memory-bridge/core/policy/PolicyStore"
import { pathRules } from "@memory-bridge/core/trust/TrustedPath"

/** A list that the compiler knows to be complete. */
const all = <Union extends string>(members: Readonly<Record<Union, true>>): ReadonlyArray<Union> =>
  Object.keys(members) as Array<Union>

export const identityReasons = all<IdentityRefused["reason"]>({
  signals_malformed: true,
  helper_missing: true,
  helper_raised: true,
  home_conflict: true,
  home_unbound: true,
  home_invalid: true
})
export const policyReasons = all<PolicyRefused["reason"]>({
  policy_path_untrusted: true,
  policy_unreadable: true,
  policy_invalid: true
})
export const scanReasons = all<ScanRefused["reason"]>({ raw_entries: true, exhausted: true, root_unlistable: true })
export const runReasons = all<RunRefused["reason"]>({ cron_refused: true, subagent_refused: true })

/** Stands for every path that a refusal holds for the operator. */
export const secretPath = "/home/secret-user/.hermes/plugin-data"

export const refusals: Readonly<Record<Refusal["_tag"], ReadonlyArray<Refusal>>> = {
  InvalidRequest: [new InvalidRequest({ hint: "limit must be a whole number" })],
  IdentityRefused: identityReasons.flatMap((reason) => [
    new IdentityRefused({ reason, helper: "" }),
    new IdentityRefused({ reason, helper: "get_hermes_home" })
  ]),
  PolicyRefused: policyReasons.flatMap((reason) =>
    [...pathRules.map((rule) => ({ key: "", rule })), { key: "limits.max_depth", rule: "Expected an integer" }].map(
      (broken) => new PolicyRefused({ reason, component: secretPath, ...broken })
    )
  ),
  RunRefused: runReasons.map((reason) => new RunRefused({ reason })),
  RootRefused: pathRules.map((rule) => new RootRefused({ component: secretPath, rule })),
  ScanRefused: scanReasons.map((reason) => new ScanRefused({ reason })),
  NoteRefused: [...nameRules, ...skipReasons].map((rule) => new NoteRefused({ rule }))
}
