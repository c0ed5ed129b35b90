/** Seed 000 "What the operator allows": read fresh on every call, and nothing untrusted is read. */
import { assert, describe, it } from "@effect/vitest"
import type { AclReading } from "@memory-bridge/core/tree/Acl"
import { type PolicyRefused, policyPathOf, PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type As, dir, type Drawn, fifo, file, link, memoryTree, socket } from "./given/Trees.ts"
import { stranger } from "./given/Facts.ts"
import { policyText } from "./given/Policies.ts"

const path = "/h/plugin-data/memory-bridge/policy.json"
const place = (policy: Drawn) => memoryTree({ h: { "plugin-data": { "memory-bridge": { "policy.json": policy } } } })
const writer: AclReading = { kind: "entries", entries: [{ subject: { kind: "user", id: stranger }, write: true }] }

type World = ReturnType<typeof place>
const inStore = <A, E>(tree: World, use: Effect.Effect<A, E, PolicyStore>) =>
  Effect.provide(use, PolicyStore.layer.pipe(Layer.provide(tree.layer)))

const load = Effect.flatMap(PolicyStore, (store) => store.load(path))

/** How loading ends: "loaded", or reason and rule. Whatever happens, nothing stays open. */
const outcome = (tree: World) =>
  inStore(
    tree,
    Effect.match(load, {
      onSuccess: () => "loaded",
      onFailure: ({ reason, rule }: PolicyRefused) => `${reason} ${rule}`
    })
  ).pipe(Effect.tap(() => Effect.sync(() => assert.strictEqual(tree.held(), 0, "left open"))))

describe("the policy lies at one place in the profile home", () => {
  it("below plugin-data/memory-bridge", () => {
    assert.strictEqual(policyPathOf("/h/ana"), "/h/ana/plugin-data/memory-bridge/policy.json")
    assert.strictEqual(policyPathOf("/"), "/plugin-data/memory-bridge/policy.json")
  })

  it.effect("and a sound one is loaded", () =>
    Effect.gen(function* () {
      for (const mode of [0o600, 0o400, 0o640, 0o644, 0o444]) {
        assert.strictEqual(yield* outcome(place(file(policyText(), { mode }))), "loaded")
      }
      assert.strictEqual((yield* inStore(place(policyText({ root: "/team" })), load)).root, "/team")
    })
  )

  it.effect("a home or its parts on other mounts are fine", () =>
    Effect.gen(function* () {
      const below = dir({ "memory-bridge": dir({ "policy.json": file(policyText(), { mount: 8n }) }) }, { mount: 9n })
      assert.strictEqual(yield* outcome(memoryTree({ h: dir({ "plugin-data": below }, { device: 3n }) })), "loaded")
    })
  )
})

const writes = (as: As) => file(policyText(), as)

describe("a policy file that somebody else could have written, or that is no file, is refused", () => {
  const cases: ReadonlyArray<readonly [string, Drawn, string]> = [
    ["a link", link(path), "policy_path_untrusted link"],
    ["a directory", dir({}), "policy_unreadable not_file"],
    ["a FIFO", fifo(), "policy_unreadable not_file"],
    ["a socket", socket(), "policy_unreadable special"],
    ["a stranger's", writes({ owner: stranger }), "policy_path_untrusted foreign_owner"],
    ["root's, though root may own directories", writes({ owner: 0 }), "policy_path_untrusted foreign_owner"],
    ["writable by the group", writes({ mode: 0o620 }), "policy_path_untrusted group_writable"],
    ["writable by all", writes({ mode: 0o602 }), "policy_path_untrusted world_writable"],
    ["writable by all and sticky", writes({ mode: 0o1666 }), "policy_path_untrusted world_writable"],
    ["writable by an access control list", writes({ acl: writer }), "policy_path_untrusted acl_user_writes"],
    [
      "without a readable list",
      writes({ acl: { kind: "refused", reason: "acl_unreadable" } }),
      "policy_path_untrusted acl_unreadable"
    ],
    ["without facts", writes({ fails: { facts: "io" } }), "policy_unreadable io"],
    ["not to be opened", writes({ fails: { open: "not_permitted" } }), "policy_unreadable not_permitted"],
    ["not to be read", writes({ fails: { read: "io", readAfter: 3 } }), "policy_unreadable io"],
    ["shorter than its facts say", writes({ size: 5_000 }), "policy_unreadable changed"],
    ["longer than its facts say", writes({ size: 5 }), "policy_unreadable changed"],
    ["not UTF-8", file(new Uint8Array([0x7b, 0xff, 0x7d])), "policy_unreadable not_utf8"],
    ["empty", "", "policy_invalid not_json"],
    ["malformed", "{", "policy_invalid not_json"]
  ]
  it.effect.each(cases)("one that is %s", ([, drawn, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(place(drawn)), expected)
    })
  )

  it.effect("one that is not there, at each level", () =>
    Effect.gen(function* () {
      const levels = [
        memoryTree({}),
        memoryTree({ h: {} }),
        memoryTree({ h: { "plugin-data": {} } }),
        memoryTree({ h: { "plugin-data": { "memory-bridge": {} } } })
      ]
      const outcomes = yield* Effect.forEach(levels, outcome)
      assert.deepStrictEqual(outcomes, [
        "policy_path_untrusted missing",
        "policy_path_untrusted missing",
        "policy_path_untrusted missing",
        "policy_unreadable missing"
      ])
    })
  )

  it.effect("an untrusted file is never read", () =>
    Effect.gen(function* () {
      for (const as of [{ owner: stranger }, { mode: 0o666 }, { acl: writer }, { size: 100_000 }]) {
        const tree = place(file(policyText(), as))
        yield* outcome(tree)
        assert.notInclude(tree.log.join(), "read ")
      }
    })
  )

  it.effect("one that changes while it is read", () =>
    Effect.gen(function* () {
      const changes: ReadonlyArray<As> = [{ modified: 1n }, { changed: 1n }, { size: 7 }, { inode: 7n }]
      for (const change of changes) {
        const tree = place(file(policyText(), { after: { read: () => tree.edit(path, change) } }))
        assert.strictEqual(yield* outcome(tree), "policy_unreadable changed")
      }
    })
  )
})

