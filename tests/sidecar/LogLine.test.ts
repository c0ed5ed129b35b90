/** No path and no content leaves by the log, whoever logs it and wherever it stands. (design.md section 3, point 6) */
import { assert, describe, it } from "@effect/vitest"
import { logLine } from "@memory-bridge/hermes-plugin/LogLine"
import { Cause } from "effect"

describe("a log line", () => {
  it("is one JSON object with the host's level name, the code and the annotations", () => {
    assert.deepStrictEqual(
      JSON.parse(logLine("Warn", ["refused"], { call: "search", reason: "policy_missing", n: 3 })),
      {
        level: "warning",
        code: "refused",
        call: "search",
        reason: "policy_missing",
        n: 3
      }
    )
  })

  it.each([
    "/home/user/notes/private.md",
    "C:\\Users\\user",
    "a note, with\na second line",
    "x".repeat(161),
    "茶",
    { path: "/home" },
    ["/home"],
    null
  ])("withholds %j, as a value and as the message", (secret) => {
    for (const line of [logLine("Info", "code", { reason: secret }), logLine("Info", [secret], {})]) {
      assert.include(line, "withheld")
      assert.notInclude(line, "home")
      assert.notInclude(line, "user")
      assert.notInclude(line, "note")
      assert.notInclude(line, "\n")
    }
  })

  it("drops a name that is not a code", () => {
    assert.deepStrictEqual(JSON.parse(logLine("Info", "code", { "/home/user": 1 })), { level: "info", code: "code" })
  })

  it("cannot be given another level or code by an annotation", () => {
    assert.deepStrictEqual(JSON.parse(logLine("Error", "defect", { level: "debug", code: "fine" })), {
      level: "error",
      code: "defect"
    })
  })

  it("tells of a cause the kind of error and not its message", () => {
    const line = logLine("Error", "defect", {}, Cause.die(new RangeError("/home/user")))
    assert.deepStrictEqual(JSON.parse(line), { level: "error", code: "defect", error: "RangeError" })
  })
})
