/** recall-contract T5 and T8: what is handed over, and what counts as handed over. */
import { assert, describe, it } from "@effect/vitest"
import { Recall } from "@memory-bridge/core/recall/Recall"
import { nothing } from "@memory-bridge/core/recall/Recalling"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import {
  always,
  event,
  host,
  idsIn,
  item,
  items,
  offer,
  place,
  queue,
  settle,
  switched,
  take,
  taken,
  turn
} from "./given/Host.ts"

describe("T5: returned is not injected", () => {
  it.effect.each(["", "  \n", "ok", "Thanks!", "/new", "/undo 3"])("a turn that says %j asks nothing", (query) =>
    Effect.gen(function* () {
      const given = always("a")
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* Recall.use((recall) => recall.queue(place(), query)), nothing)
        assert.deepStrictEqual(given.asked, [])
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("the answer to a question is the offer of what it found, which is not used up by being made", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Recall.use((recall) => recall.queue(place(), "boat?")))
      yield* settle
      const made = yield* Fiber.join(fiber)
      assert.strictEqual(idsIn(made.block), "a b")
      assert.deepStrictEqual(yield* offer(), made)
      assert.strictEqual(yield* taken(), "a b")
      assert.deepStrictEqual(yield* offer(), nothing)
    }).pipe(Effect.provide(always("a", "b").layer))
  )

  it.effect("a question that is dropped for a later one, or with its session, is answered at once", () =>
    Effect.gen(function* () {
      const ask = (query: string) => Effect.forkChild(Recall.use((recall) => recall.queue(place(), query)))
      const [running, dropped, waiting] = [yield* ask("1?"), yield* ask("2?"), yield* ask("3?")]
      yield* settle
      assert.deepStrictEqual(yield* Fiber.join(dropped), nothing)
      assert.isUndefined(running.pollUnsafe())
      assert.isUndefined(waiting.pollUnsafe())
      yield* event(switched({ previous: "s1" }), place("s2"))
      assert.deepStrictEqual([yield* Fiber.join(running), yield* Fiber.join(waiting)], [nothing, nothing])
    }).pipe(Effect.provide(host(() => Effect.never).layer))
  )

  it.effect("an offer says how long it may lie", () =>
    Effect.gen(function* () {
      yield* queue()
      yield* settle
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual((yield* offer()).millis, 60_000)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* offer(), nothing)
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

  it.effect("an offer that was not taken is made again; taken twice is taken once", () =>
    Effect.gen(function* () {
      yield* queue()
      yield* settle
      assert.strictEqual(idsIn((yield* offer()).block), "a b")
      yield* queue()
      yield* settle
      const { marks, result } = yield* take()
      yield* Recall.use((recall) => recall.taken(place(), result, marks))
      assert.strictEqual(yield* turn(), "")
    }).pipe(Effect.provide(always("a", "b").layer))
  )

  it.effect("taking an older offer leaves a newer result, without what was shown", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed(items(...(query === "new?" ? ["a", "b"] : ["a"]))))
      yield* Effect.gen(function* () {
        yield* queue()
        yield* settle
        const { marks, result } = yield* offer()
        yield* queue("new?")
        yield* settle
        yield* Recall.use((recall) => recall.taken(place(), result, marks))
        assert.strictEqual(yield* taken(), "b")
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
        assert.deepStrictEqual(yield* Fiber.join(fiber), nothing)
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
        assert.deepStrictEqual(yield* Fiber.join(fiber), nothing)
      }).pipe(Effect.provide(host(() => Effect.never).layer))
    })
  )

  it.effect("is off unless it is asked for: then it is an ordinary offer", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed(items(query)))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* freshTaken("now?", place()), nothing)
        yield* queue("older?")
        yield* settle
        assert.include((yield* freshTaken("now?", place())).block, "[older?]")
      }).pipe(Effect.provide(given.layer))
    })
  )
})
