/**
 * design.md section 8: a kept text is given only behind the full check of a freshly opened descriptor. A search may choose
 * by a glance; whatever it shows is opened and judged once more.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { policyText } from "./given/Policies.ts"
import { dir, type Drawing, file } from "./given/Trees.ts"
import { ids, inWorld, policyPath, search, within, type World, world } from "./given/World.ts"

const notes: Drawing = { "a.md": "needle a", d: { "b.md": "needle b" }, "c.md": "other" }
const asked = Effect.map(search("needle"), ids)
/** Later than every note of a drawn tree, so that texts are kept. */
const later = TestClock.setTime(Date.UTC(2024, 0))

/** What is there at first, and after a change that a warm search meets. */
const changing = (given: World, change: (given: World) => void) =>
  Effect.gen(function* () {
    yield* later
    return yield* inWorld(
      given,
      Effect.gen(function* () {
        yield* asked
        yield* asked
        change(given)
        return yield* asked
      })
    )
  })

const opens = (given: World) => given.tree.log.splice(0).filter((line) => line.startsWith("open /v/"))

describe("what a warm search opens", () => {
  it.effect("directories, and the notes that its answer shows", () =>
    Effect.gen(function* () {
      const given = world({ ...notes, ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`n${i}.md`, "x"])) })
      yield* changing(given, () => given.tree.log.splice(0))
      assert.deepStrictEqual([...new Set(opens(given))], ["open /v/d", "open /v/a.md", "open /v/d/b.md"])
    })
  )

  it.effect("every note, where an entry's facts are not told at a glance", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": "needle", "c.md": file("other", { fails: { glance: true } }) })
      yield* changing(given, () => given.tree.log.splice(0))
      assert.deepStrictEqual([...new Set(opens(given))], ["open /v/c.md", "open /v/a.md"])
    })
  )

  it.effect("a note with an access control list, every time", () =>
    Effect.gen(function* () {
      const acl = { kind: "entries", entries: [{ subject: { kind: "owner" }, write: true }] } as const
      const given = world({ "a.md": "needle", "c.md": file("other", { acl }) })
      yield* changing(given, () => given.tree.log.splice(0))
      assert.include(opens(given), "open /v/c.md")
    })
  )
})

describe.each([
  ["in the order of ids", {}],
  ["by relevance", { version: 2 }]
])("what a glance cannot see still refuses what would be shown, %s", (_, policy) => {
  const unseen = { modified: 1n, changed: 1n } as const
  const settled: Drawing = { "a.md": file("needle a", unseen), d: { "b.md": "needle b" } }

  it.effect.each([
    ["it cannot be opened any more", { fails: { open: "not_permitted" } }],
    ["its access control list lets others write", { acl: { kind: "refused", reason: "acl_foreign" } }],
    ["its facts cannot be told once it is open", { fails: { facts: "io" } }]
  ] as const)("%s", ([, as]) =>
    Effect.gen(function* () {
      const given = world(settled, policy)
      assert.strictEqual(yield* changing(given, ({ tree }) => tree.edit("/v/a.md", { ...as, ...unseen })), "d/b.md")
    })
  )

  it.effect("another note stands there by the time it is opened", () =>
    Effect.gen(function* () {
      const given = world(settled, policy)
      // Between the glance and the opening: the directory before it is listed in between.
      const swap = () => given.tree.put("/v/a.md", "something else")
      const answer = changing(given, ({ tree }) => tree.edit("/v/d", { after: { facts: swap } }))
      assert.strictEqual(yield* answer, "d/b.md")
    })
  )

  it.effect("its directory lets others write by the time it is opened", () =>
    Effect.gen(function* () {
      const given = world({ d: dir({ "b.md": "needle b" }), e: {} }, policy)
      const spoil = () => given.tree.edit("/v/d", { mode: 0o777 })
      assert.strictEqual(yield* changing(given, ({ tree }) => tree.edit("/v/e", { after: { facts: spoil } })), "")
    })
  )

  it.effect("it was rewritten by the time it is opened, and what it says now is what counts", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": "needle a", d: {}, "z.md": "needle z" }, policy)
      const rewrite = () => given.tree.edit("/v/a.md", { content: "other" })
      assert.strictEqual(yield* changing(given, ({ tree }) => tree.edit("/v/d", { after: { facts: rewrite } })), "z.md")
    })
  )

  it.effect("it was rewritten by the time it is opened, and still is what was asked for", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": "needle a", d: {}, "z.md": "other" }, policy)
      const rewrite = () => given.tree.edit("/v/a.md", { content: "needle anew" })
      assert.strictEqual(yield* changing(given, ({ tree }) => tree.edit("/v/d", { after: { facts: rewrite } })), "a.md")
    })
  )

  it.effect("another note that is known as well has taken its name by the time it is opened", () =>
    Effect.gen(function* () {
      const known = { inode: 5n, ...unseen }
      const given = world({ "a.md": "needle a", "c.md": file("other", known), d: {} }, policy)
      const rename = () => given.tree.put("/v/a.md", file("other", known))
      assert.strictEqual(yield* changing(given, ({ tree }) => tree.edit("/v/d", { after: { facts: rename } })), "")
    })
  )

  it.effect("a note is rewritten as it is read for a word within words", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": file("pinneedles", unseen), "b.md": "needle b" }, policy)
      const rewrite = () => given.tree.edit("/v/a.md", { content: "needle itself" })
      const first = yield* changing(given, ({ tree }) => tree.edit("/v/a.md", { after: { open: rewrite }, ...unseen }))
      assert.deepStrictEqual(first.split(" ").toSorted(), ["a.md", "b.md"])
    })
  )

  it.effect("a word is looked for within words, and the note that is read for it has changed", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": file("pinneedles", unseen), "b.md": "needle b" }, policy)
      assert.strictEqual(
        yield* changing(given, ({ tree }) => tree.edit("/v/a.md", { fails: { open: "not_permitted" }, ...unseen })),
        "b.md"
      )
    })
  )
})

