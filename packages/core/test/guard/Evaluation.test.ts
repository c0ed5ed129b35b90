/** Seed 004: "All matching rules participate; block > approve > allow", and what is guarded with a protected root. */
import { assert, describe, it } from "@effect/vitest"
import { noFacts } from "@memory-bridge/core/guard/CallFacts"
import { decide } from "@memory-bridge/core/guard/Decide"
import { evaluate } from "@memory-bridge/core/guard/Evaluation"
import { inspect } from "@memory-bridge/core/guard/Inspection"
import { tableOf } from "@memory-bridge/core/guard/Mounts"
import { emptyView, type View } from "@memory-bridge/core/guard/PathFacts"
import { type Call, openTools, policyOf, read, terminal, treeOf, verdict, write } from "./Given.ts"

const secret = policyOf(openTools, { "/srv/secret": "block" })

const world = treeOf({
  "/srv/secret/key": "file",
  "/srv/secret/sub": "dir",
  "/srv/secret-public/x": "file",
  "/srv/free/a": "file",
  "/srv/free/dir/a": "file",
  "/srv/free/l": "-> /srv/secret/key",
  "/srv/free/d": "-> /srv/secret",
  "/srv/free/dl": "-> /srv/secret/n",
  "/srv/free/h": "= /srv/free/other",
  "/srv/free/pipe": "device",
  "/srv/free/b": "on /srv/secret",
  "/srv/SECRET": "on /srv/secret",
  "/mnt/srv": "on /srv"
})

const of = (call: Call, view: View = world, policy = secret) => verdict(view, policy, call)

describe("which action wins", () => {
  const call = ["some_tool", {}] as const
  const rules = (...actions: ReadonlyArray<"allow" | "approve" | "block">) => {
    const tools = actions.map((action) => ({ tool: "some_tool", action, why: "" }))
    return { ...policyOf({}), rules: tools, byTool: new Map([["some_tool", tools.map((_, index) => index)]]) }
  }

  it.each([
    [["allow"], "allow", "tool:0"],
    [["allow", "approve"], "approve", "tool:1"],
    [["approve", "allow"], "approve", "tool:0"],
    [["allow", "block", "approve"], "block", "tool:1"],
    [["block", "block"], "block", "tool:0"],
    [["allow", "approve", "approve"], "approve", "tool:1"]
  ] as const)("%j: %s by %s", (actions, action, rule) => {
    assert.deepStrictEqual(verdict(emptyView, rules(...actions), call), { action, reason: "tool_rule", rule })
  })

  it.each(["allow", "approve", "block"] as const)("without a rule the default %s", (action) => {
    const decision = verdict(emptyView, policyOf({ other: "allow" }, {}, action), call)
    assert.deepStrictEqual(decision, { action, reason: "default_action", rule: null })
  })

  it("a name is matched exactly", () => {
    const policy = policyOf({ some_tool: "allow" })
    for (const tool of ["Some_tool", "some_tool ", "some_tools", "some", "__proto__", "constructor"]) {
      assert.strictEqual(verdict(emptyView, policy, [tool, {}]).action, "block")
    }
  })

  it("a path rule overrules a tool's allow, and a tool's block overrules a path's approve", () => {
    const ask = policyOf({ read_file: "allow", write_file: "block" }, { "/srv/secret": "approve" })
    assert.deepStrictEqual(of(read("/srv/secret/key"), world, ask), {
      action: "approve",
      reason: "protected_path",
      rule: "path:0"
    })
    assert.deepStrictEqual(of(write("/srv/secret/key"), world, ask), {
      action: "block",
      reason: "tool_rule",
      rule: "tool:1"
    })
  })

  it("arguments that cannot be checked block, whatever the rules say", () => {
    const open = policyOf(openTools, {}, "allow")
    assert.strictEqual(of(terminal("ls /srv/free"), world, open).reason, "command_unsupported")
    assert.strictEqual(of(["read_file", { file_path: "/srv/free/a" }], world, open).reason, "arguments_unsupported")
    assert.strictEqual(of(read("/srv/free/a"), world, policyOf({}, {}, "allow")).action, "allow")
  })
})

