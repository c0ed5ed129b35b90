/** A review holds all that is shown and confirmed of a proposal, as plain data. (cases/guard.md section 5 "Review") */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { emptyView, type View } from "@memory-bridge/core/guard/PathFacts"
import { defaultPolicy, make } from "@memory-bridge/core/guard/Policy"
import { decode } from "@memory-bridge/core/guard/Settings"
import { canonical, settingsOf } from "@memory-bridge/core/lab/Fingerprint"
import { neighboursOf } from "@memory-bridge/core/lab/Neighbours"
import { maxListedCalls, review, type ReviewInput } from "@memory-bridge/core/lab/Review"
import { plainView } from "@memory-bridge/core/lab/Positions"
import { placeOf, scenariosOf } from "@memory-bridge/core/lab/Scenarios"
import { type ProposedCall, simulate, summaryOf } from "@memory-bridge/core/lab/Simulation"
import { openTools, policyOf } from "../guard/Given.ts"

const installation = {
  hermes_home: "/home/u/.hermes",
  user_home: "/home/u",
  plugin_source: "/home/u/.hermes/plugins/hermes-guardian",
  backups: []
}
const self = ["/home/u/.hermes"]
const active = defaultPolicy("/home/u")
const proposed = make("block", active.rules, active.protectedPaths.slice(1))
const scenarios = scenariosOf(placeOf(active, installation))

const recorded = (tool: string, args: unknown): ProposedCall => ({ source: "recorded", label: "line 1", tool, args })

/** Stands for a hash: what it is of can be read off. */
const length = (text: string): string => `length ${text.length}`

const input = (given: Partial<ReviewInput> = {}): ReviewInput => ({
  active,
  proposed,
  calls: scenarios,
  self,
  view: emptyView,
  ...given
})

describe("the seven kinds of the demo", () => {
  it("come first and are decided under the built-in policy as the demo says: 1 allow, 1 approve, 5 block", () => {
    const outcomes = simulate({ policy: active, self, view: emptyView }, scenarios).slice(0, 7)
    assert.deepStrictEqual(
      outcomes.map(({ decision }) => [decision.action, decision.reason]),
      [
        ["allow", "tool_rule"],
        ["approve", "tool_rule"],
        ["block", "protected_path"],
        ["block", "protected_path"],
        ["block", "command_unsupported"],
        ["block", "default_action"],
        ["block", "self_protection"]
      ]
    )
    assert.deepStrictEqual(summaryOf(outcomes).actions, { allow: 1, approve: 1, block: 5 })
  })

  it("every scenario has a text of its own, and no place of this machine", () => {
    assert.strictEqual(new Set(scenarios.map(({ label }) => label)).size, scenarios.length)
    assert.isAbove(scenarios.length, 35)
  })

  it("what must be blocked under any policy is, even where everything is allowed", () => {
    const open = make("allow", [], [])
    const blocked = simulate({ policy: open, self, view: emptyView }, scenarios)
      .filter(({ decision }) => decision.action === "block")
      .map(({ label }) => label)
    for (const label of [
      "shell syntax that could mean anything",
      "an attempt on the audit itself",
      "a relative path",
      "the home as a tilde",
      "a patch of several files at once",
      "the path under another argument's name",
      "an argument that the guard does not know",
      "a process's own view of the tree",
      "a relative operand",
      "two commands in one",
      "two lines",
      "a redirection",
      "a substitution",
      "a variable",
      "a glob",
      "a wrapper round the command",
      "a shell inside the shell",
      "a push to a remote",
      "a script is run",
      "a command in the background",
      "the directory round a protected path is moved away"
    ]) {
      assert.include(blocked, label)
    }
  })
})

describe("one run", () => {
  it("looks at each name once, however many calls there are", () => {
    const looks = new Map<string, number>()
    const plain = plainView(["/home/u/.ssh", "/home/u/.aws", "/home/u/project"])
    const counting: View = {
      look: (path) => {
        looks.set(path, (looks.get(path) ?? 0) + 1)
        return plain.look(path)
      },
      mounts: emptyView.mounts
    }
    simulate({ policy: active, self, view: counting }, [...scenarios, ...scenarios, ...neighboursOf(active)])
    assert.isAbove(looks.size, 10)
    for (const [path, count] of looks) assert.strictEqual(count, 1, path)
  })

  it("counts by source, action and reason, and names the rules that recorded calls met", () => {
    const calls = [
      recorded("read_file", { path: "/home/u/.ssh/id" }),
      recorded("read_file", { path: "/home/u/a" }),
      recorded("x", {}),
      ...scenarios.slice(1, 2)
    ]
    const summary = summaryOf(simulate({ policy: active, self: [], view: emptyView }, calls))
    assert.strictEqual(summary.calls, 4)
    assert.deepStrictEqual(summary.bySource.recorded, { allow: 1, approve: 0, block: 2 })
    assert.deepStrictEqual(summary.bySource.scenario, { allow: 0, approve: 1, block: 0 })
    assert.deepStrictEqual(summary.reasons[0], { reason: "tool_rule", calls: 2 })
    // The write is a scenario, and what it met counts for nothing; the read's rule took part though a path decided.
    assert.deepStrictEqual(summary.hit, ["path:0", "tool:0"])
  })
})

