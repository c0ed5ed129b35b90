/** Seed 004 "Approval semantics" and "Audit and operations": what leaves the guard, and what of a call does not. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as AuditRecord from "@memory-bridge/core/guard/AuditRecord"
import { decide } from "@memory-bridge/core/guard/Decide"
import { evaluationReasons, failed, failureReasons } from "@memory-bridge/core/guard/Decision"
import { approveMessage, blockMessages, directiveOf } from "@memory-bridge/core/guard/Directive"
import { explain } from "@memory-bridge/core/guard/Explain"
import { make } from "@memory-bridge/core/guard/Policy"
import { read, treeOf } from "./Given.ts"

describe("a directive", () => {
  it("allow says nothing else", () => {
    const directive = directiveOf({ action: "allow", reason: "tool_rule", rule: "tool:0" }, "id")
    assert.deepStrictEqual(directive, { action: "allow" })
  })

  it("approve has a key of its own", () => {
    const decision = { action: "approve", reason: "tool_rule", rule: "tool:0" } as const
    assert.deepStrictEqual(directiveOf(decision, "one"), {
      action: "approve",
      message: approveMessage,
      rule_key: "hermes-guardian:one"
    })
    assert.notDeepEqual(directiveOf(decision, "one"), directiveOf(decision, "two"))
  })

  it("block has one of three fixed messages, and none is empty", () => {
    const messages = new Set<string>(Object.values(blockMessages))
    for (const reason of [...evaluationReasons, ...failureReasons]) {
      const directive = directiveOf({ action: "block", reason, rule: "path:7" }, "id")
      assert.strictEqual(directive.action, "block")
      if (directive.action === "block") assert.isTrue(messages.has(directive.message))
    }
    assert.isFalse(messages.has(""))
  })
})

describe("an audit record", () => {
  const record = AuditRecord.make({ action: "block", reason: "protected_path", rule: "path:3" }, "read_file", 0, "id-1")

  it("has exactly the agreed members", () => {
    assert.deepStrictEqual(record, {
      event: "policy_decision",
      time: "1970-01-01T00:00:00.000Z",
      id: "id-1",
      action: "block",
      reason: "protected_path",
      rule: "path:3",
      tool: "read_file"
    })
    assert.strictEqual(AuditRecord.lineOf(record), JSON.stringify(record))
    assert.isTrue(Schema.is(AuditRecord.AuditRecord)(record))
  })

  it("keeps no name of a tool that the guard does not know", () => {
    for (const tool of ["mcp_secret_tool", "", "__proto__", "READ_FILE", "read_file "]) {
      assert.strictEqual(AuditRecord.make(failed("call_malformed"), tool, 0, "x").tool, "other")
    }
  })

  it("fits the form for every reason there is", () => {
    for (const reason of [...evaluationReasons, ...failureReasons]) {
      const any = AuditRecord.make({ action: "block", reason, rule: null }, "patch", Date.UTC(2030, 0), "x")
      assert.isTrue(Schema.is(AuditRecord.AuditRecord)(any))
    }
  })
})

describe("an explanation is a view of the evaluation", () => {
  const policy = make(
    "block",
    [
      { tool: "write_file", action: "allow", why: "" },
      { tool: "read_file", action: "allow", why: "notes may be read" }
    ],
    [{ path: "/srv/secret", action: "block", why: "keys" }]
  )
  const rows = (path: string) => {
    const evaluation = decide(policy, [], treeOf({ "/srv/secret/key": "file" }), ...read(path))
    return explain(policy, evaluation)
  }

  it("names each rule with its reason, and says which decides", () => {
    assert.deepStrictEqual(rows("/srv/secret/key"), [
      {
        decides: false,
        action: "allow",
        reason: "tool_rule",
        rule: "tool:1",
        subject: "read_file",
        why: "notes may be read",
        operand: null,
        detail: ""
      },
      {
        decides: true,
        action: "block",
        reason: "protected_path",
        rule: "path:0",
        subject: "/srv/secret",
        why: "keys",
        operand: 0,
        detail: "below"
      }
    ])
  })

  it("exactly one finding decides, also when none is a rule", () => {
    const evaluation = decide(policy, [], treeOf({}), "other", {})
    assert.deepStrictEqual(
      explain(policy, evaluation).map(({ decides, reason, subject }) => [decides, reason, subject]),
      [[true, "default_action", ""]]
    )
  })
})
