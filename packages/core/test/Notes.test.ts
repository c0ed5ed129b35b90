/** Seed 000 "Tools": what search and read answer. */
import { assert, describe, it } from "@effect/vitest"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import { continuationNote } from "@memory-bridge/core/notes/Notes"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { inVersion1 } from "../../../tests/support/PolicyVersion.ts"
import { dir, type Drawing, file, link } from "./given/Trees.ts"
import { found, ids, inWorld, nested, read, search, world } from "./given/World.ts"

const examples = new URL("../../../examples/", import.meta.url)
const drawingOf = (folder: URL): Drawing =>
  Object.fromEntries(
    readdirSync(folder).map((name) => {
      const inner = new URL(name, folder)
      return [name, statSync(inner).isDirectory() ? dir(drawingOf(new URL(`${name}/`, folder))) : readFileSync(inner)]
    })
  )
const example = () => {
  const { version: _, ...policy } = JSON.parse(readFileSync(new URL("policy.example.json", examples), "utf8"))
  return world(drawingOf(new URL("memory/", examples)), { ...policy, root: "/v" })
}

const results = (answer: PublicAnswer) => (answer.ok && "results" in answer ? answer.results : assert.fail(ids(answer)))

describe("the bundled notes under the example policy answer as the seed shows", () => {
  const expectedSearch = `{"ok": true, "results": [
    {"id": "decisions/watering.md", "title": "Watering decision", "snippet": "# Watering decision Synthetic memory: water the garden at dawn using collected rainwater."},
    {"id": "projects/garden.md", "title": "Lantern Garden", "snippet": "# Lantern Garden Synthetic memory: plant blue asters beside the east gate. Opening day is April 12."},
    {"id": "workflows/visit.md", "title": "Garden visit", "snippet": "# Garden visit Synthetic memory: bring a notebook and count the blue asters."}
    ], "truncated": false}`
  const expectedRead = `{"ok": true, "id": "projects/garden.md", "content": "# Lantern Garden\\n\\nSynthetic memory: plant blue asters beside the east gate. Opening day is April 12.\\n", "truncated": false}`

  it.effect("a search for garden, byte for byte", () =>
    Effect.gen(function* () {
      const answer = yield* inWorld(example(), search("garden"))
      assert.strictEqual(JSON.stringify(answer), JSON.stringify(JSON.parse(expectedSearch)))
    })
  )

  it.effect("a read, byte for byte", () =>
    Effect.gen(function* () {
      const answer = yield* inWorld(example(), read("projects/garden.md"))
      assert.strictEqual(JSON.stringify(answer), JSON.stringify(JSON.parse(expectedRead)))
    })
  )

  it.effect("neither the denied nor the not allowed note is ever read", () =>
    Effect.gen(function* () {
      const given = example()
      yield* inWorld(
        given,
        Effect.all([search("budget"), read("projects/private/budget.md"), read("people/contact.md")])
      )
      const log = given.tree.log.join("\n")
      for (const path of ["/v/people", "/v/projects/private"]) assert.notInclude(log, path)
    })
  )
})