it.effect("a search refuses where no memory is left to read a note for a word within words", () =>
  Effect.gen(function* () {
    const unseen = { modified: 1n, changed: 1n } as const
    const given = world({ "a.md": file("pinneedles", unseen), "b.md": "needle b" }, { version: 2 })
    const asked = changing(given, ({ tree }) => tree.edit("/v/a.md", { fails: { read: "exhausted" }, ...unseen }))
    assert.strictEqual(yield* asked, "unavailable")
  })
)

describe("what was kept under one policy is judged by the next", () => {
  const two = (trust: object) => policyText({ version: 2, ranking: "path", trust })

  it.effect.each([
    ["a group that may no longer write", { groups: [50] }, { mode: 0o664, group: 50 }],
    ["links that are no longer accepted", { hard_links: true }, { links: 2 }]
  ] as const)("%s", ([, trust, as]) =>
    Effect.gen(function* () {
      const given = world({ "a.md": file("needle", as), "b.md": "needle" }, { version: 2, ranking: "path", trust })
      yield* later
      yield* inWorld(
        given,
        Effect.gen(function* () {
          assert.strictEqual(yield* asked, "a.md b.md")
          assert.strictEqual(yield* asked, "a.md b.md")
          given.tree.edit(policyPath, { content: two({}) })
          given.tree.log.splice(0)
          assert.strictEqual(yield* asked, "b.md")
          given.tree.edit(policyPath, { content: two(trust) })
          assert.strictEqual(yield* asked, "a.md b.md")
        })
      )
    })
  )

  it.effect.each([
    ["that is now too large", {}, {}, { limits: { max_file_bytes: 8 } }],
    ["of a group that may no longer write", { mode: 0o664, group: 50 }, { trust: { groups: [50] } }, {}],
    ["with links that are no longer accepted", { links: 2 }, { trust: { hard_links: true } }, {}]
  ] as const)("a note %s counts for nothing, not even as left out", ([, as, first, then]) =>
    Effect.gen(function* () {
      const given = world(
        { "a.md": "needle", "b.md": file("needle and more", as) },
        { version: 2, ranking: "path", ...first }
      )
      const one = Effect.map(search("needle", 1), ids)
      yield* later
      yield* inWorld(
        given,
        Effect.gen(function* () {
          // Once to keep the notes, once to pass them at a glance.
          assert.strictEqual(yield* one, "a.md …")
          assert.strictEqual(yield* one, "a.md …")
          given.tree.edit(policyPath, { content: policyText({ version: 2, ranking: "path", ...then }) })
          assert.strictEqual(yield* one, "a.md")
        })
      )
    })
  )
})

describe("what a directory listed before", () => {
  it.effect.each<readonly [string, (given: World) => void, string]>([
    ["a note that came", ({ tree }) => tree.put("/v/d/e.md", "needle e"), "a.md d/b.md d/e.md"],
    ["a note that went", ({ tree }) => tree.remove("/v/d/b.md"), "a.md"],
    ["a directory that came", ({ tree }) => tree.put("/v/d/e", dir({ "f.md": "needle" })), "a.md d/b.md d/e/f.md"],
    ["a note in place of a directory", ({ tree }) => tree.put("/v/d", "needle"), "a.md"]
  ])("%s is seen at once", ([, change, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* changing(world(notes), change), expected)
    })
  )

  it.effect("is not asked for again while it is as it was, and still counts", () =>
    Effect.gen(function* () {
      const given = world(notes)
      assert.strictEqual(yield* changing(given, () => given.tree.log.splice(0)), "a.md d/b.md")
      assert.deepStrictEqual(
        given.tree.log.filter((line) => line.startsWith("list")),
        []
      )
    })
  )

  it.effect("still counts against the ceiling of entries", () =>
    Effect.gen(function* () {
      yield* later
      yield* inWorld(
        world({ a: notes, b: notes }),
        Effect.gen(function* () {
          for (const [rawEntries, expected] of [
            [10, "a/a.md a/d/b.md b/a.md b/d/b.md"],
            [10, "a/a.md a/d/b.md b/a.md b/d/b.md"],
            [9, "unavailable"],
            [6, "unavailable"],
            [2, "unavailable"]
          ] as const)
            assert.strictEqual(yield* asked.pipe(within({ rawEntries })), expected, `${rawEntries}`)
        })
      )
    })
  )

  it.effect("is asked for every time, where nothing promises that its facts would show a change", () =>
    Effect.gen(function* () {
      const given = world({ ...notes, d: dir({ "b.md": "needle b" }, { fails: { lasting: true } }) })
      yield* changing(given, () => given.tree.log.splice(0))
      assert.include(given.tree.log, "list /v/d")
    })
  )
})