describe("a directory on the way that somebody else could write to refuses the policy", () => {
  it.effect.each([
    ["writable by the group", { mode: 0o775 }, "group_writable"],
    ["a stranger's", { owner: stranger }, "foreign_owner"],
    ["writable by an access control list", { acl: writer }, "acl_user_writes"]
  ] as const)("one that is %s, at each level", ([, as, rule]) =>
    Effect.gen(function* () {
      for (const depth of [0, 1, 2]) {
        const at = (here: number): As => (here === depth ? as : {})
        const tree = memoryTree({
          h: dir({ "plugin-data": dir({ "memory-bridge": dir({ "policy.json": policyText() }, at(2)) }, at(1)) }, at(0))
        })
        assert.strictEqual(yield* outcome(tree), `policy_path_untrusted ${rule}`)
        assert.notInclude(tree.log.join(), "read ")
      }
    })
  )

  it.effect("a linked home, plugin-data or memory-bridge", () =>
    Effect.gen(function* () {
      const real = { "memory-bridge": { "policy.json": policyText() } }
      const linked = [
        memoryTree({ h: link("/real"), real: { "plugin-data": real } }),
        memoryTree({ h: { "plugin-data": link("/real") }, real }),
        memoryTree({ h: { "plugin-data": { "memory-bridge": link("/real") } }, real: real["memory-bridge"] })
      ]
      for (const tree of linked) assert.strictEqual(yield* outcome(tree), "policy_path_untrusted link")
    })
  )
})

const sized = (bytes: number) => policyText().padEnd(bytes)

describe("a policy is at most 65,536 bytes", () => {
  it.effect("exactly as many are accepted, one more is refused", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(place(sized(65_536))), "loaded")
      assert.strictEqual(yield* outcome(place(sized(65_537))), "policy_invalid is larger than 65536 bytes")
      const umlauts = policyText({ allow: ["ä".repeat(512)] })
      assert.strictEqual(yield* outcome(place(umlauts.padEnd(65_536 - 512))), "loaded")
      assert.strictEqual(
        yield* outcome(place(umlauts.padEnd(65_536 - 511))),
        "policy_invalid is larger than 65536 bytes"
      )
    })
  )
})

describe("nothing about a policy outlives its bytes", () => {
  it.effect("every load opens, judges and reads the file anew", () =>
    Effect.gen(function* () {
      const tree = place(policyText())
      yield* inStore(
        tree,
        Effect.gen(function* () {
          yield* load
          const once = tree.log.splice(0)
          assert.include(once, `read ${path}`)
          yield* load
          assert.deepStrictEqual(tree.log, once)
        })
      )
    })
  )

  it.effect("an edit, a removal and a loss of trust show in the next load", () =>
    Effect.gen(function* () {
      const tree = place(policyText({ allow: ["a/**"] }))
      yield* inStore(
        tree,
        Effect.gen(function* () {
          assert.isTrue((yield* load).rules.permits("a/x.md"))
          tree.edit(path, { content: policyText({ allow: ["b/**"] }) })
          assert.isFalse((yield* load).rules.permits("a/x.md"))
          tree.edit(path, { mode: 0o666 })
          assert.strictEqual((yield* Effect.flip(load)).rule, "world_writable")
          tree.edit(path, { mode: 0o600, content: "{" })
          assert.strictEqual((yield* Effect.flip(load)).rule, "not_json")
          tree.remove(path)
          assert.strictEqual((yield* Effect.flip(load)).rule, "missing")
          tree.put(path, policyText({ allow: ["a/**"] }))
          assert.isTrue((yield* load).rules.permits("a/x.md"))
        })
      )
    })
  )

  it.effect("a change that keeps size and times shows, since only identical bytes are the same policy", () =>
    Effect.gen(function* () {
      const times = { modified: 5n, changed: 5n }
      const tree = place(file(policyText({ allow: ["a/**"] }), times))
      yield* inStore(
        tree,
        Effect.gen(function* () {
          assert.isTrue((yield* load).rules.permits("a/x.md"))
          tree.edit(path, { content: policyText({ allow: ["b/**"] }), ...times })
          assert.isFalse((yield* load).rules.permits("a/x.md"))
        })
      )
    })
  )

  it.effect("identical bytes are decoded once, other bytes are not taken for them", () =>
    Effect.gen(function* () {
      const tree = place(policyText())
      yield* inStore(
        tree,
        Effect.gen(function* () {
          const first = yield* load
          assert.strictEqual((yield* load).rules, first.rules)
          tree.edit(path, { content: policyText() + " " })
          assert.notStrictEqual((yield* load).rules, first.rules)
        })
      )
    })
  )
})

describe("a refusal says which component broke which rule", () => {
  it.effect("for the operator", () =>
    Effect.gen(function* () {
      const open = dir({ "memory-bridge": dir({ "policy.json": policyText() }) }, { mode: 0o777 })
      const refusal = yield* inStore(memoryTree({ h: { "plugin-data": open } }), Effect.flip(load))
      assert.strictEqual(refusal.component, "/h/plugin-data")
      const invalid = yield* inStore(place(policyText({ limits: { max_depth: 17 } })), Effect.flip(load))
      assert.deepStrictEqual([invalid.component, invalid.key], [path, "limits.max_depth"])
    })
  )
})
