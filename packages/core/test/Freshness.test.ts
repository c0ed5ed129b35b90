/** Seed 000 "edits and revocations apply immediately"; design.md section 8: the content cache never decides. */
import { assert, describe, it } from "@effect/vitest"
import { ScanCeilings } from "@memory-bridge/core/budget/ScanBudget"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { policyText } from "./given/Policies.ts"
import { type As, dir, type Drawing, file, link } from "./given/Trees.ts"
import { found, ids, inWorld, policyPath, read, search, type World, world } from "./given/World.ts"

const notes: Drawing = { "a.md": "needle a", d: { "b.md": "needle b" }, "c.md": "other" }
const before = Effect.map(search("needle"), ids)
/** Later than every note of a drawn tree, so that texts are kept. */
const later = TestClock.setTime(Date.UTC(2024, 0))

const reads = (given: World) => given.tree.log.splice(0).filter((line) => line.startsWith("read /v"))

describe("what changes between two calls holds for the second one (case 65)", () => {
  const changes: ReadonlyArray<readonly [string, (given: World) => void, string]> = [
    ["a note is removed", ({ tree }) => tree.remove("/v/a.md"), "d/b.md"],
    ["a directory is removed", ({ tree }) => tree.remove("/v/d"), "a.md"],
    ["a note is replaced", ({ tree }) => tree.put("/v/a.md", "other"), "d/b.md"],
    ["a note is rewritten", ({ tree }) => tree.edit("/v/c.md", { content: "needle" }), "a.md c.md d/b.md"],
    ["a note becomes a link", ({ tree }) => tree.put("/v/a.md", link("/v/c.md")), "d/b.md"],
    ["a note gets a second link", ({ tree }) => tree.edit("/v/a.md", { links: 2, changed: 9n }), "d/b.md"],
    ["a note becomes writable by all", ({ tree }) => tree.edit("/v/a.md", { mode: 0o666 }), "d/b.md"],
    ["a note changes hands", ({ tree }) => tree.edit("/v/a.md", { owner: 1234 }), "d/b.md"],
    [
      "a note gets an access control list",
      ({ tree }) => tree.edit("/v/a.md", { acl: { kind: "refused", reason: "acl_foreign" } }),
      "d/b.md"
    ],
    [
      "a note grows beyond the limit",
      ({ tree }) => tree.edit("/v/a.md", { content: "needle".repeat(50_000) }),
      "d/b.md"
    ],
    ["a directory becomes writable by all", ({ tree }) => tree.edit("/v/d", { mode: 0o777 }), "a.md"],
    ["the root becomes writable by all", ({ tree }) => tree.edit("/v", { mode: 0o777 }), "unavailable"],
    [
      "an allow is narrowed",
      ({ tree }) => tree.edit(policyPath, { content: policyText({ allow: ["d/**"] }) }),
      "d/b.md"
    ],
    ["a deny is added", ({ tree }) => tree.edit(policyPath, { content: policyText({ deny: ["a.md"] }) }), "d/b.md"],
    ["the policy is removed", ({ tree }) => tree.remove(policyPath), "unavailable"],
    ["the policy becomes writable by all", ({ tree }) => tree.edit(policyPath, { mode: 0o666 }), "unavailable"],
    [
      "max_file_bytes is lowered",
      ({ tree }) => tree.edit(policyPath, { content: policyText({ limits: { max_file_bytes: 5 } }) }),
      ""
    ]
  ]

  it.effect.each(changes)("%s, with the cache full and without", ([, change, expected]) =>
    Effect.gen(function* () {
      for (const clock of [Effect.void, later]) {
        yield* clock
        const given = world(notes)
        yield* inWorld(
          given,
          Effect.gen(function* () {
            assert.strictEqual(yield* before, "a.md d/b.md")
            change(given)
            assert.strictEqual(yield* before, expected)
          })
        )
      }
    })
  )

  it.effect("a read obeys as well, and a restored note is served again", () =>
    Effect.gen(function* () {
      yield* later
      const given = world(notes)
      yield* inWorld(
        given,
        Effect.gen(function* () {
          yield* before
          assert.isTrue((yield* read("a.md")).ok)
          given.tree.edit(policyPath, { content: policyText({ deny: ["a.md"] }) })
          assert.isFalse((yield* read("a.md")).ok)
          given.tree.edit(policyPath, { content: policyText() })
          assert.isTrue((yield* read("a.md")).ok)
        })
      )
    })
  )
})

