/** The state file between processes, and sources that fail: no turn pays. (recall-contract 1.4, cases/recall.md 1, 23, 24, 31) */
import { assert, describe, it } from "@effect/vitest"
import { Recall } from "@memory-bridge/core/recall/Recall"
import { nothing } from "@memory-bridge/core/recall/Recalling"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import {
  always,
  disk,
  event,
  failing,
  host,
  items,
  last,
  offer,
  place,
  queue,
  settle,
  status,
  switched,
  taken,
  turn
} from "./given/Host.ts"

describe("the state file", () => {
  it.effect("two processes that mark different memories keep both", () =>
    Effect.gen(function* () {
      const shared = disk()
      const sees = (...ids: ReadonlyArray<string>) => host(() => Effect.succeed(items(...ids)), shared)
      const one = sees("a")
      const two = sees("b")
      yield* Effect.gen(function* () {
        yield* queue("boat?")
        yield* settle
        yield* Effect.provide(turn(), two.layer)
        assert.strictEqual(yield* taken(), "a")
      }).pipe(Effect.provide(one.layer))
      assert.strictEqual(yield* Effect.provide(turn(), sees("a", "b", "c").layer), "c")
    })
  )

  it.effect("what another process of the home has shown meanwhile is not shown again", () =>
    Effect.gen(function* () {
      const shared = disk()
      yield* Effect.gen(function* () {
        yield* turn(place("other"))
        yield* Effect.provide(turn(), host(() => Effect.succeed(items("a")), shared).layer)
        assert.strictEqual(yield* turn(), "b")
      }).pipe(Effect.provide(host(() => Effect.succeed(items("a", "b")), shared).layer))
    })
  )

  it.effect("a look at the file that a write has overtaken brings nothing back", () =>
    Effect.gen(function* () {
      const shared = disk()
      const gate = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        yield* queue()
        yield* settle
        const { marks, result } = yield* offer()
        yield* queue()
        yield* settle
        shared.slow = Deferred.await(gate)
        yield* queue("boat?", place("other"))
        yield* settle
        yield* Recall.use((recall) => recall.taken(place(), result, marks))
        yield* settle
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        assert.deepStrictEqual(yield* offer(), nothing, "what the newer result holds was shown")
      }).pipe(Effect.provide(host(() => Effect.succeed(items("a")), shared).layer))
    })
  )

  it.effect("a home that cannot be written is served from memory, and written when it can be", () =>
    Effect.gen(function* () {
      const shared = disk()
      shared.writable = false
      yield* Effect.gen(function* () {
        assert.deepStrictEqual([yield* turn(), yield* turn()], ["a", ""])
        assert.strictEqual((yield* status).seen, "memory")
        shared.writable = true
        assert.strictEqual(yield* turn(), "")
        yield* event(switched({ previous: "s9" }), place("s1"))
      }).pipe(Effect.provide(host(() => Effect.succeed(items("a")), shared).layer))
      assert.strictEqual(shared.files.size, 1)
    })
  )
})

describe("a source that is down", () => {
  it.effect("costs no turn anything, is left alone after three failures, and is asked again later", () =>
    Effect.gen(function* () {
      const given = host(() => Effect.never)
      yield* Effect.gen(function* () {
        for (let count = 0; count < 5; count++) {
          yield* queue(`boat ${count}?`)
          yield* TestClock.adjust("5 seconds")
          assert.strictEqual(yield* taken(), "")
        }
        assert.strictEqual(given.asked.length, 3)
        assert.strictEqual(yield* last, "failed resting")
        assert.strictEqual((yield* status).resting_millis, 20_000)
        given.given.search = () => Effect.succeed(items("a"))
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(yield* turn(), "a")
        assert.strictEqual(yield* last, "recalled")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("is asked at once when another peer has taken its place", () =>
    Effect.gen(function* () {
      const given = host(() => failing("identity"))
      yield* Effect.gen(function* () {
        for (let count = 0; count < 4; count++) yield* turn()
        assert.strictEqual(yield* last, "failed resting")
        given.given.peer = "the Broker after its restart"
        given.given.search = () => Effect.succeed(items("a"))
        assert.strictEqual(yield* turn(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("a grant that is missing is no failure of the source's: the first call after it works", () =>
    Effect.gen(function* () {
      const given = host(() => failing("not_granted"))
      yield* Effect.gen(function* () {
        for (let count = 0; count < 5; count++) yield* turn()
        assert.strictEqual(yield* last, "failed not_granted")
        given.given.search = () => Effect.succeed(items("a"))
        assert.strictEqual(yield* turn(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("or that dies of a defect does not end recall", () =>
    Effect.gen(function* () {
      const given = host(() => Effect.die(new TypeError("secret text")))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(), "")
        assert.strictEqual(yield* last, "failed defect")
        assert.notInclude(JSON.stringify(yield* status), "secret text")
        given.given.search = () => Effect.succeed(items("a"))
        assert.strictEqual(yield* turn(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("or a setting that is wrong is told, and nobody is asked", () =>
    Effect.gen(function* () {
      const given = always("a")
      const wrong = place("s1", { environment: { HY_MEMORY_LIMIT: "many" } })
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(wrong), "")
        assert.strictEqual(yield* last, "disabled setting_invalid")
      }).pipe(Effect.provide(given.layer))
      assert.deepStrictEqual(given.asked, [])
    })
  )

  it.effect("or files that hang hold nobody for ever", () =>
    Effect.gen(function* () {
      let hanging = true
      const files = Effect.suspend(() => (hanging ? Effect.never : Effect.void))
      const given = host(() => Effect.succeed(items("a")), undefined, files)
      yield* Effect.gen(function* () {
        yield* queue()
        const fiber = yield* Effect.forkChild(Recall.use((recall) => recall.search(place(), { query: "boat" })))
        yield* TestClock.adjust("3 seconds")
        assert.isFalse((yield* Fiber.join(fiber)).ok)
        const looking = yield* Effect.forkChild(status)
        yield* TestClock.adjust("3 seconds")
        assert.deepInclude(yield* Fiber.join(looking), { mode: "disabled", reason: "timed_out" })
        hanging = false
        assert.strictEqual(yield* last, "failed timed_out")
        assert.strictEqual((yield* status).running, 0)
      }).pipe(Effect.provide(given.layer))
      assert.deepStrictEqual(given.asked, [])
    })
  )

  it.effect("or is not there at all", () =>
    Effect.gen(function* () {
      const given = always("a")
      given.given.mode = { kind: "disabled", reason: "connection_refused", rule: "link" }
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(), "")
        const { auto_recall, last_recall, mode, reason, rule } = yield* status
        assert.deepStrictEqual(
          { mode, reason, rule, auto_recall, ending: last_recall?.ending },
          {
            mode: "disabled",
            reason: "connection_refused",
            rule: "link",
            auto_recall: false,
            ending: { kind: "disabled", reason: "connection_refused", rule: "link" }
          }
        )
        assert.deepStrictEqual(given.asked, [])
      }).pipe(Effect.provide(given.layer))
    })
  )
})
