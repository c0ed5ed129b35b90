/** design.md section 3: one call, the whole way; every refusal becomes a public answer and a line for the operator. */
import { assert, describe, it } from "@effect/vitest"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import * as Effect from "effect/Effect"
import { raised, signals, value } from "./given/Signals.ts"
import { dir, type Drawing, file, link } from "./given/Trees.ts"
import { home, ids, inWorld, policyPath, read, readAs, search, searchAs, type World, world } from "./given/World.ts"

const garden: Drawing = { "a.md": "# A\n\nneedle", private: { "b.md": "needle" } }
const ordinary = signals({ get_hermes_home: home })
const both = (given: unknown) => Effect.all([searchAs(given, { query: "needle" }), readAs(given, { id: "a.md" })])

const code = (answer: PublicAnswer): string => (answer.ok ? "ok" : answer.error.code)

/** Asserts that search and read end with this code, are logged with this reason, and that nothing leaks. */
const refuses = (given: World, signalsGiven: unknown, expected: string, reason: object) =>
  Effect.gen(function* () {
    const answers = yield* inWorld(given, both(signalsGiven))
    assert.deepStrictEqual(answers.map(code), [expected, expected])
    assert.deepStrictEqual(
      given.logged.map(({ annotations }) => annotations),
      [
        { call: "search", ...reason },
        { call: "read", ...reason }
      ]
    )
    for (const text of [JSON.stringify(answers), JSON.stringify(given.logged)]) {
      for (const path of ["/h", "/v", "plugin-data", "policy.json", "needle"]) assert.notInclude(text, path)
    }
  })

describe("who is calling is settled from the host's signals alone", () => {
  it.effect("an ordinary call is answered, and nothing is logged", () =>
    Effect.gen(function* () {
      const given = world(garden)
      assert.deepStrictEqual((yield* inWorld(given, both(ordinary))).map(code), ["ok", "ok"])
      assert.deepStrictEqual(given.logged, [])
    })
  )

  it.effect.each([
    ["a raising helper", signals({ get_hermes_home: raised }), { reason: "helper_raised", subject: "get_hermes_home" }],
    ["no signals", undefined, { reason: "signals_malformed" }],
    [
      "a foreign override",
      signals({ get_hermes_home: home, get_hermes_home_override: value("/eve") }),
      { reason: "home_conflict", subject: "get_hermes_home_override" }
    ],
    [
      "no bound profile",
      signals({ get_hermes_home: home, is_multiplex_active: value(true) }),
      { reason: "home_unbound" }
    ]
  ] as const)("%s: unavailable", ([, given, reason]) => refuses(world(garden), given, "unavailable", reason))

  it.effect("arguments that name a home, a profile or a policy are refused, and change nothing", () =>
    Effect.gen(function* () {
      for (const extra of [
        { home: "/eve" },
        { get_hermes_home: value("/eve") },
        { profile: "eve" },
        { signals: ordinary }
      ]) {
        const answers = yield* inWorld(
          world(garden),
          Effect.all([searchAs(ordinary, { query: "needle", ...extra }), readAs(ordinary, { id: "a.md", ...extra })])
        )
        assert.deepStrictEqual(answers.map(code), ["invalid_request", "invalid_request"])
      }
    })
  )

  it.effect("another home has another policy, or none", () =>
    Effect.gen(function* () {
      const given = world(garden)
      const eve = signals({ get_hermes_home: value("/eve") })
      assert.deepStrictEqual((yield* inWorld(given, both(eve))).map(code), ["unavailable", "unavailable"])
    })
  )
})

describe("the policy decides about the kind of run", () => {
  const runs = {
    cron: signals({ get_hermes_home: home, cron_session: value("1") }),
    execution: signals({ get_hermes_home: home, cron_execution: value(true) }),
    delegated: signals({ get_hermes_home: home, is_delegated_child_process_context: value(true) }),
    separate: signals({ get_hermes_home: home, plugin_host_process: true })
  }

  it.effect.each([
    ["cron", "cron_refused"],
    ["execution", "cron_refused"],
    ["delegated", "subagent_refused"],
    ["separate", "cron_refused"]
  ] as const)("%s without an opt-in: unavailable", ([run, reason]) =>
    refuses(world(garden), runs[run], "unavailable", { reason })
  )

  it.effect("each with its own opt-in only; the separate process needs both", () =>
    Effect.gen(function* () {
      const admitted: Array<string> = []
      for (const policy of [
        { allow_cron: true },
        { allow_subagents: true },
        { allow_cron: true, allow_subagents: true }
      ]) {
        for (const [run, given] of Object.entries(runs)) {
          const answers = yield* inWorld(world(garden, policy), both(given))
          if (answers.every(({ ok }) => ok)) admitted.push(`${Object.keys(policy).join("+")} ${run}`)
        }
      }
      assert.deepStrictEqual(admitted, [
        "allow_cron cron",
        "allow_cron execution",
        "allow_subagents delegated",
        "allow_cron+allow_subagents cron",
        "allow_cron+allow_subagents execution",
        "allow_cron+allow_subagents delegated",
        "allow_cron+allow_subagents separate"
      ])
    })
  )

  it.effect("a refused run opens nothing of the root", () =>
    Effect.gen(function* () {
      const given = world(garden)
      yield* inWorld(given, both(runs.cron))
      assert.notInclude(given.tree.log.join("\n"), "/v")
    })
  )
})

