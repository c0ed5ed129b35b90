/** Seed 000 "Depth truncation is name-based": the look-ahead below max_depth. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dir, type Drawing, file, link } from "./given/Trees.ts"
import { found, nested, outcome, world } from "./given/World.ts"

const hit = "needle"
const deep = (below: Drawing): Drawing => ({ "a.md": hit, d: { "b.md": hit, e: below } })

describe("depth limit: a permitted name below it raises the flag, by its name alone", () => {
  const shallow = { limits: { max_depth: 2 } }

  it.effect("a permitted Markdown name there: the flag, though the query matches nothing in it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(deep({ "c.md": "no match" }), shallow), "a.md d/b.md …")
      assert.strictEqual(yield* outcome(deep(nested(5, { "c.md": "" })), shallow), "a.md d/b.md …")
    })
  )

  it.effect("the name is not opened, so it may be a link, a FIFO's or an untrusted file's", () =>
    Effect.gen(function* () {
      for (const thing of [
        link(),
        file(hit, { links: 5 }),
        file(hit, { mode: 0o666, owner: 1234 }),
        file("", { fails: { open: "io" } })
      ]) {
        const given = world(deep({ "c.md": thing }), shallow)
        assert.strictEqual(yield* found(given, hit), "a.md d/b.md …")
        assert.notInclude(given.tree.log.join("\n"), "c.md")
      }
    })
  )

  it.effect("denied, not allowed, hidden, odd and other names there: no flag", () =>
    Effect.gen(function* () {
      const below = {
        "c.txt": hit,
        ".c.md": hit,
        "c d.md": hit,
        "c.MD": hit,
        "p.md": hit,
        private: { "q.md": hit },
        ".git": { "x.md": hit }
      }
      assert.strictEqual(yield* outcome(deep(below), { ...shallow, deny: ["**/p.md", "**/private/**"] }), "a.md d/b.md")
      assert.strictEqual(
        yield* outcome(deep({ "c.md": hit }), { ...shallow, allow: ["*.md", "*/*.md"] }),
        "a.md d/b.md"
      )
      assert.strictEqual(yield* outcome(deep({}), shallow), "a.md d/b.md")
      assert.strictEqual(yield* outcome(deep({ "c.md": dir({}) }), shallow), "a.md d/b.md")
    })
  )

  it.effect("a fully denied directory there is not even opened", () =>
    Effect.gen(function* () {
      const given = world(deep({ private: { "q.md": hit } }), { ...shallow, deny: ["**/private/**"] })
      yield* found(given, hit)
      assert.notInclude(given.tree.log.join("\n"), "private")
    })
  )

  it.effect("only trusted directories are entered", () =>
    Effect.gen(function* () {
      const untrusted = [
        dir({ "c.md": hit }, { mode: 0o777 }),
        dir({ "c.md": hit }, { owner: 1234 }),
        dir({ "c.md": hit }, { mount: 9n }),
        link()
      ]
      for (const one of untrusted) {
        assert.strictEqual(yield* outcome(deep({ f: one }), shallow), "a.md d/b.md")
        assert.strictEqual(yield* outcome({ "a.md": hit, d: { "b.md": hit, e: one } }, shallow), "a.md d/b.md")
      }
      assert.strictEqual(
        yield* outcome(deep({ f: dir({ "c.md": hit }, { fails: { list: "io" } }) }), shallow),
        "a.md d/b.md"
      )
    })
  )

  it.effect("names that could not be an id do not count: beyond 16 segments or 512 characters", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(nested(15, { "c.md": hit }), shallow), "…")
      assert.strictEqual(yield* outcome(nested(16, { "c.md": hit }), shallow), "")
      assert.strictEqual(yield* outcome(nested(16, { "c.md": hit }), { limits: { max_depth: 16 } }), "")
      const long = (length: number) => nested(2, { e: { [`${"c".repeat(length - 205)}.md`]: hit } }, "d".repeat(99))
      assert.strictEqual(yield* outcome(long(400), shallow), "…")
      const longer = (length: number) => nested(4, { [`${"c".repeat(length - 4 * 100 - 3)}.md`]: hit }, "d".repeat(99))
      assert.strictEqual(yield* outcome(longer(512), shallow), "…")
      assert.strictEqual(yield* outcome(longer(513), shallow), "")
    })
  )

  it.effect("looking ahead charges raw entries, and a listing too many refuses the search", () =>
    Effect.gen(function* () {
      const notes = deep({ f: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x${i}`, ""])) })
      // The root has 2 entries, `d` has 2, `e` has 1, `f` has 20.
      assert.strictEqual(yield* outcome(notes, shallow, { rawEntries: 25 }), "a.md d/b.md")
      assert.strictEqual(yield* outcome(notes, shallow, { rawEntries: 24 }), "unavailable")
    })
  )

  it.effect("once something is known to be left out, nothing further is looked at", () =>
    Effect.gen(function* () {
      const given = world({ d: { e: { "c.md": "" }, f: { "g.md": "" } } }, shallow)
      assert.strictEqual(yield* found(given, hit), "…")
      assert.notInclude(given.tree.log.join("\n"), "/v/d/f")
    })
  )
})
