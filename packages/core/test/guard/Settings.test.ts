/** Seed 004 "Configuration": all three fields, nothing else, and no rule that could never match. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { defaultPolicy, type Policy } from "@memory-bridge/core/guard/Policy"
import { decode, decodeText, maxSettingsLength, policyReader } from "@memory-bridge/core/guard/Settings"

const home = "/home/u"

const good = {
  default_action: "block",
  rules: [{ tool: "read_file", action: "allow" }],
  protected_paths: [{ path: "~/.ssh", action: "block" }]
}

/** The defect as `key: rule`, or the policy. */
const outcome = (value: unknown): Policy | string =>
  Result.match(decode(value, home), {
    onSuccess: (policy) => policy,
    onFailure: ({ key, rule }) => `${key}: ${rule}`
  })

const defect = (value: unknown): string => {
  const result = outcome(value)
  return typeof result === "string" ? result : "accepted"
}

const policyOf = (value: unknown): Policy => {
  const result = outcome(value)
  return typeof result === "string" ? assert.fail(result) : result
}

const withPath = (path: unknown) => ({ ...good, protected_paths: [{ path, action: "block" }] })
const withTool = (tool: unknown) => ({ ...good, rules: [{ tool, action: "allow" }] })

describe("a policy that is given is given whole", () => {
  it("is accepted with its three fields", () => {
    const policy = policyOf(good)
    assert.strictEqual(policy.defaultAction, "block")
    assert.deepStrictEqual(policy.rules, [{ tool: "read_file", action: "allow", why: "" }])
    assert.deepStrictEqual(policy.protectedPaths, [{ path: "/home/u/.ssh", action: "block", why: "" }])
  })

  it("may have empty lists", () => {
    assert.notTypeOf(outcome({ default_action: "allow", rules: [], protected_paths: [] }), "string")
  })

  it.each([["default_action"], ["rules"], ["protected_paths"]])("is refused without %s", (key) => {
    const { [key as keyof typeof good]: _, ...rest } = good
    assert.match(defect(rest), new RegExp(`^${key}: `))
  })

  it.each([
    [{ ...good, ruls: [] }, /^ruls: /],
    [{ ...good, rules: [{ tool: "a", action: "allow", tools: "b" }] }, /^rules\[0\]\.tools: /],
    [{ ...good, protected_paths: [{ path: "/a", action: "block", mode: "r" }] }, /^protected_paths\[0\]\.mode: /],
    [{ ...good, default_action: "deny" }, /^default_action: /],
    [{ ...good, default_action: "Block" }, /^default_action: /],
    [{ ...good, rules: { 0: { tool: "a", action: "allow" } } }, /^rules: /],
    [{ ...good, rules: [{ tool: "a", action: "ask" }] }, /^rules\[0\]\.action: /],
    [{ ...good, rules: [{ tool: "a" }] }, /^rules\[0\]\.action: /],
    [{ ...good, protected_paths: [{ path: "/a", action: "allow" }] }, /^protected_paths\[0\]\.action: /],
    [{ ...good, protected_paths: ["/a"] }, /^protected_paths\[0\]: /],
    [null, /^: /],
    ["block", /^: /],
    [[], /^: /],
    [new Map(Object.entries(good)), /^/]
  ])("%j is refused, by key", (value, expected) => {
    assert.match(defect(value), expected)
    assert.notStrictEqual(defect(value), "accepted")
  })

  it("an own __proto__ is an unknown key", () => {
    const text = JSON.stringify(good).replace("{", '{"__proto__":{"default_action":"allow"},')
    assert.match(defect(JSON.parse(text)), /^__proto__: /)
  })

  it("256 rules and 256 paths are accepted, one more is not", () => {
    const rules = (count: number) => Array.from({ length: count }, (_, n) => ({ tool: `t${n}`, action: "allow" }))
    const paths = (count: number) => Array.from({ length: count }, (_, n) => ({ path: `/p${n}`, action: "block" }))
    assert.strictEqual(defect({ ...good, rules: rules(256), protected_paths: paths(256) }), "accepted")
    assert.match(defect({ ...good, rules: rules(257) }), /^rules: /)
    assert.match(defect({ ...good, protected_paths: paths(257) }), /^protected_paths: /)
  })
})