describe("equal paths, descendants and ancestors of a root are guarded, for reads and writes", () => {
  it.each([
    ["/srv/secret", "block"],
    ["/srv/secret/", "block"],
    ["/srv/secret/key", "block"],
    ["/srv/secret/new/deep", "block"],
    ["/srv", "block"],
    ["/", "block"],
    ["/srv/secret-public/x", "allow"],
    ["/srv/secre", "allow"],
    ["/srv/free/a", "allow"],
    ["/srv/free/new", "allow"]
  ] as const)("%s: %s", (path, action) => {
    assert.strictEqual(of(read(path)).action, action)
    assert.strictEqual(of(write(path)).action, action)
    assert.strictEqual(of(terminal(`rm -r ${path}`)).action, action)
  })

  it.each([
    ["/srv/free/l", "block"],
    ["/srv/free/dl", "block"],
    ["/srv/free/d/new.txt", "block"],
    ["/srv/free/d/", "block"],
    ["/srv/free/dir/../../secret/key", "block"],
    ["/srv/free/dir/../a", "allow"]
  ] as const)("by link, by dangling link, by a linked parent, by ..: %s: %s", (path, action) => {
    assert.strictEqual(of(write(path)).action, action)
  })

  it("also where a path only passes through the root and leaves it again", () => {
    assert.strictEqual(of(write("/srv/secret/../other/a")).action, "block")
    assert.strictEqual(of(write("/srv/free/d/../x")).action, "block")
  })

  it("by both readings of .., because file tools take it off as text", () => {
    const view = treeOf({ "/safe/deep": "dir", "/srv/secret/key": "file", "/srv/x/l": "-> /safe/deep" })
    assert.strictEqual(of(read("/srv/x/l/../../srv/secret/key"), view).action, "block")
    assert.strictEqual(of(read("/srv/x/l/../../secret/key"), view).action, "block")
    assert.strictEqual(of(read("/srv/x/l/../y"), view).action, "allow")
    const linked = treeOf({
      "/safe/deep": "dir",
      "/srv/secret/key": "file",
      "/x/l": "-> /safe/deep",
      "/x/m": "-> /srv/secret"
    })
    assert.strictEqual(of(read("/x/l/../m/key"), linked).action, "block")
    assert.strictEqual(of(read("/x/l/../n/key"), linked).action, "allow")
  })

  it("by a link inside the root that leads out again", () => {
    const view = treeOf({ "/srv/secret/l": "-> /srv/free/a", "/srv/free/a": "file", "/srv/free/m": "-> /srv/secret/l" })
    assert.strictEqual(of(read("/srv/free/m"), view).action, "block")
    assert.strictEqual(of(read("/srv/free/a"), view).action, "allow")
  })

  it("a root that is a link is guarded by its own name and by where it leads", () => {
    const view = treeOf({ "/srv/secret": "-> /data/s", "/data/s/key": "file", "/data/t": "dir" })
    for (const path of ["/srv/secret", "/srv/secret/key", "/data/s/key", "/data/s", "/data"]) {
      assert.strictEqual(of(read(path), view).action, "block", path)
    }
    assert.strictEqual(of(read("/data/t"), view).action, "allow")
  })

  it("a link that a root is written through does not guard all that it leads to", () => {
    const view = treeOf({ "/tmp": "-> /private/tmp", "/private/tmp/secret": "dir", "/private/tmp/a": "file" })
    const policy = policyOf(openTools, { "/tmp/secret": "block" })
    assert.strictEqual(of(read("/tmp/a"), view, policy).action, "allow")
    assert.strictEqual(of(read("/private/tmp/secret/key"), view, policy).action, "block")
    assert.strictEqual(of(terminal("rm -r /private/tmp"), view, policy).action, "block")
  })
})

describe("the same object by another path is recognised by device and inode", () => {
  it("the root itself, below it, and an ancestor of it", () => {
    for (const path of ["/srv/free/b/key", "/srv/free/b", "/srv/SECRET/key", "/srv/free/b/new", "/mnt/srv", "/mnt"]) {
      const expected = path === "/mnt" ? "allow" : "block"
      assert.strictEqual(of(write(path)).action, expected, path)
    }
  })

  it("a protected file by its other name", () => {
    const view = treeOf({ "/w/other": "= /w/.env" })
    assert.strictEqual(of(read("/w/other"), view, policyOf(openTools, { "/w/.env": "block" })).action, "block")
  })

  it("a root that does not exist yet, by the directory that it would be created in", () => {
    const view = treeOf({ "/srv/real": "dir", "/mnt/r": "on /srv/real" })
    const policy = policyOf(openTools, { "/srv/real/a/secret": "block" })
    for (const path of ["/mnt/r/a/secret", "/mnt/r/a/secret/key", "/mnt/r/a", "/mnt/r"]) {
      assert.strictEqual(of(write(path), view, policy).action, "block", path)
    }
    assert.strictEqual(of(write("/mnt/r/a/other"), view, policy).action, "allow")
    assert.strictEqual(of(write("/mnt/r/b"), view, policy).action, "allow")
  })
})

