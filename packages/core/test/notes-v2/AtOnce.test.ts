/** cases/notes.md 70: calls of one process do not disturb each other, though all of them share what is remembered. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { policyText } from "../given/Policies.ts"
import { dir } from "../given/Trees.ts"
import { inWorld, policyPath, read, search, world } from "../given/World.ts"

const notes = {
  "a.md": "# Needle\n\nin a haystack\n",
  d: dir({ "b.md": "needle by the way\n", "c.md": "hay alone\n" }),
  "e.md": "---\ntags: [needle]\n---\nx\n"
}

describe("by relevance", () => {
  it.effect("fifty searches and reads at once are answered as one after another, and nothing stays open", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2024, 0))
      const calls = Array.from({ length: 50 }, (_, i) =>
        i % 5 === 4 ? read("d/b.md") : search(["needle", "hay", "#needle", "eedl"][i % 4]!)
      )
      const given = world(notes, { version: 2 })
      const [together, again, apart] = yield* inWorld(
        given,
        Effect.gen(function* () {
          const together = yield* Effect.all(calls, { concurrency: "unbounded" })
          const again = yield* Effect.all(calls, { concurrency: "unbounded" })
          return [together, again, yield* Effect.all(calls)] as const
        })
      )
      assert.deepStrictEqual(together, apart)
      assert.deepStrictEqual(again, apart)
      for (const answer of apart) assert.isTrue(answer.ok)
      assert.strictEqual(given.tree.held(), 0)
    })
  )

  it.effect("a change of policy between two rounds of them holds for the whole second round", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2024, 0))
      const given = world(notes, { version: 2 })
      const round = Effect.all(
        Array.from({ length: 10 }, () => search("needle")),
        { concurrency: "unbounded" }
      )
      const text = (answers: unknown) => JSON.stringify(answers)
      yield* inWorld(
        given,
        Effect.gen(function* () {
          assert.include(text(yield* round), "d/b.md")
          given.tree.edit(policyPath, { content: policyText({ version: 2, deny: ["d/**"] }) })
          assert.notInclude(text(yield* round), "d/b.md")
        })
      )
    })
  )
})
