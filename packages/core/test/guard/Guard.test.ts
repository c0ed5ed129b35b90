/** Seed 004: a call is answered after it is recorded, and whatever fails is a block. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { TestClock } from "effect/testing"
import { AuditLog, AuditRefused } from "@memory-bridge/core/guard/AuditLog"
import type { AuditRecord } from "@memory-bridge/core/guard/AuditRecord"
import { blockMessages, type Directive } from "@memory-bridge/core/guard/Directive"
import { FreshId } from "@memory-bridge/core/guard/FreshId"
import { Guard } from "@memory-bridge/core/guard/Guard"
import { PathFacts, type View } from "@memory-bridge/core/guard/PathFacts"
import { treeOf } from "./Given.ts"

const policy = {
  default_action: "block",
  rules: [
    { tool: "read_file", action: "allow" },
    { tool: "write_file", action: "approve" }
  ],
  protected_paths: [{ path: "~/.ssh", action: "block" }]
}

const installation = {
  hermes_home: "/home/u/.hermes",
  user_home: "/home/u",
  plugin_source: "/opt/guardian",
  backups: ["/home/u/backups"]
}

const request = (tool: unknown, args: unknown, rest: object = {}) => ({
  settings: { state: "value", value: policy },
  installation,
  call: { tool, args },
  ...rest
})

const read = (path: string) => request("read_file", { path })

interface Fake {
  readonly view?: View
  readonly append?: AuditLog["Service"]["append"]
  readonly next?: Effect.Effect<string>
}

/** A guard with all that it recorded and logged. */
const guardWith = (fake: Fake = {}) => {
  const records: Array<AuditRecord> = []
  const logs: Array<Readonly<Record<string, unknown>>> = []
  const modes: Array<string> = []
  let count = 0
  const layer = Guard.layer.pipe(
    Layer.provide([
      Layer.succeed(PathFacts, fake.view ?? treeOf({ "/home/u/.ssh/id": "file", "/srv/a": "file" })),
      Layer.succeed(
        AuditLog,
        AuditLog.of({
          append: fake.append ?? ((_home, record) => Effect.sync(() => void records.push(record as AuditRecord)))
        })
      ),
      Layer.succeed(FreshId, FreshId.of({ next: fake.next ?? Effect.sync(() => `id-${count++}`) }))
    ])
  )
  const logged = Logger.layer([
    Logger.make(({ fiber, message }) => {
      if (String(message) === "mode") modes.push(String(fiber.getRef(References.CurrentLogAnnotations)["mode"]))
      else logs.push({ message: String(message), ...fiber.getRef(References.CurrentLogAnnotations) })
    })
  ])
  const evaluate = (given: unknown) =>
    Guard.use((guard) => guard.evaluate(given)).pipe(Effect.provide(Layer.merge(layer, logged)))
  return { evaluate, records, logs, modes, layer: Layer.merge(layer, logged) }
}

const blocked = (kind: keyof typeof blockMessages): Directive => ({ action: "block", message: blockMessages[kind] })