describe("a place under another mount", () => {
  const mounted = (rows: ReadonlyArray<readonly [number, string, string]>): View => ({
    ...world,
    mounts: () =>
      tableOf([
        { id: 1, parent: 0, point: "/", device: "8:1", root: "/", special: false },
        ...rows.map(([id, point, root]) => ({ id, parent: 1, point, device: "8:1", root, special: false }))
      ])
  })

  it("a part of the root that is mounted elsewhere is guarded, a neighbour is not", () => {
    const view = mounted([
      [2, "/srv/free/dir", "/srv/secret/sub"],
      [3, "/srv/secret-public", "/other"]
    ])
    assert.strictEqual(of(read("/srv/free/dir/a"), view).action, "block")
    assert.strictEqual(of(read("/srv/secret-public/x"), view).action, "allow")
  })

  it("taking a tree away takes the mounts below it, so they are judged too", () => {
    const view = mounted([[2, "/srv/free/dir", "/srv/secret/sub"]])
    assert.strictEqual(of(terminal("rm -r /srv/free"), view).action, "block")
    assert.strictEqual(of(terminal("mv /srv/free /srv/w2"), view).action, "block")
    assert.strictEqual(of(terminal("rm /srv/free/a"), view).action, "allow")
    assert.strictEqual(of(terminal("rm -r /srv/free"), mounted([[2, "/srv/free/dir", "/other"]])).action, "allow")
  })

  it("what is mounted inside the root belongs to it, by its other name as well", () => {
    const view = mounted([[2, "/srv/secret/sub", "/srv/free/dir"]])
    assert.strictEqual(of(read("/srv/free/dir/a"), view).action, "block")
    assert.strictEqual(of(terminal("rm -r /srv/free"), view).action, "block")
    assert.strictEqual(of(read("/srv/free/a"), view).action, "allow")
  })

  it("a table that cannot be read decides nothing", () => {
    assert.strictEqual(of(read("/srv/free/a"), { ...world, mounts: () => "io" }).reason, "path_unresolved")
  })
})

describe("every operand counts, and every target", () => {
  it.each([
    ["cat /srv/free/a /srv/secret/key", "block"],
    ["cat /srv/secret/key /srv/free/a", "block"],
    ["cat /srv/free/a /srv/free/dir/a", "allow"],
    ["cp /srv/secret/key /srv/free/k", "block"],
    ["cp /srv/free/a /srv/secret", "block"],
    ["cp /srv/free/a /srv", "block"],
    ["cp /srv/free/a /srv/free/new", "allow"],
    ["mv /srv/secret /srv/free/s", "block"],
    ["mv /srv /srv2", "block"],
    ["mv /srv/free/a /srv/free/dir", "allow"],
    ["mkdir -p /srv/free/d/x/y", "block"],
    ["mkdir -p /srv/free/x/y", "allow"],
    ["touch /srv/free/dl", "block"]
  ] as const)("%s: %s", (command, action) => {
    assert.strictEqual(of(terminal(command)).action, action)
  })

  it("the name that cp and mv make inside a directory", () => {
    const policy = policyOf(openTools, { "/srv/free/dir/a": "block" })
    const inner = policyOf(openTools, { "/srv/free/dir/none": "block" })
    assert.strictEqual(of(terminal("cp /srv/free/a /srv/free"), world, policy).action, "block")
    const view = treeOf({
      "/w/key": "file",
      "/w/dir/key": "-> /srv/secret/key",
      "/w/dir2": "dir",
      "/srv/secret": "dir"
    })
    assert.strictEqual(of(terminal("cp /w/key /w/dir"), view).action, "block")
    assert.strictEqual(of(terminal("cp /w/key /w/dir/"), view).action, "block")
    assert.strictEqual(of(terminal("cp /w/key /w/dir2"), view).action, "allow")
    assert.strictEqual(of(terminal("cp /w/key /w/dir3"), view).action, "allow")
    assert.strictEqual(of(terminal("mv /srv/free/none /srv/free/dir"), world, inner).action, "block")
  })

  it("the working directory, but not for what it holds: nothing is taken along by standing there", () => {
    const pwd = (workdir: string): Call => ["terminal", { command: "pwd", workdir }]
    for (const workdir of ["/srv/secret", "/srv/secret/sub", "/srv/free/d", "/srv/free/b", "/srv/closed"]) {
      const view = treeOf({
        "/srv/secret/sub": "dir",
        "/srv/free/d": "-> /srv/secret",
        "/srv/free/b": "on /srv/secret",
        "/srv/closed": "! not_permitted"
      })
      assert.strictEqual(of(pwd(workdir), view).action, "block", workdir)
    }
    for (const workdir of ["/srv/free", "/srv", "/", "/srv/none"]) {
      assert.strictEqual(of(pwd(workdir)).action, "allow", workdir)
    }
  })
})

