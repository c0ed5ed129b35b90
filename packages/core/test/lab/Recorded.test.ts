/** Recorded calls: text that nobody vouches for, read strictly, and never repeated in what is said about it. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { decode, maxCallLength, type RecordingRule, spokenDefect } from "@memory-bridge/core/lab/Recorded"
import { emptyView } from "@memory-bridge/core/guard/PathFacts"
import { otherTool, simulate } from "@memory-bridge/core/lab/Simulation"
import { openTools, policyOf } from "../guard/Given.ts"

const lines = (...values: ReadonlyArray<unknown>): string =>
  values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n")

const read = (text: string) => Result.getOrThrow(decode(text))
const refused = (text: string) => {
  const result = decode(text)
  return Result.isFailure(result) ? result.failure : undefined
}

const call = (tool: string, args: unknown = {}) => ({ tool, args })

describe("a file of calls", () => {
  it("is one call a line, and empty lines count as lines only", () => {
    const { calls, skipped } = read(`${lines(call("read_file", { path: "/a" }), "", call("x"))}\r\n`)
    assert.deepStrictEqual(
      calls.map(({ args, label, source, tool }) => [source, label, tool, args]),
      [
        ["recorded", "line 1", "read_file", { path: "/a" }],
        ["recorded", "line 3", "x", {}]
      ]
    )
    assert.strictEqual(skipped, 0)
    assert.deepStrictEqual(read(""), { calls: [], skipped: 0 })
  })

  it.each<readonly [string, string, RecordingRule]>([
    ["no JSON", "{", "not_json"],
    ["several values in a line", "{} {}", "not_json"],
    ["a key twice", '{"tool":"x","tool":"y","args":{}}', "duplicate_key"],
    ["a key twice in the arguments", '{"tool":"x","args":{"a":1,"a":2}}', "duplicate_key"],
    ["an unknown key", '{"tool":"x","args":{},"result":"secret"}', "not_call"],
    ["no tool", '{"args":{}}', "not_call"],
    ["no arguments", '{"tool":"x"}', "not_call"],
    ["arguments that are a list", '{"tool":"x","args":[]}', "not_call"],
    ["arguments that are text", '{"tool":"x","args":"{}"}', "not_call"],
    ["a list", "[]", "not_call"],
    ["nothing but null", "null", "not_call"],
    ["messages that are no list", '{"messages":{}}', "not_call"],
    ["a tool call without a function", '{"messages":[{"tool_calls":[{}]}]}', "not_call"],
    ["a line that is too long", JSON.stringify(call("x", { a: "b".repeat(maxCallLength) })), "line_too_long"]
  ])("%s is refused with its line", (_, text, rule) => {
    assert.deepStrictEqual(refused(`${lines(call("x"), "")}\n${text}\n`), { line: 3, rule })
  })

  it("nested beyond reason is refused, not crashed on", () => {
    const deep = `{"tool":"x","args":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`
    assert.include(["too_deep", "not_json"], refused(deep)?.rule)
  })

  it("what is said of a defect holds nothing of the text", () => {
    const secret = "hunter2"
    for (const text of [`{"${secret}"`, `{"tool":"${secret}"}`, `{"tool":"a","args":{},"${secret}":1}`]) {
      const defect = refused(text)
      assert.isDefined(defect)
      const said = defect === undefined ? "" : spokenDefect(defect)
      assert.match(said, /^Line 1 of the recording .+\.$/)
      assert.notInclude(said + JSON.stringify(defect), secret)
    }
    assert.match(spokenDefect({ line: 0, rule: "too_long" }), /^The recording is longer than /)
  })
})

describe("a session as the host exports it", () => {
  const made = (name: string, args: unknown) => ({ id: "1", type: "function", function: { name, arguments: args } })
  const session = (...calls: ReadonlyArray<unknown>) => ({
    id: "s1",
    title: "a title",
    messages: [
      { role: "user", content: "hello", tool_calls: null },
      { role: "assistant", content: "", tool_calls: calls },
      { role: "tool", tool_call_id: "1", content: "a result" }
    ]
  })

  it("gives its tool calls, in order, with the line of their session", () => {
    const one = session(made("read_file", '{"path":"/a"}'), made("terminal", '{"command":"pwd"}'))
    const { calls } = read(lines(one, session(made("x", { a: 1 }))))
    assert.deepStrictEqual(
      calls.map(({ args, label, tool }) => [label, tool, args]),
      [
        ["line 1", "read_file", { path: "/a" }],
        ["line 1", "terminal", { command: "pwd" }],
        ["line 2", "x", { a: 1 }]
      ]
    )
  })

  it("counts calls that the host cannot have run, instead of replaying them as something else", () => {
    const bad = ['{"path":', "[]", '"text"', "", '{"a":1,"a":2}'].map((args) => made("read_file", args))
    assert.deepStrictEqual(read(lines(session(...bad))), { calls: [], skipped: bad.length })
  })

  it("behind the host's tool search, the call inside is the one that the hook sees", () => {
    const inner = { name: "mcp_x", arguments: { query: "a" } }
    const { calls, skipped } = read(
      lines(session(made("tool_call", JSON.stringify(inner)), made("tool_call", '{"name":"mcp_x","arguments":1}')))
    )
    assert.deepStrictEqual(
      calls.map(({ args, tool }) => [tool, args]),
      [["mcp_x", { query: "a" }]]
    )
    assert.strictEqual(skipped, 1)
  })

  it("may be longer than a call", () => {
    const long = { ...session(made("x", "{}")), system_prompt: "p".repeat(maxCallLength) }
    assert.lengthOf(read(lines(long)).calls, 1)
  })
})

describe("what a replay shows of a recorded call", () => {
  const policy = policyOf(openTools, { "/srv/secret": "block" })
  const replay = (...values: ReadonlyArray<unknown>) =>
    simulate({ policy, self: [], view: emptyView }, read(lines(...values)).calls)

  it("is the tool's name, the shape of its arguments, the verdict and the rules, and none of the arguments", () => {
    const outcomes = replay(
      call("read_file", { path: "/srv/secret/hunter2", limit: 5 }),
      call("terminal", { command: "mv /a/hunter2 /b", workdir: "/hunter2" }),
      call("terminal", { command: "echo hunter2" }),
      call("write_file", { path: "hunter2", content: "hunter2" }),
      call("read_file", { hunter2: "hunter2" }),
      call("hunter2 is no tool's name\n", { a: "hunter2" })
    )
    assert.deepStrictEqual(
      outcomes.map(({ args, decision, shape, tool }) => [tool, shape, decision.action, decision.reason, args]),
      [
        ["read_file", "read", "block", "protected_path", null],
        ["terminal", "enter, take, receive", "allow", "tool_rule", null],
        ["terminal", "command at 0", "block", "command_unsupported", null],
        ["write_file", "path relative", "block", "arguments_unsupported", null],
        ["read_file", "unknown argument", "block", "arguments_unsupported", null],
        [otherTool, "name alone", "block", "default_action", null]
      ]
    )
    assert.notInclude(JSON.stringify(outcomes), "hunter2")
  })

  it("a name that could be a tool's is shown", () => {
    assert.strictEqual(replay(call("mcp_github.search"))[0]?.tool, "mcp_github.search")
  })
})
