/** Properties of search and read over arbitrary trees and policies. (seed 000, cases/notes.md) */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { asThing, type Drawing, kindOf, type Thing } from "../contract/Drawing.ts"
import { runsInVersion } from "../support/PolicyVersion.ts"
import { decided, type Dice } from "./Generators.ts"
import { oraclePermits } from "./PatternOracle.ts"
import { asking, type Case, caseFrom, drawingFrom, reading, resultsOf, searching, signals, treeOf } from "./Worlds.ts"

const cases = decided(caseFrom)
const runs = (seed: number, runs = 800) => ({ arbitrary: { runs: runsInVersion(runs), seed, size: 60 } })
const length = (text: string) => [...text].length

const within = (path: string, name: string): string => (path === "" ? name : `${path}/${name}`)

/** Every file of a drawing with its path. */
const filesOf = (drawing: Drawing, path = ""): ReadonlyArray<readonly [string, Thing]> =>
  Object.entries(drawing).flatMap(([name, drawn]) => {
    const thing = asThing(drawn)
    return kindOf(thing) === "directory"
      ? filesOf(thing.below, within(path, name))
      : [[within(path, name), thing] as const]
  })

/** Bytes that reading it costs. */
const costOf = ({ as, content }: Thing): number => {
  const there = typeof content === "string" ? new TextEncoder().encode(content).length : content.length
  return as.fails?.read === undefined ? Math.min(there, (as.size ?? there) + 1) : (as.fails.readAfter ?? 0)
}

/** The drawing with each of its files replaced or, for `undefined`, left out. Directories stay. */
const eachFile = (drawing: Drawing, change: (path: string, thing: Thing) => Thing | undefined, path = ""): Drawing =>
  Object.fromEntries(
    Object.entries(drawing).flatMap(([name, drawn]) => {
      const [thing, here] = [asThing(drawn), within(path, name)]
      const kept =
        kindOf(thing) === "directory" ? { ...thing, below: eachFile(thing.below, change, here) } : change(here, thing)
      return kept === undefined ? [] : [[name, kept] as const]
    })
  )

/** The drawing with arbitrary things put into it, at every level, under names that the patterns deny. */
const withDenied = (drawing: Drawing, deny: ReadonlyArray<string>, dice: Dice, path = ""): Drawing => {
  const names = ["secret.md", "secret-0.md", "a.md", "n.md", "zz.md", "e.md"].filter(
    (name) => dice.chance(50) && !oraclePermits(["**"], deny, within(path, name))
  )
  const kept = Object.entries(drawing).map(([name, drawn]) => {
    const thing = asThing(drawn)
    const directory = kindOf(thing) === "directory"
    return [
      name,
      directory ? { ...thing, below: withDenied(thing.below, deny, dice, within(path, name)) } : drawn
    ] as const
  })
  return {
    ...(deny.includes("**/private/**") ? { private: drawingFrom(dice) } : {}),
    ...Object.fromEntries(names.map((name) => [name, "needle hay garden blue"])),
    ...Object.fromEntries(kept)
  }
}

const roomy = (given: Case): Case => ({ ...given, ceilings: { ...given.ceilings, rawEntries: 50_000 } })

