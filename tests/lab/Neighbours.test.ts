/**
 * Neighbours of rules: each kind is there, and what lies on the boundary is decided as this table says. (issue "generated
 * neighbours of every rule"; cases/guard.md rows 4, 13, 17, 18, 20)
 */
import { assert, describe, it } from "@effect/vitest"
import { inspect, inspectedTools } from "@memory-bridge/core/guard/Inspection"
import { emptyView } from "@memory-bridge/core/guard/PathFacts"
import type { Policy } from "@memory-bridge/core/guard/Policy"
import { pathForms } from "@memory-bridge/core/lab/Classes"
import {
  argumentKinds,
  type NeighbourKind,
  neighboursOf,
  pathKinds,
  pathsNear,
  toolKinds
} from "@memory-bridge/core/lab/Neighbours"
import { plainView } from "@memory-bridge/core/lab/Positions"
import { simulate } from "@memory-bridge/core/lab/Simulation"
import { openTools, policyOf, treeOf } from "../../packages/core/test/guard/Given.ts"

const root = "/srv/secret"
const policy = policyOf(openTools, { [root]: "block" })

const outcomes = (given: Policy, view = plainView([root])) =>
  neighboursOf(given).flatMap((call) =>
    simulate({ policy: given, self: [], view }, [call]).map(({ decision, shape, tool }) => ({
      call,
      decision,
      shape,
      tool
    }))
  )

const near = (kind: NeighbourKind, view = plainView([root])) =>
  outcomes(policy, view).filter(({ call }) => call.kind === kind && call.rule === "path:0")

describe("neighbours of a root", () => {
  it("are of every kind, in every form that an inspected tool has for a path", () => {
    for (const kind of pathKinds) assert.lengthOf(near(kind), pathForms.length, kind)
  })

  it("have the paths of this table", () => {
    assert.deepStrictEqual(pathsNear(root, "x"), [
      ["the root", "/srv/secret"],
      ["a child", "/srv/secret/x"],
      ["its parent", "/srv"],
      ["a sibling with a common head", "/srv/secret-x"],
      ["a sibling with a common tail", "/srv/x-secret"],
      ["a name cut short", "/srv/secre"],
      ["spelled with ..", "/srv/x/../secret"],
      ["spelled with .", "/srv/./secret"],
      ["spelled with two slashes", "/srv//secret"],
      ["spelled with a slash at the end", "/srv/secret/"],
      ["spelled in the other case", "/srv/SECRET"]
    ])
  })

  it("of a root at the top or of one letter are still paths, and none is the root twice", () => {
    const bad = (paths: ReadonlyArray<readonly [string, string]>) =>
      paths.filter(([kind, path]) => !path.startsWith("/") || (path === "/a" && kind !== "the root"))
    assert.deepStrictEqual(bad(pathsNear("/a", "x")), [])
    assert.deepStrictEqual(pathsNear("/", "x"), [
      ["the root", "/"],
      ["a child", "/x"]
    ])
    assert.include(
      pathsNear("/a", "x").map(([, path]) => path),
      "//a"
    )
  })

  it.each([
    ["the root", "block", "protected_path"],
    ["a child", "block", "protected_path"],
    ["its parent", "block", "protected_path"],
    ["spelled with a slash at the end", "block", "protected_path"],
    ["a sibling with a common head", "allow", "tool_rule"],
    ["a sibling with a common tail", "allow", "tool_rule"],
    ["a name cut short", "allow", "tool_rule"],
    ["spelled in the other case", "allow", "tool_rule"],
    ["spelled with .", "block", "arguments_unsupported"],
    ["spelled with two slashes", "block", "arguments_unsupported"],
    ["spelled with ..", "block", "path_unresolved"]
  ] as const)("%s: %s by %s", (kind, action, reason) => {
    const found = near(kind).filter(({ shape, tool }) => tool !== "terminal" || shape !== "enter")
    for (const { call, decision } of found) {
      if (call.label.includes("workdir")) continue
      const expected = call.tool === "terminal" && reason === "arguments_unsupported" ? "command_unsupported" : reason
      assert.deepStrictEqual([decision.action, decision.reason], [action, expected], call.label)
    }
    assert.isNotEmpty(found)
  })

  it("a command may stand in the parent, but not in the root or below it", () => {
    const standing = (kind: NeighbourKind) =>
      near(kind).find(({ call }) => call.label.endsWith("workdir"))?.decision.action
    assert.strictEqual(standing("its parent"), "allow")
    for (const kind of ["the root", "a child"] as const) assert.strictEqual(standing(kind), "block")
  })

  it("by .. over a directory that exists, the root is found; so is its other case where the volume is blind to case", () => {
    const beside = treeOf({ "/srv/secret/key": "file", "/srv/x": "dir", "/srv/SECRET": "on /srv/secret" })
    for (const kind of ["spelled with ..", "spelled in the other case"] as const) {
      for (const { call, decision } of near(kind, beside)) assert.strictEqual(decision.action, "block", call.label)
    }
  })

  it("on an empty tree a future root is found as well", () => {
    for (const { call, decision } of near("the root", emptyView)) {
      assert.strictEqual(decision.reason, "protected_path", call.label)
    }
  })
})