describe("a review", () => {
  it("is plain data: its JSON text read back is the same", () => {
    const made = review(length, input({ calls: [...scenarios, ...neighboursOf(proposed)] }))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(made)), made)
  })

  it("has the difference, the fingerprints of both policies, and each scenario under both", () => {
    const made = review(length, input())
    assert.isAbove(made.difference.counts.weakened, 0)
    assert.strictEqual(made.active.fingerprint, length(canonical(active)))
    assert.strictEqual(made.proposed.fingerprint, length(canonical(proposed)))
    assert.lengthOf(made.simulation.calls, scenarios.length)
    const read = made.simulation.calls.find(({ label }) => label === "a read below a protected path")
    assert.deepStrictEqual([read?.before.action, read?.after.action], ["block", "allow"])
    assert.deepStrictEqual([read?.before.rule, read?.after.rule], ["path:0", "tool:0"])
    assert.isAbove(made.simulation.weakened, 0)
    assert.strictEqual(made.simulation.before.calls, scenarios.length)
  })

  it("says what recorded calls never met, but only if there were any", () => {
    const codes = (calls: ReadonlyArray<ProposedCall>) =>
      review(length, input({ calls }))
        .findings.filter(({ code }) => code === "never_hit")
        .map(({ rule }) => rule)
    assert.deepStrictEqual(codes(scenarios), [])
    assert.deepStrictEqual(codes([recorded("read_file", { path: "/home/u/a" })]), [
      "tool:1",
      "tool:2",
      "tool:3",
      "path:0",
      "path:1"
    ])
  })

  it("lists no more changed calls than a person reads, and counts them all", () => {
    const calls = Array.from({ length: 3000 }, () => recorded("read_file", { path: "/home/u/.ssh/hunter2" }))
    const told: Array<readonly [number, number]> = []
    const made = review(length, input({ calls }), (done, of) => told.push([done, of]))
    assert.lengthOf(made.simulation.calls, maxListedCalls)
    assert.strictEqual(made.simulation.weakened, 3000)
    assert.notInclude(JSON.stringify(made), "hunter2")
    assert.deepStrictEqual(told, [
      [1000, 3000],
      [2000, 3000],
      [3000, 3000]
    ])
  })
})

describe("what a fingerprint is of", () => {
  const settings = {
    default_action: "block",
    rules: [{ tool: "read_file", action: "allow" }],
    protected_paths: [{ path: "~/.ssh", action: "block" }]
  }
  const of = (value: unknown) => canonical(Result.getOrThrow(decode(value, "/home/u")))

  it("is the same for settings that mean the same: order of keys, the home's spelling, examples that hold", () => {
    const same = {
      protected_paths: [{ action: "block", path: "/home/u/.ssh", why: "" }],
      rules: [{ action: "allow", tool: "read_file", match: [{ tool: "read_file", args: { path: "/a" } }] }],
      default_action: "block"
    }
    assert.strictEqual(of(same), of(settings))
  })

  it.each([
    ["the default", { ...settings, default_action: "approve" }],
    ["an action", { ...settings, rules: [{ tool: "read_file", action: "approve" }] }],
    ["a tool", { ...settings, rules: [{ tool: "write_file", action: "allow" }] }],
    ["a path", { ...settings, protected_paths: [{ path: "~/.aws", action: "block" }] }],
    ["a reason", { ...settings, rules: [{ tool: "read_file", action: "allow", why: "x" }] }],
    ["one rule more", { ...settings, rules: [...settings.rules, ...settings.rules] }]
  ])("is another for %s", (_, other) => {
    assert.notStrictEqual(of(other), of(settings))
  })

  it("is another for another order of rules, because reasons name rules by position", () => {
    const [one, two] = [policyOf(openTools), make("block", policyOf(openTools).rules.toReversed(), [])]
    assert.notStrictEqual(canonical(one), canonical(two))
  })

  it("reads back as the same policy, with its keys in order at any depth", () => {
    const policy = make("approve", active.rules, [{ path: "/a b", action: "approve", why: "é" }])
    assert.deepStrictEqual(Result.getOrThrow(decode(settingsOf(policy), "/nobody")), policy)
    const keys = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return
      if (!Array.isArray(value)) assert.deepStrictEqual(Object.keys(value), Object.keys(value).toSorted())
      Object.values(value).forEach(keys)
    }
    keys(JSON.parse(canonical(policy)))
  })
})