describe("the whole way", () => {
  it.effect("an allowed call is recorded and answered with allow alone", () =>
    Effect.gen(function* () {
      const guard = guardWith()
      yield* TestClock.setTime(Date.UTC(2026, 0, 2))
      assert.deepStrictEqual(yield* guard.evaluate(read("/srv/a")), { action: "allow" })
      assert.deepStrictEqual(guard.records, [
        {
          event: "policy_decision",
          time: "2026-01-02T00:00:00.000Z",
          id: "id-0",
          action: "allow",
          reason: "tool_rule",
          rule: "tool:0",
          tool: "read_file"
        }
      ])
      assert.deepStrictEqual(guard.logs, [])
    })
  )

  it.effect("two approvals of the same call have two keys", () =>
    Effect.gen(function* () {
      const guard = guardWith()
      const call = request("write_file", { path: "/srv/a", content: "x" })
      const one = yield* guard.evaluate(call)
      const two = yield* guard.evaluate(call)
      assert.strictEqual(one.action, "approve")
      assert.notDeepEqual(one, two)
      assert.deepStrictEqual({ ...one, rule_key: "" }, { ...two, rule_key: "" })
    })
  )

  it.effect("a protected path, the guard's own roots and an unknown tool are blocked", () =>
    Effect.gen(function* () {
      const guard = guardWith()
      for (const path of ["/home/u/.ssh/id", "/opt/guardian/x", "/home/u/.hermes/config.yaml", "/home/u/backups/1"]) {
        assert.deepStrictEqual(yield* guard.evaluate(read(path)), blocked("policy"))
      }
      assert.deepStrictEqual(yield* guard.evaluate(request("execute_code", { code: "1" })), blocked("policy"))
      assert.deepStrictEqual(
        guard.records.map(({ reason, rule, tool }) => `${tool} ${rule ?? reason}`),
        ["read_file path:0", ...Array.from({ length: 3 }, () => "read_file self_protection"), "other default_action"]
      )
    })
  )

  it.effect("without a policy the built-in one decides", () =>
    Effect.gen(function* () {
      const guard = guardWith()
      const unset = { settings: { state: "unset" } }
      assert.strictEqual((yield* guard.evaluate(request("read_file", { path: "/srv/a" }, unset))).action, "allow")
      assert.strictEqual(
        (yield* guard.evaluate(request("read_file", { path: "/home/u/.aws/x" }, unset))).action,
        "block"
      )
      assert.strictEqual((yield* guard.evaluate(request("search_files", { pattern: "x" }, unset))).action, "block")
    })
  )

  it.effect("arguments that cannot be checked are said to be so", () =>
    Effect.gen(function* () {
      const guard = guardWith()
      assert.deepStrictEqual(yield* guard.evaluate(read("srv/a")), blocked("unsupported"))
      assert.deepStrictEqual(yield* guard.evaluate(request("terminal", { command: "ls" })), blocked("unsupported"))
    })
  )
})