describe("which notes are found", () => {
  const hit = "needle"
  it.effect("those whose text, title or id holds a term, in any case", () =>
    Effect.gen(function* () {
      const notes = { "a.md": "NEEDLE", "b.md": "# Needle", "needle-c.md": "x", needle: { "d.md": "x" }, "e.md": "x" }
      assert.strictEqual(yield* found(world(notes)), "a.md b.md needle/d.md needle-c.md")
    })
  )

  it.effect("a sentence finds every note that has one of its words, most words first", () =>
    Effect.gen(function* () {
      const notes = { "a.md": "blue", "b.md": "blue asters gate", "c.md": "asters blue", "d.md": "none" }
      assert.strictEqual(yield* found(world(notes), "blue asters by the east gate"), "b.md c.md a.md")
    })
  )

  it.effect("equal ones in path order, segment by segment, whatever order the directory lists", () =>
    Effect.gen(function* () {
      const notes = { "b.md": hit, "a.md": hit, B: { "x.md": hit }, a: { "z.md": hit, "a.md": hit }, "A.md": hit }
      assert.strictEqual(yield* found(world(notes), "needle", 10), "A.md B/x.md a/a.md a/z.md a.md b.md")
    })
  )

  it.effect("names that differ by case, space or underscore alone are notes of their own (case 44)", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(world({ "a_b.md": hit, "A_B.md": hit, "a-b.md": hit })), "A_B.md a-b.md a_b.md")
    })
  )

  it.effect("hidden, odd and other names are not, whatever they hold (cases 39, 40)", () =>
    Effect.gen(function* () {
      const odd = {
        ".a.md": hit,
        "a b.md": hit,
        "é.md": hit,
        "🎉.md": hit,
        "x[1].md": hit,
        "a.MD": hit,
        "a.txt": hit,
        md: hit
      }
      const directories = { ".git": { "a.md": hit }, "a b": { "a.md": hit }, "a.md": dir({ "b.txt": hit }) }
      assert.strictEqual(yield* found(world({ ...odd, ...directories, "ok.md": hit })), "ok.md")
    })
  )

  it.effect("a directory may be named like a note, and a note of another root is none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(world({ "a.md": dir({ "b.md": hit }) })), "a.md/b.md")
    })
  )

  it.effect("no match is an answer, not an error", () =>
    Effect.gen(function* () {
      const answer = yield* inWorld(world({ "a.md": "x" }), search("absent"))
      assert.deepStrictEqual(answer, { ok: true, results: [], truncated: false } as never)
      assert.strictEqual(yield* found(world({})), "")
    })
  )

  it.effect("a byte order mark is not part of a note (case 48)", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": "\ufeff# Needle" })
      const [answer, content] = yield* inWorld(given, Effect.all([search("needle"), read("a.md")]))
      assert.deepStrictEqual(results(answer)[0], { id: "a.md", title: "Needle", snippet: "# Needle" } as never)
      assert.deepStrictEqual(content, { ok: true, id: "a.md", content: "# Needle", truncated: false } as never)
    })
  )

  it.effect("a note without a heading has no title key", () =>
    Effect.gen(function* () {
      const [first] = results(yield* inWorld(world({ "a.md": "needle" }), search("needle")))
      assert.deepStrictEqual(Object.keys(first ?? {}), ["id", "snippet"])
    })
  )
})