describe("texts are kept between searches only once they have settled", () => {
  it.effect("a note that changed long ago is read once", () =>
    Effect.gen(function* () {
      yield* later
      const given = world(notes)
      yield* inWorld(
        given,
        Effect.gen(function* () {
          yield* before
          assert.deepStrictEqual(reads(given), ["read /v/a.md", "read /v/c.md", "read /v/d/b.md"])
          yield* before
          assert.deepStrictEqual(reads(given), [])
        })
      )
    })
  )

  it.effect("what an answer shows is still opened, and its access control list is still read, every time", () =>
    Effect.gen(function* () {
      yield* later
      const given = world(notes)
      yield* inWorld(
        given,
        Effect.gen(function* () {
          yield* before
          given.tree.log.splice(0)
          yield* before
          const asked = given.tree.log.filter((line) => line.startsWith("open /v/") || line.startsWith("acl /v/"))
          for (const shown of ["/v/a.md", "/v/d", "/v/d/b.md"])
            assert.includeMembers(asked, [`open ${shown}`, `acl ${shown}`], shown)
          assert.notInclude(asked, "open /v/c.md")
        })
      )
    })
  )

  it.effect("a note that changed within two seconds is read every time", () =>
    Effect.gen(function* () {
      const written = BigInt(Date.UTC(2024, 0)) * 1_000_000n
      yield* later
      const given = world({ "a.md": file("needle", { modified: written, changed: written }) })
      yield* inWorld(
        given,
        Effect.gen(function* () {
          for (const [wait, expected] of [
            ["0 seconds", 1],
            ["1999 millis", 1],
            ["1 millis", 1],
            ["0 seconds", 0]
          ] as const) {
            yield* TestClock.adjust(wait)
            yield* before
            assert.lengthOf(reads(given), expected, wait)
          }
        })
      )
    })
  )

  it.effect("a note of the future is read every time", () =>
    Effect.gen(function* () {
      yield* later
      const future = BigInt(Date.UTC(2030, 0)) * 1_000_000n
      for (const as of [{ modified: future }, { changed: future }] satisfies ReadonlyArray<As>) {
        const given = world({ "a.md": file("needle", as) })
        yield* inWorld(
          given,
          Effect.gen(function* () {
            yield* before
            yield* before
            assert.lengthOf(reads(given), 2)
          })
        )
      }
    })
  )

  it.effect("a rewrite that restores size and modification time shows by its time of change", () =>
    Effect.gen(function* () {
      yield* later
      const given = world({ "a.md": file("needle", { modified: 5n, changed: 5n }) })
      yield* inWorld(
        given,
        Effect.gen(function* () {
          assert.strictEqual(yield* before, "a.md")
          given.tree.edit("/v/a.md", { content: "haysta", modified: 5n, changed: 6n })
          assert.strictEqual(yield* before, "")
        })
      )
    })
  )

  it.effect("another note in the place of a kept one is not taken for it", () =>
    Effect.gen(function* () {
      yield* later
      const given = world({ "a.md": "needle" })
      yield* inWorld(
        given,
        Effect.gen(function* () {
          assert.strictEqual(yield* before, "a.md")
          given.tree.put("/v/a.md", "haysta")
          assert.strictEqual(yield* before, "")
        })
      )
    })
  )

  it.effect("a read never answers from what was kept", () =>
    Effect.gen(function* () {
      yield* later
      const given = world(notes)
      yield* inWorld(
        given,
        Effect.gen(function* () {
          yield* before
          given.tree.log.length = 0
          yield* read("a.md")
          assert.deepStrictEqual(reads(given), ["read /v/a.md"])
        })
      )
    })
  )
})

const tight = (bytes: number) => Effect.provideService(ScanCeilings, { rawEntries: 50_000, bytes })

describe("answers are the same with what was kept and without", () => {
  const many: Drawing = {
    ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`n${10 + i}.md`, `needle ${i} ${"x".repeat(i * 7)}`])),
    "n15.md": file("needle\0"),
    "n16.md": file(new Uint8Array([110, 255])),
    "n17.md": "\ufeffneedle ÄÖ",
    "n18.md": "",
    d: dir({ "x.md": "needle İ e\u0301" })
  }

  it.effect("results, snippets and flag, for every byte budget: a hit is charged like a read", () =>
    Effect.gen(function* () {
      yield* later
      for (let bytes = 1; bytes < 2_000; bytes += 37) {
        const cold = JSON.stringify(yield* inWorld(world(many), search("needle", 10)).pipe(tight(bytes)))
        const warm = yield* inWorld(
          world(many),
          Effect.gen(function* () {
            yield* search("absent")
            yield* search("needle")
            return JSON.stringify(yield* search("needle", 10).pipe(tight(bytes)))
          })
        )
        assert.strictEqual(warm, cold, `${bytes}`)
      }
    })
  )

  it.effect("for terms of every kind", () =>
    Effect.gen(function* () {
      yield* later
      const given = world(many)
      yield* inWorld(
        given,
        Effect.gen(function* () {
          yield* search("absent")
          for (const query of [
            "needle",
            "n",
            "ne",
            "NEEDLE 1",
            "äö",
            "ÄÖ",
            "İ",
            "é",
            "i\u0307",
            "n17",
            "x.md",
            "zz",
            "xxxxxxx",
            "le 1"
          ]) {
            const warm = JSON.stringify(yield* search(query, 10))
            assert.strictEqual(warm, JSON.stringify(yield* inWorld(world(many), search(query, 10))), query)
          }
        })
      )
    })
  )

  it.effect("two processes share nothing", () =>
    Effect.gen(function* () {
      yield* later
      const given = world(notes)
      yield* found(given)
      given.tree.log.length = 0
      yield* found(given)
      assert.lengthOf(reads(given), 3)
    })
  )
})