describe("every failure is a block with a reason for the operator", () => {
  it.effect("settings that the host could not read", () =>
    Effect.gen(function* () {
      const guard = guardWith()
      const call = request("read_file", { path: "/srv/a" }, { settings: { state: "raised" } })
      assert.deepStrictEqual(yield* guard.evaluate(call), blocked("unavailable"))
      assert.strictEqual(guard.records[0]?.reason, "settings_unreadable")
      assert.strictEqual(guard.logs[0]?.["reason"], "settings_unreadable")
    })
  )

  it.effect("a policy that is none, with the key and the rule it broke", () =>
    Effect.gen(function* () {
      const guard = guardWith()
      const value = { ...policy, ruls: [] }
      const call = request("read_file", { path: "/srv/a" }, { settings: { state: "value", value } })
      assert.deepStrictEqual(yield* guard.evaluate(call), blocked("unavailable"))
      assert.strictEqual(guard.records[0]?.reason, "policy_invalid")
      assert.strictEqual(guard.logs[0]?.["subject"], "ruls")
    })
  )

  it.effect("a policy that went bad after a good one, for as long as it is bad", () =>
    Effect.gen(function* () {
      const guard = guardWith()
      const bad = request("read_file", { path: "/srv/a" }, { settings: { state: "value", value: {} } })
      assert.strictEqual((yield* guard.evaluate(read("/srv/a"))).action, "allow")
      assert.strictEqual((yield* guard.evaluate(bad)).action, "block")
      assert.strictEqual((yield* guard.evaluate(read("/srv/a"))).action, "allow")
    })
  )

  it.effect("a call without a name", () =>
    Effect.gen(function* () {
      const guard = guardWith()
      for (const tool of [null, 1, "", "x".repeat(257), ["read_file"]]) {
        assert.strictEqual((yield* guard.evaluate(request(tool, { path: "/srv/a" }))).action, "block")
      }
      assert.deepStrictEqual(new Set(guard.records.map(({ reason }) => reason)), new Set(["call_malformed"]))
    })
  )

  it.effect.each([
    null,
    "x",
    {},
    { ...read("/srv/a"), extra: 1 },
    { ...read("/srv/a"), settings: { state: "value", value: policy, more: 1 } },
    { ...read("/srv/a"), settings: null },
    { ...read("/srv/a"), installation: { ...installation, hermes_home: "home" } },
    { ...read("/srv/a"), installation: { ...installation, plugin_source: "/opt/../x" } },
    { ...read("/srv/a"), installation: { ...installation, user_home: "/home/u/" } },
    { ...read("/srv/a"), call: { tool: "read_file", args: {}, more: 1 } },
    { ...read("/srv/a"), call: undefined }
  ])("a request that is not of the agreed form: %j", (given) =>
    Effect.gen(function* () {
      const guard = guardWith()
      assert.deepStrictEqual(yield* guard.evaluate(given), blocked("unavailable"))
      assert.deepStrictEqual(guard.records, [])
      assert.strictEqual(guard.logs[0]?.["reason"], "request_malformed")
    })
  )

  it.effect("an allowed call that could not be recorded", () =>
    Effect.gen(function* () {
      const guard = guardWith({ append: () => Effect.fail(new AuditRefused({ fault: "locked", subject: "file" })) })
      assert.deepStrictEqual(yield* guard.evaluate(read("/srv/a")), blocked("unavailable"))
      assert.strictEqual(guard.logs[0]?.["reason"], "audit_unavailable")
      assert.strictEqual(guard.logs[0]?.["rule"], "locked")
    })
  )

  it.effect("a defect in looking, in recording and in the ids", () =>
    Effect.gen(function* () {
      const dies = Effect.die(new TypeError("SECRET"))
      const look = (): never => {
        throw new RangeError("SECRET /srv/a")
      }
      const view: View = { ...treeOf({}), look }
      for (const guard of [guardWith({ view }), guardWith({ append: () => dies }), guardWith({ next: dies })]) {
        assert.deepStrictEqual(yield* guard.evaluate(read("/srv/a")), blocked("unavailable"))
        assert.strictEqual(guard.logs.at(-1)?.["reason"], "internal_error")
        assert.notInclude(JSON.stringify(guard.logs), "SECRET")
      }
      assert.strictEqual(guardWith({ view }).records.length, 0)
    })
  )

  it.effect("a defect after the record, where the approval's key would come from", () =>
    Effect.gen(function* () {
      let count = 0
      const next = Effect.suspend(() => (count++ === 0 ? Effect.succeed("id-0") : Effect.die(new Error("x"))))
      const guard = guardWith({ next })
      const directive = yield* guard.evaluate(request("write_file", { path: "/srv/a", content: "" }))
      assert.deepStrictEqual(directive, blocked("unavailable"))
      assert.strictEqual(guard.records[0]?.action, "approve")
    })
  )

  it.effect("a defect is recorded as a block", () =>
    Effect.gen(function* () {
      const look = (): never => {
        throw new RangeError("x")
      }
      const guard = guardWith({ view: { ...treeOf({}), look } })
      yield* guard.evaluate(read("/srv/a"))
      assert.strictEqual(guard.records[0]?.reason, "internal_error")
      assert.strictEqual(guard.records[0]?.action, "block")
    })
  )
})

