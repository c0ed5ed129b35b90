/** Seed 000 "Tools", "Errors": the model's arguments, validated strictly; a hint never repeats a value. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readRequest, searchRequest } from "@memory-bridge/core/notes/Request"

const outcome = (result: Result.Result<unknown, { readonly hint: string }>): string =>
  Result.isSuccess(result) ? "accepted" : result.failure.hint

const hintOfSearch = (args: unknown) => outcome(searchRequest(args))
const hintOfRead = (args: unknown) => outcome(readRequest(args))

const noObjects = [undefined, null, "garden", 5, true, [], [{ query: "garden" }], ["query", "garden"]]

describe("search takes a query and perhaps a limit", () => {
  it("as they stand", () => {
    assert.deepStrictEqual(searchRequest({ query: "garden" }), Result.succeed({ query: "garden", limit: undefined }))
    assert.deepStrictEqual(searchRequest({ query: " A b ", limit: 3 }), Result.succeed({ query: " A b ", limit: 3 }))
    assert.deepStrictEqual(
      searchRequest({ limit: 10, query: "会議 🎉" }),
      Result.succeed({ query: "会議 🎉", limit: 10 })
    )
  })

  it("arguments of another shape: the hint names both", () => {
    for (const args of [
      ...noObjects,
      { query: "a", path: "/etc" },
      { query: "a", id: "a.md" },
      { Query: "a" },
      { "": 1 }
    ]) {
      assert.match(hintOfSearch(args), /pass only query .*limit/, JSON.stringify(args))
    }
    assert.match(hintOfSearch(JSON.parse(`{"query": "a", "__proto__": {"limit": 1}}`)), /pass only query/)
  })

  it("a query that is not text, blank or of control characters: the hint speaks of the query", () => {
    const bad = [undefined, null, 5, true, [], ["a"], {}, "", " ", "\t", "\u3000 ", "a\0", "a\nb", "a\tb", "\u001b[2J"]
    for (const query of [...bad, "a\u007f", "a\u0085", "a\u2028b", "a\u2029b", "a\ud800", "\udc00"]) {
      assert.match(hintOfSearch({ query }), /^query must be text/, JSON.stringify(query))
    }
    assert.match(hintOfSearch({}), /^query must be text/)
    assert.match(hintOfSearch({ limit: 5 }), /^query must be text/)
  })

  it("a query has at most 256 characters, counted in code points", () => {
    for (const one of ["a", "é", "🎉", "茶"]) {
      assert.strictEqual(hintOfSearch({ query: one.repeat(256) }), "accepted")
      assert.match(hintOfSearch({ query: one.repeat(257) }), /^query must be text of 1 to 256/)
    }
    assert.match(hintOfSearch({ query: "a".repeat(10_000_000) }), /^query/)
  })

  it("queries that look like paths, patterns or markup are only text", () => {
    for (const query of ["../../etc/passwd", "/etc/passwd", "**", "(a+)+$", `"open`, "$(id)", "%", "a AND", "<b>"]) {
      assert.strictEqual(hintOfSearch({ query }), "accepted", query)
    }
  })

  it("a limit that is not a whole number from 1 to 10: the hint speaks of the limit", () => {
    for (const limit of [
      null,
      undefined,
      0,
      -1,
      11,
      1.5,
      1e300,
      NaN,
      Infinity,
      -Infinity,
      "5",
      "",
      true,
      [],
      [5],
      {}
    ]) {
      assert.match(hintOfSearch({ query: "a", limit }), /^limit must be a whole number from 1 to 10$/, String(limit))
    }
    for (let limit = 1; limit <= 10; limit++) assert.strictEqual(hintOfSearch({ query: "a", limit }), "accepted")
  })
})

describe("read takes an id", () => {
  it("as search returned it", () => {
    assert.deepStrictEqual(readRequest({ id: "projects/garden.md" }), Result.succeed("projects/garden.md") as never)
  })

  it("arguments of another shape: the hint names it", () => {
    for (const args of [...noObjects, { id: "a.md", root: "/" }, { id: "a.md", home: "/h/eve" }, { ID: "a.md" }]) {
      assert.match(hintOfRead(args), /pass only id/, JSON.stringify(args))
    }
    assert.match(hintOfRead(JSON.parse(`{"id": "a.md", "__proto__": null}`)), /pass only id/)
  })

  it("an id that is not one: the hint says what an id is", () => {
    const bad = [
      undefined,
      null,
      5,
      true,
      [],
      ["a.md"],
      {},
      "",
      "/a.md",
      "../a.md",
      "a/../b.md",
      "./a.md",
      "a//b.md",
      "a/"
    ]
    const more = ["a.md\0", "a\nb.md", "..\\a.md", "\ud800.md", "a".repeat(513), Array(17).fill("a").join("/")]
    for (const id of [...bad, ...more]) {
      assert.match(hintOfRead({ id }), /^id must be a relative path of 1 to 512 characters and at most 16 segments/)
    }
    assert.match(hintOfRead({}), /^id must be/)
  })

  it("an id that can never be served is still well formed, so that it is not told from a missing one", () => {
    for (const id of [".git/config", "a.txt", "a b.md", "é.md", "private/x.md", "a.MD", "~/a.md", "%2e%2e/a.md"]) {
      assert.strictEqual(hintOfRead({ id }), "accepted", id)
    }
  })
})

describe("no hint repeats a value or a name that was passed", () => {
  const secret = "S3CRET"
  it("in search", () => {
    const args = [
      secret,
      [secret],
      { [secret]: 1 },
      { query: "a", [secret]: 1 },
      { query: `${secret}\0` },
      { query: secret.repeat(100) },
      { query: [secret] },
      { query: "a", limit: secret },
      { query: "a", limit: { [secret]: 1 } }
    ]
    for (const one of args) {
      assert.notStrictEqual(hintOfSearch(one), "accepted")
      assert.notInclude(JSON.stringify(searchRequest(one)), secret)
    }
  })

  it("in read", () => {
    for (const one of [
      secret,
      [secret],
      { [secret]: 1 },
      { id: `/${secret}` },
      { id: `../${secret}` },
      { id: [secret] }
    ]) {
      assert.notStrictEqual(hintOfRead(one), "accepted")
      assert.notInclude(JSON.stringify(readRequest(one)), secret)
    }
  })
})
