/**
 * No argument of any tool leads out of the root, and no answer tells more than its code. (seed 000 "Errors",
 * cases 1 to 5, 12, 14, 19, 69)
 */
import { assert, describe, it } from "@effect/vitest"
import { symlinkSync } from "node:fs"
import { basename, join } from "node:path"
import { ids, makeWorld, signalsFor, type World } from "../support/World.ts"

const token = "TOK-77310"

const withWorld = (test: (world: World) => void) => () => {
  const world = makeWorld()
  try {
    world.write(join(world.base, "out", "secret.md"), token)
    world.write(join(world.base, "memory-evil", "secret.md"), token)
    world.write(join(world.root, "ok.md"), "fine")
    world.write(join(world.root, "a", "b.md"), "fine")
    symlinkSync("../out/secret.md", join(world.root, "l.md"))
    test(world)
  } finally {
    world.dispose()
  }
}

const invalidIds = (world: World): ReadonlyArray<unknown> => [
  "../out/secret.md",
  "../memory-evil/secret.md",
  "a/../../out/secret.md",
  "a/../ok.md",
  "./ok.md",
  "a//b.md",
  "ok.md/",
  "/etc/passwd",
  join(world.root, "ok.md"),
  join(world.base, "out/secret.md"),
  "..",
  ".",
  "",
  "a\0b.md",
  "a\nb.md",
  "..\\out\\secret.md",
  "x/".repeat(16) + "x.md",
  "x".repeat(510) + ".md",
  "\ud800.md",
  7,
  true,
  null,
  ["ok.md"],
  { id: "ok.md" }
]

describe("read", () => {
  it(
    "calls every id that is no relative path invalid, without repeating it",
    withWorld((world) => {
      for (const id of invalidIds(world)) {
        const answer = world.call("read", signalsFor(world.home), { id })
        assert.strictEqual(answer.ok ? "" : answer.error.code, "invalid_request", JSON.stringify(id))
        assert.property(answer, "hint")
        assert.notInclude(JSON.stringify(answer), basename(world.base))
        assert.notInclude(JSON.stringify(answer), token)
      }
    })
  )

  it(
    "is exact: no prefix, suffix, case variant or pattern stands for a document",
    withWorld((world) => {
      for (const id of ["OK.md", "ok", "ok.m", "k.md", "*.md", "b.md", "a/*.md", "ok.md.md", "%2e%2e/out/secret.md"]) {
        const answer = world.read(id)
        assert.strictEqual(answer.ok ? "" : answer.error.code, "not_found_or_denied", id)
      }
    })
  )

  it(
    "refuses a name that no file system takes",
    withWorld((world) => {
      const answer = world.read("x".repeat(300) + ".md")
      assert.strictEqual(answer.ok ? "" : answer.error.code, "not_found_or_denied")
    })
  )
})

describe("search", () => {
  it(
    "takes a path for what it is: words to find",
    withWorld((world) => {
      for (const query of [
        "../out/secret.md",
        "/etc/passwd",
        join(world.base, "out"),
        token,
        "%_",
        "NEAR(",
        "C++",
        '"open',
        "*"
      ]) {
        assert.deepStrictEqual(ids(world.search(query)), [], query)
      }
    })
  )

  it(
    "answers a pathological expression as the text it is",
    withWorld((world) => {
      world.write(join(world.root, "long.md"), "a".repeat(100_000))
      assert.deepStrictEqual(ids(world.search("(a+)+$")), [])
      assert.deepStrictEqual(ids(world.search("aaaa")), ["long.md"])
    })
  )

  it(
    "refuses unknown arguments, wrong types and values out of range with a hint",
    withWorld((world) => {
      const bad: ReadonlyArray<unknown> = [
        null,
        [],
        "ok",
        {},
        { query: "" },
        { query: "   " },
        { query: 5 },
        { query: true },
        { query: "a\0" },
        { query: "a\u0007b" },
        { query: "a\nb" },
        { query: "x".repeat(257) },
        { query: "ok", limit: 0 },
        { query: "ok", limit: 11 },
        { query: "ok", limit: 1.5 },
        { query: "ok", limit: "5" },
        { query: "ok", limit: true },
        { query: "ok", limit: null },
        { query: "ok", path: "../out" },
        { query: "ok", home: world.home },
        { query: "ok", signals: {} }
      ]
      for (const args of bad) {
        const answer = world.call("search", signalsFor(world.home), args)
        assert.strictEqual(answer.ok ? "" : answer.error.code, "invalid_request", JSON.stringify(args))
        assert.property(answer, "hint")
      }
    })
  )
})

describe("identity", () => {
  it(
    "never comes from arguments",
    withWorld((world) => {
      const other = join(world.base, "other-home")
      const answer = world.call("read", signalsFor(other), { id: "ok.md", home: world.home })
      assert.strictEqual(answer.ok ? "" : answer.error.code, "invalid_request")
      assert.strictEqual(world.call("read", signalsFor(other), { id: "ok.md" }).ok, false)
      assert.strictEqual(world.call("read", signalsFor(world.home), { id: "ok.md" }).ok, true)
    })
  )
})
