/** recall-contract T5 and T8: what is handed over, and what counts as handed over. */
import { assert, describe, it } from "@effect/vitest"
import { Recall } from "@memory-bridge/core/recall/Recall"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { always, event, host, item, items, place, queue, settle, take, taken, turn } from "./given/Host.ts"

describe("T5: returned is not injected", () => {
  it.effect.each(["", "  \n", "ok", "Thanks!", "/new", "/undo 3"])("a turn that says %j uses nothing up", (query) =>
    Effect.gen(function* () {
      yield* queue()
      yield* settle
      assert.deepStrictEqual(yield* take(place(), query), { block: "", count: 0 })
      assert.isFalse(yield* queue(query))
      assert.strictEqual(yield* taken(), "a")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("only what stands whole in the block is marked; the rest comes when it is found again", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 20 }, (_, index) => item(`m${index}`, `${index} `.padEnd(400, "x")))
      yield* Effect.gen(function* () {
        const small = place("s1", { environment: { HY_MEMORY_MAX_CHARS: "1000" } })
        assert.deepStrictEqual(
          [yield* turn(small), yield* turn(small), yield* turn(small)],
          ["m0 m1", "m2 m3", "m4 m5"]
        )
      }).pipe(Effect.provide(host(() => Effect.succeed(long)).layer))
    })
  )

  it.effect("no block is longer than the host takes", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 20 }, (_, index) => item(`m${index}`, "x".repeat(1_500)))
      yield* Effect.gen(function* () {
        const large = place("s1", { environment: { HY_MEMORY_MAX_CHARS: "16000" } })
        yield* queue("boat?", large)
        yield* settle
        const { block } = yield* take(large)
        assert.isAtMost(block.length, 9_000)
        assert.isAbove(block.length, 7_000)
      }).pipe(Effect.provide(host(() => Effect.succeed(long)).layer))
    })
  )

  it.effect("a hand-over that did not reach the model is taken back, once", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* turn(), "a b")
      yield* event({ kind: "not_injected" })
      assert.strictEqual(yield* taken(), "a b", "it is warm again")
      assert.strictEqual(yield* turn(), "")
      yield* event({ kind: "not_injected" })
      yield* event({ kind: "not_injected" })
      assert.strictEqual(yield* taken(), "a b")
    }).pipe(Effect.provide(always("a", "b").layer))
  )

  it.effect("and does not replace a newer result", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed(items(query === "new?" ? "b" : "a")))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(), "a")
        yield* queue("new?")
        yield* settle
        yield* event({ kind: "not_injected" })
        assert.strictEqual(yield* taken(), "b")
        assert.strictEqual(yield* turn(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )
})

describe("T8: fresh mode", () => {
  const fresh = place("s1", { environment: { HY_MEMORY_FRESH: "true" } })
  const freshTaken = (query: string, at = fresh) => Recall.use((recall) => recall.fresh(at, query))

  it.effect("answers the turn's own question, also in the first turn", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.delay(Effect.succeed(items(query)), "1 second"))
      yield* Effect.gen(function* () {
        yield* queue("older?", fresh)
        yield* TestClock.adjust("1 second")
        const fiber = yield* Effect.forkChild(freshTaken("now?"))
        yield* TestClock.adjust("1 second")
        const { block } = yield* Fiber.join(fiber)
        assert.include(block, "[now?]")
        assert.notInclude(block, "[older?]")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("never hands over what belongs to an older question, however warm it is", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.delay(Effect.succeed(items(query)), query === "now?" ? "2 seconds" : 0))
      yield* Effect.gen(function* () {
        yield* queue("older?", fresh)
        yield* settle
        const fiber = yield* Effect.forkChild(freshTaken("now?"))
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(yield* Fiber.join(fiber), { block: "", count: 0 })
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("joins the recall that on_turn_start has begun for the same words", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.delay(Effect.succeed(items(query)), "1 second"))
      yield* Effect.gen(function* () {
        yield* queue("now?", fresh)
        yield* TestClock.adjust("500 millis")
        const fiber = yield* Effect.forkChild(freshTaken("now?"))
        yield* TestClock.adjust("500 millis")
        assert.include((yield* Fiber.join(fiber)).block, "[now?]")
        assert.deepStrictEqual(given.asked, ["now?"])
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("waits 1.5 seconds and no longer", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(freshTaken("now?"))
        yield* TestClock.adjust("1499 millis")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* Fiber.join(fiber), { block: "", count: 0 })
      }).pipe(Effect.provide(host(() => Effect.never).layer))
    })
  )

  it.effect("is off unless it is asked for: then it is an ordinary take", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed(items(query)))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* freshTaken("now?", place()), { block: "", count: 0 })
        yield* queue("older?")
        yield* settle
        assert.include((yield* freshTaken("now?", place())).block, "[older?]")
      }).pipe(Effect.provide(given.layer))
    })
  )
})