describe("neighbours of a tool rule", () => {
  it("are of every kind; only the exact name is the rule's", () => {
    const other = policyOf({ some_tool: "allow" })
    const found = outcomes(other).filter(({ call }) => call.rule === "tool:0")
    assert.deepStrictEqual(
      found.map(({ call, decision, tool }) => [call.kind, tool, decision.action]),
      [
        ["the tool", "some_tool", "allow"],
        ["a longer name", "some_tool_x", "block"],
        ["a shorter name", "some_too", "block"],
        ["a name in the other case", "SOME_TOOL", "block"]
      ]
    )
    assert.sameMembers([...toolKinds], [...new Set(found.map(({ call }) => call.kind as (typeof toolKinds)[number]))])
  })
})

describe("neighbours of what the inspection accepts", () => {
  const found = outcomes(policy).filter(({ call }) => call.rule === null)

  it("are of every kind for each inspected tool", () => {
    for (const tool of inspectedTools) {
      const kinds = new Set(found.filter(({ call }) => call.tool === tool).map(({ call }) => call.kind))
      for (const kind of argumentKinds) {
        if (tool === "write_file" && kind === "one more argument") continue
        assert.isTrue(kinds.has(kind), `${tool}: ${kind}`)
      }
    }
  })

  it("have each optional argument that the inspection knows, once accepted and, where a value can be wrong, refused", () => {
    const accepted = found.filter(({ decision }) => decision.action === "allow").map(({ call }) => call.label)
    for (const label of [
      "read_file, one more argument: offset 1",
      "read_file, one more argument: limit 10",
      "patch, one more argument: replace_all true",
      'patch, one more argument: mode "replace"',
      "terminal, one more argument: background false",
      "terminal, one more argument: timeout 1",
      "terminal, one more argument: timeout 180"
    ]) {
      assert.include(accepted, label)
    }
    const refused = found.filter(({ decision }) => decision.reason === "arguments_unsupported")
    for (const label of [
      "read_file, one more argument: limit 0.5",
      'patch, one more argument: mode "patch"',
      "terminal, one more argument: background true",
      "terminal, one more argument: timeout 0",
      "terminal, one more argument: timeout 181"
    ]) {
      assert.include(
        refused.map(({ call }) => call.label),
        label
      )
    }
  })

  it.each(["one argument less", "one argument of a wrong type", "one argument that is unknown"] as const)(
    "%s is refused for every tool",
    (kind) => {
      const of = found.filter(({ call }) => call.kind === kind)
      for (const { call, decision } of of) assert.strictEqual(decision.reason, "arguments_unsupported", call.label)
      assert.isAtLeast(of.length, inspectedTools.length)
    }
  )

  it("required arguments alone are accepted", () => {
    const of = found.filter(({ call }) => call.kind === "required arguments alone")
    assert.lengthOf(of, inspectedTools.length)
    for (const { call } of of) assert.strictEqual(inspect(call.tool ?? "", call.args).kind, "paths")
  })
})