describe("no trustworthy policy, no answer", () => {
  it.effect.each([
    ["missing", (given: World) => given.tree.remove(policyPath), { reason: "policy_unreadable", rule: "missing" }],
    [
      "malformed",
      (given: World) => given.tree.edit(policyPath, { content: "{" }),
      { reason: "policy_invalid", rule: "not_json" }
    ],
    [
      "writable by all",
      (given: World) => given.tree.edit(policyPath, { mode: 0o666 }),
      { reason: "policy_path_untrusted", rule: "world_writable" }
    ],
    [
      "in a directory that others write to",
      (given: World) => given.tree.edit("/h/plugin-data", { mode: 0o777 }),
      { reason: "policy_path_untrusted", rule: "world_writable" }
    ],
    ["linked", (given: World) => given.tree.put(policyPath, link()), { reason: "policy_path_untrusted", rule: "link" }],
    [
      "of an unknown key",
      (given: World) => given.tree.edit(policyPath, { content: `{"version":1,"root":"/r","allow":[],"extra":1}` }),
      { reason: "policy_invalid", subject: "extra", rule: "Expected no excess property" }
    ]
  ] as const)("%s: unavailable", ([, spoil, reason]) => {
    const given = world(garden)
    spoil(given)
    return refuses(given, ordinary, "unavailable", reason)
  })

  it.effect("a policy within the notes is only a file there (case 21)", () =>
    Effect.gen(function* () {
      const inner = file(`{"version":1,"root":"/v","allow":["**"]}`)
      const given = world(
        { ...garden, "policy.json": inner, "plugin-data": { "memory-bridge": { "policy.json": inner } } },
        {
          allow: ["a.md"]
        }
      )
      assert.strictEqual(ids(yield* inWorld(given, search("needle"))), "a.md")
    })
  )
})

describe("no trustworthy root, no answer", () => {
  it.effect.each([
    ["missing", (given: World) => given.tree.remove("/v"), "missing"],
    ["a link", (given: World) => given.tree.put("/v", link("/elsewhere")), "link"],
    ["a file", (given: World) => given.tree.put("/v", "text"), "not_directory"],
    ["writable by the group", (given: World) => given.tree.edit("/v", { mode: 0o770 }), "group_writable"],
    ["another user's", (given: World) => given.tree.edit("/v", { owner: 1234 }), "foreign_owner"],
    ["not to be opened", (given: World) => given.tree.edit("/v", { fails: { open: "not_permitted" } }), "not_permitted"]
  ] as const)("%s: unavailable, in search and read alike", ([, spoil, rule]) => {
    const given = world(garden)
    spoil(given)
    return refuses(given, ordinary, "unavailable", { reason: "root_untrusted", rule })
  })

  it.effect("a root that can be opened but not listed refuses the search", () =>
    Effect.gen(function* () {
      const given = world(dir(garden, { fails: { list: "io" } }))
      assert.strictEqual(ids(yield* inWorld(given, search("needle"))), "unavailable")
      assert.deepStrictEqual(given.logged[0]?.annotations, { call: "search", reason: "root_unlistable" })
    })
  )
})

describe("a refused read says nothing of why", () => {
  it.effect("denied, not allowed, missing and odd ids give one answer and one line", () =>
    Effect.gen(function* () {
      const given = world(garden, { allow: ["a.md", "private/**"], deny: ["private/**"] })
      const wanted = [
        "private/b.md",
        "private/no.md",
        "other.md",
        "no.md",
        "a.txt",
        ".a.md",
        "A.MD",
        "a.md/b.md",
        "d/e/f.md"
      ]
      const answers = yield* inWorld(
        given,
        Effect.forEach(wanted, (id) => read(id))
      )
      assert.strictEqual(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
      assert.strictEqual(code(answers[0] as PublicAnswer), "not_found_or_denied")
      assert.strictEqual(new Set(given.logged.map((entry) => JSON.stringify(entry))).size, 1)
      assert.deepStrictEqual(given.logged[0]?.annotations, { call: "read", reason: "not_found_or_denied" })
    })
  )
})

describe("a defect is answered as unavailable and tells nobody anything", () => {
  class SecretError extends Error {
    override readonly name = "SecretError"
  }
  const explode = () => {
    throw new SecretError("/v/secret.md: EACCES")
  }

  it.effect("wherever the tree throws", () =>
    Effect.gen(function* () {
      for (const operation of ["open", "facts", "acl", "list", "read"] as const) {
        for (const path of ["/h", policyPath, "/v", "/v/a.md"]) {
          const given = world({ "a.md": "needle" })
          given.tree.edit(path, { after: { [operation]: explode } })
          const answers = yield* inWorld(given, both(ordinary))
          for (const answer of answers) {
            assert.include(["ok", "unavailable"], code(answer))
            assert.notInclude(JSON.stringify(answer), "secret")
          }
          assert.notInclude(JSON.stringify(given.logged), "secret.md")
          if (!answers.every(({ ok }) => ok)) assert.strictEqual(given.logged[0]?.message, "defect")
        }
      }
    })
  )

  it.effect("and the next call is served", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": "needle" })
      yield* inWorld(
        given,
        Effect.gen(function* () {
          given.tree.edit("/v/a.md", { after: { read: explode } })
          assert.strictEqual(code(yield* search("needle")), "unavailable")
          assert.strictEqual(code(yield* read("a.md")), "unavailable")
          given.tree.edit("/v/a.md", { after: {} })
          assert.strictEqual(ids(yield* search("needle")), "a.md")
        })
      )
    })
  )
})

describe("calls do not disturb each other", () => {
  it.effect("fifty at once, all answered alike, nothing left open (case 70)", () =>
    Effect.gen(function* () {
      const given = world(garden)
      const calls = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? search("needle") : read("a.md")))
      const answers = yield* inWorld(given, Effect.all(calls, { concurrency: "unbounded" }))
      assert.strictEqual(new Set(answers.map((answer) => JSON.stringify(answer))).size, 2)
      assert.strictEqual(given.tree.held(), 0)
    })
  )
})
