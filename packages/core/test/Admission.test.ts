/** Seed 000 "What kind of run it is": cron jobs and delegated subagents only where the policy opts in. */
import { assert, describe, it } from "@effect/vitest"
import { refusedRun } from "@memory-bridge/core/identity/Admission"
import type { OptIn } from "@memory-bridge/core/identity/Caller"
import { policy } from "./given/Policies.ts"

const reason = (needs: ReadonlyArray<OptIn>, allowCron: boolean, allowSubagents: boolean) =>
  refusedRun(needs, policy({ allow_cron: allowCron, allow_subagents: allowSubagents }))?.reason ?? "admitted"

describe("a run is admitted only if the policy opts in to each kind that it may be", () => {
  it.each([
    // needs, allow_cron, allow_subagents, outcome
    [[], false, false, "admitted"],
    [[], true, true, "admitted"],
    [["allow_cron"], false, false, "cron_refused"],
    [["allow_cron"], false, true, "cron_refused"],
    [["allow_cron"], true, false, "admitted"],
    [["allow_cron"], true, true, "admitted"],
    [["allow_subagents"], false, false, "subagent_refused"],
    [["allow_subagents"], true, false, "subagent_refused"],
    [["allow_subagents"], false, true, "admitted"],
    [["allow_subagents"], true, true, "admitted"],
    [["allow_cron", "allow_subagents"], false, false, "cron_refused"],
    [["allow_cron", "allow_subagents"], false, true, "cron_refused"],
    [["allow_cron", "allow_subagents"], true, false, "subagent_refused"],
    [["allow_cron", "allow_subagents"], true, true, "admitted"]
  ] as const)("needs %j, allow_cron %j, allow_subagents %j: %s", (needs, cron, subagents, outcome) => {
    assert.strictEqual(reason(needs, cron, subagents), outcome)
  })

  it("a policy that says nothing of kinds opts in to none", () => {
    assert.strictEqual(refusedRun(["allow_cron"], policy())?.reason, "cron_refused")
    assert.strictEqual(refusedRun(["allow_subagents"], policy())?.reason, "subagent_refused")
  })
})