describe("search", () => {
  const counts = { results: 0, truncated: 0, unavailable: 0 }

  it.effect.prop(
    "returns only ids that read accepts under the same policy",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const answer = yield* searching(given)
        const results = resultsOf(answer)
        counts.results += results.length
        if (!answer.ok) counts.unavailable++
        else if (answer.truncated) counts.truncated++
        const found = results.map(({ id }) => id)
        for (const read of yield* reading(given, found)) assert.isTrue(read.ok)
        for (const id of found) assert.isTrue(oraclePermits(given.allow, given.deny, id), id)
      }),
    runs(61)
  )

  it("and finds, truncates and refuses often enough to mean something", () => {
    process.stdout.write(`searches: ${JSON.stringify(counts)}\n`)
    assert.isAbove(counts.results, runsInVersion(400))
    assert.isAbove(counts.truncated, runsInVersion(100))
    assert.isAbove(counts.unavailable, runsInVersion(20))
  })

  it.effect.prop(
    "never spends or answers more than its budgets allow",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const tree = treeOf(given)
        const answer = yield* searching(given, tree)
        const files = new Map(filesOf(given.notes))
        const touched = (operation: string) =>
          tree.log.filter((line) => line.startsWith(`${operation} /v/`)).map((line) => line.slice(operation.length + 4))
        const opened = touched("open").filter((path) => files.has(path))
        assert.isAtMost(opened.length, given.limits.max_entries ?? 2_000)
        const read = touched("read").map((path) => costOf(files.get(path) as Thing))
        const before = read.slice(0, -1).reduce((sum, bytes) => sum + bytes, 0)
        if (read.length > 0) assert.isBelow(before, given.ceilings.bytes)
        for (const bytes of read) assert.isAtMost(bytes, (given.limits.max_file_bytes ?? 262_144) + 1)
        for (const path of opened) assert.isTrue(oraclePermits(given.allow, given.deny, path), path)

        const results = resultsOf(answer)
        assert.isAtMost(results.length, Math.min(given.limit, given.limits.max_results ?? 10))
        const sizes = results.map(({ id, snippet, title }) => length(id) + length(title ?? "") + length(snippet))
        assert.isAtMost(
          sizes.reduce((sum, size) => sum + size, 0),
          given.limits.total_chars ?? 4_000
        )
        for (const { id, snippet } of results) {
          assert.isAtMost(length(snippet), given.limits.snippet_chars ?? 300)
          assert.isAtMost(id.split("/").length, given.limits.max_depth ?? 8)
        }
      }),
    runs(62)
  )

  it.effect.prop(
    "answers the same with and without every file that is not permitted",
    [cases],
    ([one]) =>
      Effect.gen(function* () {
        const given = roomy(one)
        const bare = eachFile(given.notes, (path, thing) =>
          oraclePermits(given.allow, given.deny, path) ? thing : undefined
        )
        assert.deepStrictEqual(yield* searching({ ...given, notes: bare }), yield* searching(given))
      }),
    runs(63)
  )

  it.effect.prop(
    "answers the same with arbitrary denied files put in",
    [
      decided((dice) => {
        const given = roomy(caseFrom(dice))
        const deny = [...given.deny, "**/secret*", "**/private/**"]
        const plain = { ...given, deny }
        return { plain, more: { ...plain, notes: withDenied(given.notes, deny, dice) } }
      })
    ],
    ([{ more, plain }]) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* searching(more), yield* searching(plain))
      }),
    runs(64)
  )

  it.effect.prop(
    "answers the same again, with what the process has kept",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2024, 0))
        const cold = yield* searching(given)
        const tree = treeOf(given)
        const other: Case = { ...given, ceilings: { rawEntries: 50_000, bytes: 16_777_216 }, query: "absent" }
        yield* searching(other, tree)
        assert.deepStrictEqual(yield* searching(given, tree), cold)
        const [, warm] = yield* asking(given, tree, ({ search }) => {
          const ask = (query: string) => search(signals, { query, limit: given.limit })
          return Effect.all([ask("absent"), ask(given.query)])
        })
        assert.deepStrictEqual(warm, cold)
      }),
    runs(65, 400)
  )
})

describe("an answer that an agent sees", () => {
  const systemText = [
    "/v",
    "/h",
    "plugin-data",
    "policy.json",
    "EACCES",
    "ENOENT",
    "acl_",
    "_writable",
    "not_permitted",
    "hard_link",
    "raw_entries",
    "no_allow",
    "Error",
    "    at "
  ]

  it.effect.prop(
    "never contains an absolute path, system text, or a name or word of a denied note",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        // Each note speaks its own name, so that a word of a denied one would show.
        const notes = eachFile(given.notes, (path, thing) => ({ ...thing, content: `needle <${path}>` }))
        const speaking = { ...given, notes }
        const paths = filesOf(given.notes).map(([path]) => path)
        const denied = paths.filter((path) => !oraclePermits(given.allow, given.deny, path))
        const odd = ["none.md", "../h/x.md", "/v/a.md", "d/../a.md", "a.md\0", "", "private/none.md"]
        const answers = [
          yield* searching({ ...speaking, query: "needle" }),
          ...(yield* reading(speaking, [...denied, ...odd]))
        ]
        for (const answer of answers) {
          const text = JSON.stringify(answer)
          for (const word of systemText) assert.notInclude(text, word)
          for (const path of denied) assert.notInclude(text, `<${path}>`)
          for (const { id } of resultsOf(answer)) assert.notInclude(denied, id)
        }
      }),
    runs(66, 300)
  )

  it.effect.prop(
    "to a read is one and the same for every id that is not given",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const paths = filesOf(given.notes).map(([path]) => path)
        const answers = yield* reading(given, [...paths, "none.md", "private/none.md", "d/none.md"])
        const refusals = new Set(answers.filter(({ ok }) => !ok).map((answer) => JSON.stringify(answer)))
        assert.strictEqual(refusals.size, 1)
      }),
    runs(67, 500)
  )
})
