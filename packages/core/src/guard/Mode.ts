/**
 * Whether decisions take effect. (issue 5 item 5, cases/guard.md section 5 "Enforce")
 *
 * `log_only` is a state of the guard that an operator sets to see what a policy would do: each call is decided and
 * recorded as always, the record says `"enforced": false`, and the call goes on. It is never the default, and a value
 * that is neither word blocks like a policy that is none.
 *
 * Three things keep their effect. What could not be decided or recorded still blocks: such a call would run without
 * anybody knowing what the policy says of it, so there would be nothing to see either. The guard's own files and the
 * host's home still block, since whoever changes them ends the trial; so does a path, or a root of the guard's own, that
 * cannot be resolved, because then nobody knows whether it is one of them. What cannot be inspected (an unsupported
 * command or tool) does go on: in this mode the guard is no fence against it.
 */
import * as Result from "effect/Result"
import type { Evaluation } from "./Evaluation.ts"
import type { PolicySetting } from "./Settings.ts"

export const modes = ["enforce", "log_only"] as const
export type Mode = (typeof modes)[number]

/** Without the setting, decisions are enforced. */
export const modeOf = (setting: PolicySetting | undefined): Result.Result<Mode, "raised" | "invalid"> => {
  switch (setting?.state) {
    case undefined:
    case "unset":
      return Result.succeed("enforce")
    case "raised":
      return Result.fail("raised")
    case "value": {
      const mode = modes.find((known) => known === setting.value)
      return mode === undefined ? Result.fail("invalid") : Result.succeed(mode)
    }
  }
}

/**
 * Whether this evaluation takes effect also in `log_only`. The findings are asked and not the decision, which names only
 * one reason of several.
 */
export const alwaysEnforced = ({ findings }: Pick<Evaluation, "findings">): boolean =>
  findings.some(
    ({ reason, rule }) =>
      reason === "self_protection" ||
      reason === "path_unresolved" ||
      // A protected path of the policy that cannot be resolved is the policy's own affair.
      (reason === "root_unresolved" && rule === null)
  )
