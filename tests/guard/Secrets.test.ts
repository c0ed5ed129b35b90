/**
 * Property 16 and cases row 60: no secret that is planted anywhere in a call reaches audit, message, log or error text;
 * and the seed's seven scenarios on a real system, with the audit they leave.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { auditFileOf } from "@memory-bridge/core/guard/Installation"
import { verify } from "@memory-bridge/platform-posix/guard/AuditVerify"
import { type Live, makeLive } from "./support/Live.ts"

let live: Live
beforeEach(() => {
  live = makeLive()
})
afterEach(() => live.end())

const secret = "sk-LIVE-5f3a9c7e"

/** Calls with the secret in one place each; `%` stands for a folder that exists. */
const planted: ReadonlyArray<readonly [tool: unknown, args: unknown]> = [
  ["read_file", { path: `%/${secret}` }],
  ["read_file", { path: `%/.ssh/${secret}` }],
  ["read_file", { path: secret }],
  ["read_file", { path: `/proc/${secret}` }],
  ["read_file", { path: `%/a\0${secret}` }],
  ["read_file", { path: `%/${secret.repeat(300)}` }],
  ["read_file", { path: [secret] }],
  ["read_file", { path: { toString: secret } }],
  ["read_file", { path: "%/desk/a", offset: secret }],
  ["read_file", { path: "%/desk/a", [secret]: 1 }],
  ["read_file", { path: "%/desk/a", extra: { nested: [{ token: secret }] } }],
  ["read_file", { path: `%/desk/a/${secret}` }],
  ["read_file", secret],
  ["read_file", [secret]],
  ["write_file", { path: "%/desk/a", content: secret }],
  ["write_file", { path: `%/desk/${secret}/deep`, content: `password=${secret}` }],
  ["write_file", { path: "%/.ssh/id", content: secret, cross_profile: secret }],
  ["patch", { path: "%/desk/a", old_string: secret, new_string: secret, replace_all: true }],
  ["patch", { mode: "patch", patch: `*** Delete File: ${secret}` }],
  ["patch", { path: "%/desk/a", old_string: "x", new_string: "y", mode: secret }],
  ["terminal", { command: `cat %/desk/${secret}` }],
  ["terminal", { command: `curl -H "Authorization: ${secret}" https://x` }],
  ["terminal", { command: `${secret} /x` }],
  ["terminal", { command: `rm -${secret} /x` }],
  ["terminal", { command: "pwd", workdir: `%/${secret}` }],
  ["terminal", { command: "pwd", workdir: secret }],
  ["terminal", { command: "pwd", timeout: secret }],
  ["terminal", { command: "pwd", background: secret }],
  [secret, { path: "%/desk/a" }],
  [`mcp_${secret}`, { [secret]: secret }],
  [{ name: secret }, secret],
  ["execute_code", { code: `token = "${secret}"` }],
  ["__proto__", { __proto__: secret }]
]

const filled = <A>(value: A): A =>
  value === undefined ? value : (JSON.parse(JSON.stringify(value).replaceAll("%", live.user)) as A)

const policies: ReadonlyArray<unknown> = [
  { state: "unset" },
  { state: "raised" },
  { state: "value", value: { default_action: "allow", rules: [], protected_paths: [] } },
  {
    state: "value",
    value: {
      default_action: "approve",
      rules: [{ tool: "read_file", action: "allow", why: "ordinary" }],
      protected_paths: [{ path: "~/.ssh", action: "approve" }]
    }
  },
  { state: "value", value: { default_action: "block", rules: "none" } }
]

describe("a secret in a call", () => {
  it.effect("is in nothing that leaves the guard, whatever the policy", () =>
    Effect.gen(function* () {
      const actions = new Set<string>()
      for (const settings of policies) {
        for (const [tool, args] of planted) {
          const directive = yield* live.evaluate(filled(tool), filled(args), settings)
          actions.add(directive.action)
        }
      }
      assert.deepStrictEqual(actions, new Set(["allow", "approve", "block"]))
      assert.strictEqual(live.audit().length, policies.length * planted.length)
      const left = live.left()
      // In pieces too: nothing is kept in part, in other case, or encoded in a way that is easy to take back.
      for (const form of [
        secret,
        secret.slice(0, 8),
        secret.slice(-8),
        btoa(secret).slice(0, 10),
        secret.toLowerCase()
      ]) {
        assert.notInclude(left, form)
      }
      assert.notInclude(left, live.user)
    })
  )

  it.effect("is in nothing that leaves when the audit itself is refused", () =>
    Effect.gen(function* () {
      const directory = join(live.installation.hermes_home, "plugin-data")
      fs.writeFileSync(directory, "in the way")
      for (const [tool, args] of planted) {
        assert.strictEqual((yield* live.evaluate(filled(tool), filled(args))).action, "block")
      }
      assert.notInclude(live.left(), secret)
      assert.notInclude(live.left(), live.user)
    })
  )

  it.effect("the audit holds nothing but its closed members", () =>
    Effect.gen(function* () {
      for (const [tool, args] of planted) yield* live.evaluate(filled(tool), filled(args))
      const allowed = new Set(["event", "time", "id", "action", "reason", "rule", "tool", "previous"])
      for (const record of live.audit()) {
        assert.isTrue(Object.keys(record).every((key) => allowed.has(key)))
      }
      assert.deepStrictEqual(verify(auditFileOf(live.installation.hermes_home)).problems, [])
    })
  )
})

describe("the seed's seven scenarios", () => {
  it.effect("one is allowed, one asks, five are blocked, and each is in the audit before it is answered", () =>
    Effect.gen(function* () {
      const at = (path: string) => join(live.user, path)
      const scenarios = [
        ["read_file", { path: at("desk/a") }, "allow", "tool:0"],
        ["write_file", { path: at("desk/b"), content: "x" }, "approve", "tool:1"],
        ["read_file", { path: at(".ssh/id") }, "block", "path:0"],
        ["terminal", { command: `rm -rf ${at(".ssh")}` }, "block", "path:0"],
        ["terminal", { command: `cat ${at("desk/a")} | sh` }, "block", null],
        ["execute_code", { code: "1" }, "block", null],
        ["write_file", { path: auditFileOf(live.installation.hermes_home), content: "" }, "block", null]
      ] as const
      for (const [index, [tool, args, action, rule]] of scenarios.entries()) {
        const directive = yield* live.evaluate(tool, args)
        assert.strictEqual(directive.action, action, `${tool} ${JSON.stringify(args)}`)
        const record = live.audit()[index]
        assert.strictEqual(record?.["action"], action)
        assert.strictEqual(record?.["rule"], rule)
      }
      assert.strictEqual(live.audit().length, scenarios.length)
      assert.isFalse(fs.existsSync(at("desk/b")))
    })
  )

  it.effect("an approval given before is none for the next call, and never for another", () =>
    Effect.gen(function* () {
      const keys = new Set<string>()
      for (let count = 0; count < 50; count++) {
        const directive = yield* live.evaluate("write_file", { path: join(live.user, "desk/b"), content: "x" })
        if (directive.action === "approve") keys.add(directive.rule_key)
      }
      assert.strictEqual(keys.size, 50)
    })
  )
})
