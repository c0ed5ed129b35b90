/** recall-contract T6 and T7; cases/recall.md 2, 5, 7, 10, 25 and 49: how long a result waits, and for whom. */
import { assert, describe, it } from "@effect/vitest"
import type { SourceFailed } from "@memory-bridge/core/recall/Failure"
import type { Item } from "@memory-bridge/core/recall/Item"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import {
  always,
  event,
  failing,
  host,
  items,
  last,
  place,
  queue,
  settle,
  status,
  switched,
  taken
} from "./given/Host.ts"

describe("T6: the life of a warm result", () => {
  it.effect("ten minutes, then nothing", () =>
    Effect.gen(function* () {
      yield* queue()
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual(yield* taken(), "a")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("aged out", () =>
    Effect.gen(function* () {
      yield* queue()
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* taken(), "")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("a newer answer replaces it, an empty one too", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed(query === "nothing?" ? [] : items("a")))
      yield* Effect.gen(function* () {
        yield* queue("boat?")
        yield* settle
        yield* queue("nothing?")
        yield* settle
        assert.strictEqual(yield* taken(), "")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("a failure does not", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => (query === "fail?" ? failing("server_error") : Effect.succeed(items("a"))))
      yield* Effect.gen(function* () {
        yield* queue("boat?")
        yield* settle
        yield* queue("fail?")
        yield* settle
        assert.strictEqual(yield* last, "failed server_error")
        assert.strictEqual(yield* taken(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("while one runs the latest of the others waits; the others are never asked", () =>
    Effect.gen(function* () {
      const gates = new Map<string, Deferred.Deferred<ReadonlyArray<Item>, SourceFailed>>()
      for (const query of ["one?", "two?", "three?"])
        gates.set(query, yield* Deferred.make<ReadonlyArray<Item>, SourceFailed>())
      const given = host(({ query }) => Deferred.await(gates.get(query)!))
      const answer = (query: string) => Effect.andThen(Deferred.succeed(gates.get(query)!, items(query)), settle)
      yield* Effect.gen(function* () {
        for (const query of ["one?", "two?", "three?"]) yield* queue(query)
        yield* settle
        assert.deepStrictEqual(given.asked, ["one?"])
        assert.strictEqual(yield* taken(), "", "nothing is warm yet, and nobody waits for it")
        yield* answer("one?")
        assert.deepStrictEqual(given.asked, ["one?", "three?"])
        assert.strictEqual(yield* taken(), "one?")
        yield* answer("three?")
        assert.strictEqual(yield* taken(), "three?")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("an answer that comes after its session was left is dropped", () =>
    Effect.gen(function* () {
      for (const happened of [
        switched({ previous: "s1" }),
        switched({ previous: "s1", reset: true }),
        switched({ previous: "s1", reason: "resume" }),
        switched({ previous: "s1", parent: "s1", reason: "branch" }),
        switched({ previous: "s1", parent: "s1", reason: "compression" })
      ]) {
        const gate = yield* Deferred.make<ReadonlyArray<Item>>()
        const given = host(() => Deferred.await(gate))
        yield* Effect.gen(function* () {
          yield* queue()
          yield* settle
          yield* event(happened, place("s2"))
          yield* Deferred.succeed(gate, items("a"))
          yield* settle
          assert.strictEqual(yield* taken(place("s1")), "", JSON.stringify(happened))
          assert.strictEqual(yield* taken(place("s2")), "")
          assert.strictEqual((yield* status).running, 0)
        }).pipe(Effect.provide(given.layer))
      }
    })
  )
})

describe("T7: provider objects come and go", () => {
  it.effect("a result belongs to the session of a home, not to whoever asked for it", () =>
    Effect.gen(function* () {
      yield* queue("boat?", place("s1"))
      yield* settle
      // Another object: another profile value of the same home, from another directory and environment.
      const other = place("s1", { plugin_directory: "/elsewhere", environment: { HY_MEMORY_LIMIT: "7" } })
      assert.strictEqual(yield* taken(other), "a")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("results of many sessions are bounded, and so is what is under way", () =>
    Effect.gen(function* () {
      for (let index = 0; index < 300; index++) {
        yield* queue("boat?", place(`s${index}`))
        yield* settle
      }
      assert.strictEqual((yield* status).waiting_results, 128)
      assert.strictEqual(yield* taken(place("s0")), "")
      assert.strictEqual(yield* taken(place("s299")), "a")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("no more than 64 questions are under way, eight of them with a connection; all end", () =>
    Effect.gen(function* () {
      const given = host(() => Effect.never)
      yield* Effect.gen(function* () {
        for (let index = 0; index < 70; index++) yield* queue("boat?", place(`s${index}`))
        yield* settle
        assert.strictEqual((yield* status).running, 64)
        assert.strictEqual(yield* last, "failed overloaded")
        assert.strictEqual(given.asked.length, 8)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* status).running, 0)
        assert.strictEqual(yield* last, "failed timed_out")
      }).pipe(Effect.provide(given.layer))
    })
  )
})
