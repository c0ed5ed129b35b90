/** Seed 000: the exact meaning of a search's `truncated`, and the scan limits behind it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dir, type Drawing, file, link } from "./given/Trees.ts"
import { found, outcome, within, world } from "./given/World.ts"

const hit = "needle"
const limits = (total: number) => ({ limits: { snippet_chars: 6, total_chars: total } })

describe("result limits: the flag means that matching notes were left out", () => {
  const three = { "a.md": hit, "b.md": hit, "c.md": hit, "d.md": "other" }

  it.effect("fewer or exactly as many matches as results: no flag", () =>
    Effect.gen(function* () {
      const limits = { max_results: 3, default_results: 3 }
      assert.strictEqual(yield* outcome(three, { limits }), "a.md b.md c.md")
      assert.strictEqual(yield* found(world(three), hit, 3), "a.md b.md c.md")
    })
  )

  it.effect("one match more than results: the flag, by request, default or policy", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(world(three), hit, 2), "a.md b.md …")
      assert.strictEqual(yield* found(world(three, { limits: { default_results: 2 } }), hit), "a.md b.md …")
      assert.strictEqual(yield* outcome(three, { limits: { max_results: 1, default_results: 1 } }), "a.md …")
    })
  )

  it.effect("an answer cut to total_chars: the flag", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(three, limits(30)), "a.md b.md c.md")
      assert.strictEqual(yield* outcome(three, limits(29)), "a.md b.md …")
      assert.strictEqual(yield* outcome(three, limits(6)), "…")
    })
  )

  it.effect("a clipped snippet alone: no flag", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome({ "a.md": hit.repeat(1_000) }, { limits: { snippet_chars: 10 } }), "a.md")
    })
  )
})

describe("entry limit: permitted Markdown names are counted, in order, whatever they are", () => {
  const two = { limits: { max_entries: 2 } }

  it.effect("exactly as many as may be: no flag; one more: the flag, and it is not opened", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome({ "a.md": hit, "b.md": hit }, two), "a.md b.md")
      const given = world({ "a.md": hit, "b.md": hit, "c.md": hit, d: { "e.md": hit } }, two)
      assert.strictEqual(yield* found(given, hit, 10), "a.md b.md …")
      assert.notInclude(given.tree.log.join("\n"), "/v/c.md")
      assert.notInclude(given.tree.log.join("\n"), "/v/d")
    })
  )

  it.effect("the one too many need not match the query, nor be a readable note", () =>
    Effect.gen(function* () {
      for (const third of [
        "no match",
        link(),
        file(hit, { links: 2 }),
        file(hit, { mode: 0o666 }),
        file(new Uint8Array([255]))
      ]) {
        assert.strictEqual(yield* outcome({ "a.md": hit, "b.md": hit, "c.md": third }, two), "a.md b.md …")
        assert.strictEqual(yield* outcome({ "a.md": third, "b.md": hit, "c.md": hit }, two), "b.md …")
      }
    })
  )

  it.effect("names that are denied, not allowed, hidden, odd or not Markdown do not count", () =>
    Effect.gen(function* () {
      const others = {
        "0.md": hit,
        "a0.md": hit,
        ".a.md": hit,
        "a b.md": hit,
        "a.txt": hit,
        x: { "y.md": hit },
        é: { "a.md": hit }
      }
      const policy = { ...two, allow: ["*.md", "x/**"], deny: ["0.md", "a0.*", "x/**"] }
      assert.strictEqual(yield* outcome({ ...others, "a.md": hit, "b.md": hit }, policy), "a.md b.md")
    })
  )

  it.effect("directories do not count, wherever they stand", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* outcome({ a: {}, "b.md": dir({ "c.md": hit }), d: { e: { "f.md": hit } } }, two),
        "b.md/c.md d/e/f.md"
      )
    })
  )
})

const note = (bytes: number) => hit.padEnd(bytes, "x")
const failing = (readAfter: number) => file(note(5_000), { fails: { read: "io", readAfter } })

describe("byte limit: checked before each file, so the last one may overshoot", () => {
  it.effect("a file larger than what is left is still read whole, and the next one is not", () =>
    Effect.gen(function* () {
      const notes = { "a.md": note(99), "b.md": note(5_000), "c.md": hit }
      assert.strictEqual(yield* outcome(notes, {}, { bytes: 100 }), "a.md b.md …")
    })
  )

  it.effect("used up exactly: a further candidate raises the flag, none does not", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome({ "a.md": note(100) }, {}, { bytes: 100 }), "a.md")
      assert.strictEqual(yield* outcome({ "a.md": note(100), "b.md": "no match" }, {}, { bytes: 100 }), "a.md …")
      assert.strictEqual(yield* outcome({ "a.md": note(99), "b.md": hit }, {}, { bytes: 100 }), "a.md b.md")
    })
  )

  it.effect("bytes of files that are then refused for their content are charged", () =>
    Effect.gen(function* () {
      const binary = file(`${"x".repeat(99)}\0`)
      const latin = file(new Uint8Array(100).fill(0xe9))
      for (const refused of [binary, latin]) {
        assert.strictEqual(yield* outcome({ "a.md": refused, "b.md": hit }, {}, { bytes: 100 }), "…")
        assert.strictEqual(yield* outcome({ "a.md": refused, "b.md": hit }, {}, { bytes: 101 }), "b.md")
      }
    })
  )

  it.effect("a read that fails part-way charges what it consumed", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome({ "a.md": failing(100), "b.md": hit }, {}, { bytes: 100 }), "…")
      assert.strictEqual(yield* outcome({ "a.md": failing(99), "b.md": hit }, {}, { bytes: 100 }), "b.md")
      assert.strictEqual(yield* outcome({ "a.md": failing(0), "b.md": hit }, {}, { bytes: 1 }), "b.md")
    })
  )

  it.effect("a file that grew or shrank is charged for what was read of it", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* outcome({ "a.md": file(note(500), { size: 99 }), "b.md": hit }, {}, { bytes: 100 }),
        "…"
      )
      assert.strictEqual(
        yield* outcome({ "a.md": file(note(50), { size: 99 }), "b.md": hit }, {}, { bytes: 100 }),
        "b.md"
      )
    })
  )

  it.effect("files that metadata refuses cost nothing", () =>
    Effect.gen(function* () {
      const free = [
        file(note(5_000), { links: 2 }),
        file(note(5_000), { mount: 99n }),
        file(note(5_000), { mode: 0o666 }),
        file(note(5_000), { size: 300_000 }),
        link()
      ]
      for (const refused of free) {
        assert.strictEqual(yield* outcome({ "a.md": refused, "b.md": hit }, {}, { bytes: 1 }), "b.md")
      }
    })
  )

  it.effect("the product's own budget is 16 MiB", () =>
    Effect.gen(function* () {
      const notes = Object.fromEntries(Array.from({ length: 18 }, (_, i) => [`n${10 + i}.md`, note(1_048_576)]))
      const limits = { max_file_bytes: 1_048_576 }
      assert.match(yield* found(world(notes, { limits }), "absent"), /^…$/)
      const { "n27.md": _, "n26.md": __, ...sixteen } = notes
      assert.strictEqual(yield* found(world(sixteen, { limits }), "absent"), "")
    })
  )
})

const names = (count: number): Drawing => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, ""]))
const undecodable = () => world(dir({ "a.md": hit }, { undecodable: 9 }))

describe("raw entry ceiling: refuses the whole search", () => {
  it.effect("50,000 entries are seen through, 50,001 are not", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(world({ ...names(49_999), "a.md": hit })), "a.md")
      assert.strictEqual(yield* found(world({ ...names(50_000), "a.md": hit })), "unavailable")
    })
  )

  it.effect("counted over all directories, with entries of every kind", () =>
    Effect.gen(function* () {
      const notes = { a: names(4), b: { c: names(4) }, ".h": "", "d e": "", "z.md": hit }
      // 5 in the root, 4 in `a`, 1 in `b`, 4 in `b/c`.
      assert.strictEqual(yield* outcome(notes, {}, { rawEntries: 14 }), "z.md")
      assert.strictEqual(yield* outcome(notes, {}, { rawEntries: 13 }), "unavailable")
    })
  )

  it.effect("entries with undecodable names count as well", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(undecodable()).pipe(within({ rawEntries: 10 })), "a.md")
      assert.strictEqual(yield* found(undecodable()).pipe(within({ rawEntries: 9 })), "unavailable")
    })
  )

  it.effect("matches found before are not answered, and the operator learns why", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": hit, b: names(10) })
      assert.strictEqual(yield* found(given).pipe(within({ rawEntries: 5 })), "unavailable")
      assert.deepStrictEqual(given.logged[0]?.annotations, { call: "search", reason: "raw_entries" })
    })
  )

  it.effect("a directory that is denied or not allowed is not listed, so what it holds counts nothing", () =>
    Effect.gen(function* () {
      const notes = { "a.md": hit, private: names(1_000), other: names(1_000) }
      const policy = { allow: ["*.md", "private/**"], deny: ["private/**"] }
      assert.strictEqual(yield* outcome(notes, policy, { rawEntries: 3 }), "a.md")
    })
  )
})