describe("a tool is named exactly", () => {
  it.each(["read_file", "mcp_github_create-issue", "server/tool", "a.b:c", "__proto__", "constructor", "prototype"])(
    "%j is a name",
    (tool) => {
      assert.strictEqual(defect(withTool(tool)), "accepted")
    }
  )

  it.each(["", "*", "mcp_*", "read file", " read_file", "read_file\n", "re\u0430d_file", "a".repeat(129), 1, null])(
    "%j is none",
    (tool) => {
      assert.match(defect(withTool(tool)), /^rules\[0\]\.tool: /)
    }
  )

  it("names of prototypes match themselves and nothing else", () => {
    const policy = policyOf(withTool("__proto__"))
    assert.deepStrictEqual(policy.byTool.get("__proto__"), [0])
    for (const tool of ["constructor", "toString", "hasOwnProperty", ""]) {
      assert.isUndefined(policy.byTool.get(tool))
    }
  })
})

describe("a path that could never match is refused when the policy loads", () => {
  it.each([
    ["/srv/secret/", /trailing|slash/],
    ["~/", /slash/],
    ["~", /absolute/],
    ["~root/.ssh", /absolute/],
    ["secret", /absolute/],
    ["./secret", /absolute/],
    ["", /absolute/],
    ["/srv//secret", /\/\//],
    ["//srv", /\/\//],
    ["/srv/./secret", /\. segment/],
    ["/srv/../secret", /\.\. segment/],
    ["~/../other", /\.\. segment/],
    ["/srv/~/secret", /~/],
    ["/home/*/.ssh", /literal/],
    ["$HOME/.ssh", /absolute/],
    ["/home/$USER", /literal/],
    ["/srv/a\u0000", /control/],
    ["/srv/a\n", /control/],
    ["/proc/1", /\/proc/]
  ])("%j", (path, rule) => {
    const text = defect(withPath(path))
    assert.match(text, /^protected_paths\[0\]\.path: /)
    assert.match(text, rule)
  })

  it("~/ stands for the home that the caller vouches for, only at the start", () => {
    assert.strictEqual(policyOf(withPath("~/a/b")).protectedPaths[0]?.path, "/home/u/a/b")
    const atTop = Result.getOrThrow(decode(withPath("~/a"), "/"))
    assert.strictEqual(atTop.protectedPaths[0]?.path, "/a")
  })
})

describe("examples are decided when the policy loads", () => {
  const call = (tool: string, args: object) => ({ tool, args })
  const cat = call("terminal", { command: "cat /srv/free/a" })
  const withRule = (rule: object) => ({
    default_action: "block",
    rules: [{ tool: "terminal", action: "allow", ...rule }],
    protected_paths: [{ path: "/srv/secret", action: "block" }]
  })

  it("a rule that does what its examples say is accepted", () => {
    const policy = policyOf(
      withRule({
        why: "reading only",
        match: [cat, call("terminal", { command: "pwd" })],
        not_match: [call("terminal", { command: "cat /srv/secret/key" }), call("read_file", { path: "/srv/free/a" })]
      })
    )
    assert.strictEqual(policy.rules[0]?.why, "reading only")
  })

  it("a failing match refuses the policy and is named with its verdict", () => {
    assert.strictEqual(
      defect(withRule({ match: [cat, call("terminal", { command: "cat /srv/secret/key" })] })),
      "rules[0].match[1]: is block by path:0, not allow by this rule"
    )
    assert.strictEqual(
      defect(withRule({ match: [call("terminal", { command: "cat a" })] })),
      "rules[0].match[0]: is block by command_unsupported, not allow by this rule"
    )
  })

  it("a match that another rule decides is a failing one, though the action is the same", () => {
    const rules = [
      { tool: "read_file", action: "allow" },
      { tool: "terminal", action: "allow", match: [call("read_file", { path: "/srv/free/a" })] }
    ]
    assert.strictEqual(
      defect({ default_action: "block", rules, protected_paths: [] }),
      "rules[1].match[0]: is allow by tool:0, not allow by this rule"
    )
  })

  it("a not_match that the rule decides refuses the policy", () => {
    assert.strictEqual(defect(withRule({ not_match: [cat] })), "rules[0].not_match[0]: is allow by this rule")
  })

  it("a path rule may have them too", () => {
    const paths = (examples: object) => ({
      ...withRule({}),
      protected_paths: [{ path: "~/.ssh", action: "block", ...examples }]
    })
    const key = call("terminal", { command: "cat /home/u/.ssh/id" })
    assert.strictEqual(defect(paths({ match: [key], not_match: [cat] })), "accepted")
    assert.match(defect(paths({ not_match: [key] })), /^protected_paths\[0\]\.not_match\[0\]: /)
  })

  it.each([
    [{ match: [{ tool: "terminal" }] }],
    [{ match: [{ ...cat, extra: 1 }] }],
    [{ match: [{ tool: "terminal", args: [] }] }],
    [{ match: [{ tool: "terminal", args: "x" }] }],
    [{ match: cat }],
    [{ match: Array.from({ length: 17 }, () => cat) }],
    [{ why: "x".repeat(513) }],
    [{ why: 1 }]
  ])("%j is no annotation", (rule) => {
    assert.match(defect(withRule(rule)), /^rules\[0\]\./)
  })
})

describe("text is held to more than data", () => {
  it("a key that comes twice is refused", () => {
    const text = JSON.stringify(good).replace("{", '{"default_action":"allow",')
    assert.deepStrictEqual(decodeText(text, home), Result.fail({ key: "default_action", rule: "duplicate_key" }))
    assert.isTrue(Result.isSuccess(decodeText(JSON.stringify(good), home)))
  })

  it("a text beyond the size is refused unread", () => {
    assert.isTrue(Result.isFailure(decodeText(" ".repeat(maxSettingsLength + 1), home)))
  })
})

describe("the setting is read for each call", () => {
  it("unset is the built-in policy", () => {
    assert.deepStrictEqual(policyReader()({ state: "unset" }, home), Result.succeed(defaultPolicy(home)))
    const { defaultAction, protectedPaths, rules } = defaultPolicy(home)
    assert.strictEqual(defaultAction, "block")
    assert.deepStrictEqual(
      rules.map(({ action, tool }) => `${tool} ${action}`),
      ["read_file allow", "write_file approve", "patch approve", "terminal approve"]
    )
    assert.deepStrictEqual(
      protectedPaths.map(({ action, path }) => `${path} ${action}`),
      ["/home/u/.ssh block", "/home/u/.aws block", "/home/u/.hermes block"]
    )
  })

  it("raised, null, and what is no JSON are never a policy", () => {
    const read = policyReader()
    const cyclic: Record<string, unknown> = {}
    cyclic["self"] = cyclic
    assert.deepStrictEqual(read({ state: "raised" }, home), Result.fail("raised"))
    for (const value of [null, undefined, cyclic, 1n, () => good, "x".repeat(maxSettingsLength)]) {
      assert.isTrue(Result.isFailure(read({ state: "value", value }, home)))
    }
  })

  it("a change is seen at once, and so is another home", () => {
    const read = policyReader()
    const of = (value: unknown, userHome = home) => read({ state: "value", value }, userHome)
    const first = of(good)
    assert.strictEqual(of(structuredClone(good)), first)
    assert.isTrue(Result.isFailure(of({ ...good, extra: 1 })))
    assert.isTrue(Result.isSuccess(of(good)))
    const other = of(good, "/home/v")
    assert.strictEqual(Result.getOrThrow(other).protectedPaths[0]?.path, "/home/v/.ssh")
  })

  it("what the host's object does after the call changes nothing", () => {
    const read = policyReader()
    const value = structuredClone(good)
    const policy = Result.getOrThrow(read({ state: "value", value }, home))
    value.default_action = "allow"
    assert.strictEqual(policy.defaultAction, "block")
    assert.strictEqual(Result.getOrThrow(read({ state: "value", value }, home)).defaultAction, "allow")
  })
})
