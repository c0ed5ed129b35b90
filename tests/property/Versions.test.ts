/**
 * Version 2 with every key as version 1 has it is version 1: the same answers, to the byte, and the same files touched in
 * the same order. (design.md section 7 "each key defaults to version 1's behaviour, `ranking` excepted")
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decided } from "./Generators.ts"
import { caseFrom, reading, resultsOf, searching, treeOf } from "./Worlds.ts"

const cases = decided(caseFrom)
const left = { version: 2, ranking: "path" }
const given = { ...left, names: "portable", trust: { groups: [], hard_links: false } }

describe("version 2 at its defaults", () => {
  it.effect.prop(
    "searches and reads as version 1 does",
    [cases],
    ([each]) =>
      Effect.gen(function* () {
        const first = treeOf(each)
        const before = yield* searching(each, first)
        const ids = [...resultsOf(before).map(({ id }) => id), "private/a.md", "a b.md", "d/a.md", "missing.md"]
        const reads = yield* reading(each, ids, first)
        for (const version of [left, given]) {
          const second = treeOf(each, version)
          assert.deepStrictEqual(yield* searching(each, second), before)
          assert.deepStrictEqual(yield* reading(each, ids, second), reads)
          assert.deepStrictEqual(second.log, first.log)
        }
      }),
    { arbitrary: { runs: 400, seed: 91, size: 60 } }
  )

  it.effect.prop(
    "and with one root by name it finds the same notes under that name",
    [cases],
    ([each]) =>
      Effect.gen(function* () {
        const { allow, deny, limits } = each
        const roots = { r: { root: "/v", allow, deny } }
        const named = treeOf(each, { ...left, roots, root: undefined, allow: undefined, deny: undefined, limits })
        const [one, other] = [yield* searching(each), yield* searching(each, named)]
        assert.strictEqual(one.ok, other.ok)
        // The name counts among the characters of an answer, and a term may be found in it.
        const found = new Set(resultsOf(one).map(({ id }) => `r:${id}`))
        if (limits.total_chars === undefined) {
          assert.deepStrictEqual(new Set(resultsOf(other).map(({ id }) => id)), found)
        }
      }),
    { arbitrary: { runs: 300, seed: 92, size: 60 } }
  )
})
