/** Is this kind of run let in? Cron jobs and delegated subagents only where the policy opts in. (seed 000) */
import * as Schema from "effect/Schema"
import type { Policy } from "../policy/Policy.ts"
import type { OptIn } from "./Caller.ts"

/** The policy does not opt in to a kind of run that this call is, or cannot be shown not to be. */
export class RunRefused extends Schema.TaggedError<RunRefused>()("RunRefused", {
  reason: Schema.Literals(["cron_refused", "subagent_refused"])
}) {}

/** The refusal for the first opt-in that is needed and missing. */
export const refusedRun = (needs: ReadonlyArray<OptIn>, policy: Policy): RunRefused | undefined =>
  needs.includes("allow_cron") && !policy.allowCron
    ? new RunRefused({ reason: "cron_refused" })
    : needs.includes("allow_subagents") && !policy.allowSubagents
      ? new RunRefused({ reason: "subagent_refused" })
      : undefined