describe("what the target is by nature", () => {
  it("a second name of a file is not written through, but may be read and removed", () => {
    assert.strictEqual(of(write("/srv/free/h")).reason, "hard_link")
    for (const command of ["touch /srv/free/h", "cp /srv/free/a /srv/free/h", "mv /srv/free/a /srv/free/h"]) {
      assert.strictEqual(of(terminal(command)).reason, "hard_link")
    }
    assert.strictEqual(of(read("/srv/free/h")).action, "allow")
    assert.strictEqual(of(terminal("rm /srv/free/h")).action, "allow")
    assert.strictEqual(of(terminal("cp /srv/free/h /srv/free/new")).action, "allow")
  })

  it("also inside the directory that cp writes into", () => {
    const view = treeOf({ "/w/a": "file", "/w/dir/a": "= /x/other" })
    assert.strictEqual(of(terminal("cp /w/a /w/dir"), view).reason, "hard_link")
  })

  it("a device or pipe is neither read nor written, but may be removed", () => {
    assert.strictEqual(of(read("/srv/free/pipe")).reason, "special_file")
    assert.strictEqual(of(write("/srv/free/pipe")).reason, "special_file")
    assert.strictEqual(of(terminal("rm /srv/free/pipe")).action, "allow")
  })
})

describe("what the system would not say blocks", () => {
  const closed = treeOf({ "/srv/closed": "! not_permitted", "/srv/free/a": "file" })

  it("for a path of the call", () => {
    assert.strictEqual(of(read("/srv/closed/x"), closed).reason, "path_unresolved")
    assert.strictEqual(of(read("/srv/free/a"), closed).action, "allow")
  })

  it("for a root, which then guards every path, and names its rule", () => {
    const policy = policyOf(openTools, { "/srv/closed/root": "approve" })
    assert.deepStrictEqual(of(read("/srv/free/a"), closed, policy), {
      action: "block",
      reason: "root_unresolved",
      rule: "path:0"
    })
    assert.strictEqual(of(terminal("pwd"), closed, policy).action, "allow")
  })
})

describe("the guard's own roots", () => {
  const self = ["/srv/plugin", "/home/u/.hermes"]
  const open = policyOf(openTools, {}, "allow")

  it("are blocked though no policy names them, and though every tool is allowed", () => {
    for (const path of ["/srv/plugin/x", "/home/u/.hermes/config.yaml", "/home/u", "/srv"]) {
      assert.deepStrictEqual(verdict(world, open, read(path), self), {
        action: "block",
        reason: "self_protection",
        rule: null
      })
    }
    assert.strictEqual(verdict(world, open, read("/home/v"), self).action, "allow")
  })

  it("an unresolved one blocks every path", () => {
    const view = treeOf({ "/srv/plugin": "-> plugin" })
    assert.strictEqual(verdict(view, open, read("/x"), self).reason, "root_unresolved")
  })

  it("do not matter to tools that are judged by name", () => {
    assert.strictEqual(verdict(world, open, ["other", { path: "/srv/plugin" }], self).action, "allow")
  })
})

describe("an evaluation", () => {
  it("keeps all that matched, in the order checks, own roots, tools, paths", () => {
    const policy = policyOf({ write_file: "approve" }, { "/srv/free": "approve", "/srv": "block", "/x": "block" })
    const { decision, findings } = decide(policy, ["/srv/free/h"], world, ...write("/srv/free/h"))
    assert.deepStrictEqual(decision, { action: "block", reason: "hard_link", rule: null })
    assert.deepStrictEqual(
      findings.map(({ action, detail, reason, rule }) => `${action} ${rule ?? reason} ${detail}`),
      [
        "block hard_link more than one link",
        "block self_protection equal",
        "approve tool:0 ",
        "approve path:0 below",
        "block path:1 below"
      ]
    )
  })

  it("without the facts that the call needs it blocks, and rules without facts block too", () => {
    const inspection = inspect(...read("/srv/free/a"))
    const bare = evaluate(secret, "read_file", inspection, noFacts)
    assert.strictEqual(bare.decision.reason, "path_unresolved")
    assert.isTrue(bare.findings.some(({ reason, rule }) => reason === "root_unresolved" && rule === "path:0"))
  })
})