describe("log_only: decided and recorded as always, without effect", () => {
  const logOnly = { mode: { state: "value", value: "log_only" } }
  const roots = { "/home/u/.ssh/id": "file", "/srv/a": "file", "/opt/guardian/hook.py": "file" } as const
  const under = (tool: string, args: object, mode: object = logOnly) => request(tool, args, mode)

  it.effect.each([
    ["an allow", "read_file", { path: "/srv/a" }, "allow", "tool_rule"],
    ["an approval", "write_file", { path: "/srv/a", content: "" }, "approve", "tool_rule"],
    ["a protected path", "read_file", { path: "/home/u/.ssh/id" }, "block", "protected_path"],
    ["an unknown tool", "execute_code", { code: "1" }, "block", "default_action"],
    ["arguments that cannot be inspected", "read_file", { path: "srv/a" }, "block", "arguments_unsupported"],
    ["a command that cannot be inspected", "terminal", { command: "ls | sh" }, "block", "command_unsupported"]
  ] as const)("%s", ([, tool, args, action, reason]) =>
    Effect.gen(function* () {
      const guard = guardWith({ view: treeOf(roots) })
      assert.deepStrictEqual(yield* guard.evaluate(under(tool, args)), { action: "allow" })
      const [record] = guard.records
      assert.deepStrictEqual([record?.action, record?.reason, record?.enforced], [action, reason, false])
    })
  )

  it.effect.each([
    ["the plugin", "read_file", { path: "/opt/guardian/hook.py" }],
    ["the host's configuration", "write_file", { path: "/home/u/.hermes/config.yaml", content: "" }],
    ["a backup", "terminal", { command: "rm /home/u/backups/1" }],
    ["a directory above", "terminal", { command: "mv /home/u /srv/u" }],
    [
      "own files, also where another check speaks first",
      "terminal",
      { command: "cp /srv/two /home/u/.hermes/config.yaml" }
    ]
  ] as const)("still blocks %s", ([, tool, args]) =>
    Effect.gen(function* () {
      const guard = guardWith({ view: treeOf(roots) })
      assert.strictEqual((yield* guard.evaluate(under(tool, args))).action, "block")
      assert.isFalse("enforced" in (guard.records[0] ?? {}))
    })
  )

  it.effect("still blocks own files under a finding that comes first", () =>
    Effect.gen(function* () {
      // A pipe in the guard's home: its nature is found before whose it is.
      const guard = guardWith({ view: treeOf({ ...roots, "/home/u/.hermes/pipe": "device" }) })
      const call = under("write_file", { path: "/home/u/.hermes/pipe", content: "" })
      assert.deepStrictEqual(yield* guard.evaluate(call), blocked("policy"))
      assert.strictEqual(guard.records[0]?.reason, "special_file")
    })
  )

  it.effect("still blocks what could not be decided or recorded", () =>
    Effect.gen(function* () {
      const read = { path: "/srv/a" }
      const cases = [
        { ...under("read_file", read), settings: { state: "raised" } },
        { ...under("read_file", read), settings: { state: "value", value: {} } },
        under("", read)
      ]
      for (const given of cases) {
        const guard = guardWith()
        assert.strictEqual((yield* guard.evaluate(given)).action, "block")
        assert.isFalse("enforced" in (guard.records[0] ?? {}))
      }
      const unrecorded = guardWith({ append: () => Effect.fail(new AuditRefused({ fault: "full", subject: "file" })) })
      assert.deepStrictEqual(yield* unrecorded.evaluate(under("read_file", read)), blocked("unavailable"))
      const look = (): never => {
        throw new RangeError("x")
      }
      const broken = guardWith({ view: { ...treeOf({}), look } })
      assert.deepStrictEqual(yield* broken.evaluate(under("read_file", read)), blocked("unavailable"))
    })
  )

  it.effect("is said in the log at first use and when it changes, and is never the default", () =>
    Effect.gen(function* () {
      const guard = guardWith({ view: treeOf(roots) })
      const [off, on] = [
        request("read_file", { path: "/home/u/.ssh/id" }),
        under("read_file", { path: "/home/u/.ssh/id" })
      ]
      yield* Effect.gen(function* () {
        const { evaluate } = yield* Guard
        const actions = []
        for (const given of [off, off, on, on, off]) actions.push((yield* evaluate(given)).action)
        assert.deepStrictEqual(actions, ["block", "block", "allow", "allow", "block"])
      }).pipe(Effect.provide(guard.layer))
      assert.deepStrictEqual(guard.modes, ["enforce", "log_only", "enforce"])
    })
  )

  it.effect("any other word blocks", () =>
    Effect.gen(function* () {
      for (const value of ["", "log-only", "LOG_ONLY", "off", "audit", false, null, 0, ["log_only"], {}]) {
        const guard = guardWith()
        const given = under("read_file", { path: "/srv/a" }, { mode: { state: "value", value } })
        assert.deepStrictEqual(yield* guard.evaluate(given), blocked("unavailable"))
        assert.strictEqual(guard.records[0]?.reason, "mode_invalid")
        assert.strictEqual(guard.logs[0]?.["reason"], "mode_invalid")
      }
      const raised = guardWith()
      yield* raised.evaluate(under("read_file", { path: "/srv/a" }, { mode: { state: "raised" } }))
      assert.strictEqual(raised.records[0]?.reason, "settings_unreadable")
    })
  )
})
