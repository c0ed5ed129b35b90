/** What an operator is told of a policy before it decides anything. (cases/guard.md section 5 "Review") */
import { assert, describe, it } from "@effect/vitest"
import { make, type PathRule, type Policy } from "@memory-bridge/core/guard/Policy"
import { findingCodes, findingsOf } from "@memory-bridge/core/lab/Findings"
import { defaultPolicy } from "@memory-bridge/core/guard/Policy"
import { openTools, policyOf } from "../guard/Given.ts"

const lines = (policy: Policy, hit?: Parameters<typeof findingsOf>[1]) =>
  findingsOf(policy, hit).map(({ by, code, rule }) => `${code} ${rule ?? "-"}${by === null ? "" : ` by ${by}`}`)

const roots = (...paths: ReadonlyArray<readonly [string, PathRule["action"]]>): Policy =>
  make(
    "block",
    policyOf(openTools).rules,
    paths.map(([path, action]) => ({ path, action, why: "" }))
  )

const tools = (...rules: ReadonlyArray<readonly [string, "allow" | "approve" | "block"]>): Policy =>
  make(
    "block",
    rules.map(([tool, action]) => ({ tool, action, why: "" })),
    []
  )

describe("findings", () => {
  it("there are none for the built-in policy", () => {
    assert.deepStrictEqual(lines(defaultPolicy("/home/u")), [])
  })

  it("a tool named twice, whichever is stronger", () => {
    assert.deepStrictEqual(lines(tools(["a", "approve"], ["a", "block"], ["a", "approve"])), [
      "always_blocked tool:0",
      "duplicate_tool tool:1 by tool:0",
      "duplicate_tool tool:2 by tool:0",
      "unreachable_rule tool:0"
    ])
  })

  it("a root named twice", () => {
    assert.include(lines(roots(["/a", "block"], ["/a", "approve"])), "duplicate_root path:1 by path:0")
  })

  it.each([
    ["block", "block", true],
    ["block", "approve", true],
    ["approve", "approve", true],
    ["approve", "block", false]
  ] as const)("a root in a %s root, with %s: covered is %s", (outer, inner, covered) => {
    const found = lines(roots(["/a", outer], ["/a/b", inner]))
    assert.strictEqual(found.includes("covered_root path:1 by path:0"), covered)
    assert.isFalse(found.some((line) => line.startsWith("unreachable")))
  })

  it("a sibling with a common head covers nothing", () => {
    assert.deepStrictEqual(lines(roots(["/a", "block"], ["/ab", "block"])), [])
  })

  it("a path rule that asks where every tool asks or refuses already", () => {
    const policy = policyOf({ read_file: "approve", write_file: "block" }, { "/a": "approve", "/b": "block" })
    assert.deepStrictEqual(lines(policy), ["always_blocked tool:1", "unreachable_rule path:0"])
  })

  it("an allow for an inspected tool where everything lies in a blocked root", () => {
    assert.deepStrictEqual(lines(policyOf({ read_file: "allow" }, { "/": "block" })), [
      "always_blocked tool:0",
      "unreachable_rule tool:0"
    ])
  })

  it("a terminal that may only say where it stands is not always blocked", () => {
    assert.deepStrictEqual(lines(policyOf({ terminal: "allow" }, { "/": "block" })), [])
  })

  it("a default that allows, and the inspected tools that it opens", () => {
    assert.deepStrictEqual(lines(make("allow", [], [])), [
      "default_allows -",
      "always_allowed -",
      "always_allowed -",
      "always_allowed -",
      "always_allowed -"
    ])
  })

  it("an inspected tool that nothing protects from, and a tool whose arguments nobody sees", () => {
    assert.deepStrictEqual(lines(tools(["read_file", "allow"], ["mcp_x", "allow"])), [
      "always_allowed tool:0",
      "allowed_unseen tool:1"
    ])
  })

  it("rules that took part in no recorded call, and nothing of that without a recording", () => {
    const policy = policyOf(openTools, { "/a": "block" })
    assert.deepStrictEqual(lines(policy, ["tool:0", "tool:3", "path:0"]), ["never_hit tool:1", "never_hit tool:2"])
    assert.deepStrictEqual(lines(policy), [])
  })

  it("carry the rule's own tool or path, and a code of the closed set", () => {
    const found = findingsOf(policyOf({ x: "allow" }, { "/a": "block", "/a/b": "block" }, "allow"), [])
    for (const { code, rule, subject } of found) {
      assert.include(findingCodes, code)
      if (rule === "tool:0") assert.strictEqual(subject, "x")
      if (rule === "path:1") assert.strictEqual(subject, "/a/b")
    }
    assert.isNotEmpty(found)
  })
})
