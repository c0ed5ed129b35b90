/** The goal of search by relevance: the right note first, in every class of query. (eval/README.md) */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { hitCount } from "../../eval/Baseline.ts"
import { byKind, type Measured, measure } from "../../eval/Measures.ts"
import { copyNotes, type Engine, type Notes, ours } from "../../eval/Ours.ts"
import { goals, queries } from "../../eval/Report.ts"

const measured = (engine: Engine): ReadonlyArray<Measured> =>
  queries.map((judged) => measure(judged, engine(judged.query)))
const overAll = (of: ReadonlyArray<Measured>): Measured => byKind(queries, of).at(-1)![2]

describe("the evaluation", () => {
  let notes: Notes
  beforeAll(() => {
    notes = copyNotes()
  })
  afterAll(() => {
    notes.dispose()
  })

  it("has notes and queries enough, and judges notes that are there", () => {
    const files = readdirSync(notes.root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"))
    assert.isAtLeast(files.length, 60)
    assert.isAtLeast(queries.length, 150)
    for (const { answers, kind, near } of queries) {
      assert.strictEqual(answers.length === 0, kind.endsWith(" answer"), kind)
      for (const id of [...answers, ...near]) assert.isTrue(existsSync(join(notes.root, id)), id)
    }
    for (const [kind, count] of byKind(
      queries,
      measured(() => [])
    ))
      assert.isAtLeast(count, 10, kind)
  })

  // The bridge opens files through the Linux adapter.
  it.skipIf(process.platform !== "linux")("has the right note first: 0.95 over all, 0.9 in every class", () => {
    const relevance = measured(ours(notes, "relevance", { version: 2 }))
    for (const [kind, , { hit1 }] of byKind(queries, relevance)) assert.isAtLeast(hit1, 0.9, kind)
    assert.isAtLeast(overAll(relevance).hit1, 0.95)
    assert.isAtLeast(overAll(relevance).hit5, 0.99)
    const others = [measured(ours(notes, "path", { version: 1 })), measured(hitCount(notes.root))]
    for (const other of others) {
      assert.isAbove(overAll(relevance).hit1, overAll(other).hit1)
      assert.isAbove(overAll(relevance).ndcg10, overAll(other).ndcg10)
    }
  })

  it("says of each goal whether it is met", () => {
    const right = queries.map((judged) =>
      measure(
        judged,
        judged.answers.map((id) => ({ id, text: judged.query }))
      )
    )
    const wrong = queries.map((judged) => measure(judged, [{ id: "none.md", text: "" }]))
    const missed = (mine: ReadonlyArray<Measured>, theirs: ReadonlyArray<Measured>) =>
      goals(mine, [["other", theirs]])
        .filter(([, met]) => !met)
        .map(([text]) => text)
    assert.deepStrictEqual(missed(right, wrong), [])
    assert.deepStrictEqual(missed(right, right), ["hit@1 over all ahead of other: 1.000 > 1.000"])
    const all = missed(wrong, right)
    assert.include(all, "hit@1 of tag 0.000 >= 0.9")
    for (const goal of ["hit@1 over all 0", "hit@1 over all ahead of other: 0"])
      assert.isTrue(
        all.some((text) => text.startsWith(goal)),
        goal
      )
  })
})
