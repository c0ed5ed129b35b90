/** The operator's home as a caller, and the marks of a Hermes run. */
import { assert, describe, it } from "@effect/vitest"
import { identify } from "@memory-bridge/core/identity/Caller"
import { signalsOf } from "@memory-bridge/mcp-server/Run"
import * as Result from "effect/Result"

const callerOf = (home: string, environment: Record<string, string> = {}) =>
  Result.match(identify(signalsOf(home, environment)), {
    onFailure: ({ reason }): unknown => reason,
    onSuccess: ({ home, needs }): unknown => ({ home, needs })
  })

describe("the run of a client", () => {
  it("is an ordinary one of the operator's home", () => {
    assert.deepStrictEqual(callerOf("/h", { PATH: "/bin", HERMES_HOME: "/other" }), { home: "/h", needs: [] })
  })

  it.each([
    [{ HERMES_CRON_SESSION: "1" }, ["allow_cron"]],
    [{ HERMES_DELEGATED_CHILD_CONTEXT: "1" }, ["allow_subagents"]],
    [{ HERMES_CRON_SESSION: "1", HERMES_DELEGATED_CHILD_CONTEXT: "x" }, ["allow_cron", "allow_subagents"]],
    [{ HERMES_PLUGIN_HOST_PROCESS: "" }, ["allow_cron", "allow_subagents"]],
    [{ HERMES_CRON_SESSION: "", HERMES_DELEGATED_CHILD_CONTEXT: "" }, []]
  ] as const)("needs what its marks say: %j", (environment, needs) => {
    assert.deepStrictEqual(callerOf("/h", environment), { home: "/h", needs })
  })

  it.each(["", "h", "./h", "/h/../x", "/h//x", "~/.hermes"])("is nobody's with the home %j", (home) => {
    assert.strictEqual(callerOf(home), "home_invalid")
  })
})