const many = (count: number, text = "needle"): Drawing =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${String(i).padStart(2, "0")}.md`, text]))

const amount = (policy: object, limit?: number, notes = many(12)) =>
  Effect.map(inWorld(world(notes, policy), search("needle", limit)), (answer) => results(answer).length)

describe("how many results and how long", () => {
  it.effect("the policy's default_results, unless the request says otherwise; never more than max_results", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* amount({}), 5)
      assert.strictEqual(yield* amount({}, 10), 10)
      assert.strictEqual(yield* amount({}, 1), 1)
      assert.strictEqual(yield* amount({ limits: { default_results: 2 } }), 2)
      assert.strictEqual(yield* amount({ limits: { default_results: 2, max_results: 3 } }, 10), 3)
      assert.strictEqual(yield* amount({ limits: { default_results: 1, max_results: 1 } }, 10), 1)
    })
  )

  it.effect("ids, titles and snippets together have at most total_chars characters", () =>
    Effect.gen(function* () {
      // Each result: 6 of id and 6 of snippet.
      const expected = { 6: 0, 11: 0, 12: 1, 23: 1, 24: 2, 59: 4, 60: 5 }
      for (const [total, results] of Object.entries(expected)) {
        const limits = { total_chars: Number(total), snippet_chars: 6 }
        assert.strictEqual(yield* amount({ limits }, 5), results, total)
      }
      // A title counts as well: 6 of id, 1 of title, 3 of snippet.
      const titled = world(many(3, "# T\n"), { limits: { total_chars: 20, snippet_chars: 3 } })
      assert.lengthOf(results(yield* inWorld(titled, search("t"))), 2)
    })
  )

  it.effect("characters are code points", () =>
    Effect.gen(function* () {
      const emoji = { "a.md": "🎉".repeat(100), "b.md": "🎉".repeat(100) }
      const policy = { limits: { snippet_chars: 100, total_chars: 208 } }
      assert.lengthOf(results(yield* inWorld(world(emoji, policy), search("🎉"))), 2)
    })
  )

  it.effect("each snippet has at most snippet_chars and holds the match", () =>
    Effect.gen(function* () {
      const text = `${"lorem ipsum ".repeat(2_000)} needle ${"dolor sit ".repeat(2_000)}`
      for (const limit of [40, 100, 300]) {
        const [first] = results(
          yield* inWorld(world({ "a.md": text }, { limits: { snippet_chars: limit } }), search("needle"))
        )
        assert.isAtMost([...(first?.snippet ?? "")].length, limit)
        assert.include(first?.snippet, "needle")
      }
    })
  )
})

const content = (text: string, limits: object = {}) =>
  Effect.map(inWorld(world({ "a.md": text }, { limits }), read("a.md")), (answer) =>
    answer.ok && "content" in answer ? [answer.content, answer.truncated] : assert.fail(ids(answer))
  )

describe("what read gives", () => {
  // Version 2 goes on by lines, and says with which one.
  const note = inVersion1 ? "\n\n[Truncated: the document is longer than this.]\n" : continuationNote(2)

  it.effect("the whole text as it stands, line ends and white space included", () =>
    Effect.gen(function* () {
      for (const text of ["", "\n", "a\r\nb\r\n\tc  \n", "---\na: b\n---\n# T", "🎉e\u0301"]) {
        assert.deepStrictEqual(yield* content(text), [text, false])
      }
    })
  )

  it.effect("control characters replaced (case 50)", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* content("a\u001b[2J\u0007b\u0085"), ["a\ufffd[2J\ufffdb\ufffd", false])
    })
  )

  it.effect("at most read_chars characters of it, then a visible note and the flag", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* content("a".repeat(8_000)), ["a".repeat(8_000), false])
      assert.deepStrictEqual(yield* content("a".repeat(8_001)), ["a".repeat(8_000) + note, true])
      assert.deepStrictEqual(yield* content("abcdef", { read_chars: 6 }), ["abcdef", false])
      assert.deepStrictEqual(yield* content("abcdef", { read_chars: 5 }), ["abcde" + note, true])
      assert.deepStrictEqual(yield* content("🎉🎉🎉", { read_chars: 3 }), ["🎉🎉🎉", false])
      assert.deepStrictEqual(yield* content("🎉🎉🎉", { read_chars: 2 }), ["🎉🎉" + note, true])
      assert.deepStrictEqual(yield* content("ae\u0301b", { read_chars: 2 }), ["a" + note, true])
    })
  )

  it.effect("the id byte for byte, and only for the exact id (case 69)", () =>
    Effect.gen(function* () {
      const given = world({ "Node-A.md": "a", "node-c.md": "c" })
      const answers = yield* inWorld(given, Effect.forEach(["Node-A.md", "node-a.md", "Node-C.md", "Node-A"], read))
      assert.deepStrictEqual(
        answers.map(({ ok }) => ok),
        [true, false, false, false]
      )
    })
  )

  it.effect("documents as deep as max_depth and no deeper", () =>
    Effect.gen(function* () {
      const cases = [
        [8, {}, true],
        [9, {}, false],
        [16, { max_depth: 16 }, true],
        [1, { max_depth: 1 }, true],
        [2, { max_depth: 1 }, false]
      ] as const
      for (const [segments, limits, served] of cases) {
        const id = `${"d/".repeat(segments - 1)}a.md`
        const given = world(nested(segments - 1, { "a.md": "needle" }), { limits })
        assert.strictEqual((yield* inWorld(given, read(id))).ok, served, id)
        assert.strictEqual((yield* found(given)) === id, served, "search agrees")
      }
    })
  )
})

const longest = (length: number) => nested(2, { [`${"b".repeat(length - 400 - 3)}.md`]: "needle" }, "a".repeat(199))

describe("every id that search returns is accepted by read", () => {
  it.effect("up to 512 characters and 16 segments; longer ones are not returned", () =>
    Effect.gen(function* () {
      for (const length of [511, 512, 513, 600]) {
        const given = world(longest(length))
        const answer = yield* inWorld(given, search("needle"))
        assert.deepStrictEqual(
          results(answer).map(({ id }) => id.length),
          length <= 512 ? [length] : []
        )
        for (const { id } of results(answer)) assert.isTrue((yield* inWorld(given, read(id))).ok)
      }
      const deep = world(nested(16, { "a.md": "needle" }), { limits: { max_depth: 16 } })
      assert.strictEqual(yield* found(deep), "")
    })
  )
})

describe("links are never followed", () => {
  it.effect("to a note, to a directory, out of the root or within it (cases 1, 8)", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": file("needle"), "l.md": link("a.md"), d: link("/v/e"), e: { "b.md": "needle" } })
      assert.strictEqual(yield* found(given), "a.md e/b.md")
      const answers = yield* inWorld(given, Effect.forEach(["l.md", "d/b.md"], read))
      assert.deepStrictEqual(answers.map(ids), ["not_found_or_denied", "not_found_or_denied"])
    })
  )
})
