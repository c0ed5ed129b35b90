/** When a reader is started, asked again, left alone and given up. (design.md section 6; issue 8 item 4) */
import { assert, describe, it } from "@effect/vitest"
import { type Failure, backoffAfter, make, mostStuck } from "@memory-bridge/mcp-server/reader/Reader"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { fakeReaders } from "./Fake.ts"

const request = { method: "read", params: '{"id":"a.md"}' }

const over = (mortal = true) =>
  Effect.gen(function* () {
    const fake = fakeReaders(mortal)
    const reader = yield* make(fake.start)
    const asked = Effect.forkChild(Effect.result(reader.ask(request)), { startImmediately: true })
    const failure = Effect.gen(function* () {
      const result = yield* Effect.result(reader.ask(request))
      return Result.isFailure(result) ? result.failure.reason : "none"
    })
    return { ...fake, reader, asked, failure }
  })

const outcome = (fiber: Fiber.Fiber<Result.Result<unknown, { readonly reason: Failure }>>) =>
  Effect.map(Fiber.join(fiber), (result) => (Result.isFailure(result) ? result.failure.reason : result.success))

describe("a reader", () => {
  it.effect("starts once and stays", () =>
    Effect.gen(function* () {
      const { asked, reader, readers } = yield* over()
      yield* reader.begin
      yield* reader.begin
      for (const word of ["one", "two"]) {
        const call = yield* asked
        readers[0]!.answer(word)
        assert.strictEqual(yield* outcome(call), word)
      }
      assert.strictEqual(readers.length, 1)
      assert.deepStrictEqual(readers[0]!.sent[0], {
        jsonrpc: "2.0",
        id: 1,
        method: "read",
        params: { id: "a.md" }
      } as never)
    })
  )

  it.effect("that dies under a call is replaced, and the call is asked once more", () =>
    Effect.gen(function* () {
      const { asked, readers } = yield* over()
      const call = yield* asked
      readers[0]!.go()
      yield* Effect.yieldNow
      readers[1]!.answer("again")
      assert.strictEqual(yield* outcome(call), "again")
    })
  )

  it.effect("that dies under the second try too fails the call", () =>
    Effect.gen(function* () {
      const { asked, readers } = yield* over()
      const call = yield* asked
      readers[0]!.go()
      yield* Effect.yieldNow
      readers[1]!.go()
      assert.strictEqual(yield* outcome(call), "sidecar_died")
      assert.strictEqual(readers.length, 2)
    })
  )

  it.effect("that is ended from outside fails its call, which is not asked again", () =>
    Effect.gen(function* () {
      const { asked, reader, readers } = yield* over()
      const call = yield* asked
      reader.end("sidecar_hung")
      assert.strictEqual(yield* outcome(call), "sidecar_hung")
      assert.isTrue(readers[0]!.killed)
      assert.strictEqual(readers.length, 1)
    })
  )

  it.effect.each([
    "nonsense",
    "[]",
    "null",
    '{"jsonrpc":"2.0","id":2,"result":1}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32000}}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}'
  ])("that says %s is not believed again", (text) =>
    Effect.gen(function* () {
      const { asked, readers } = yield* over()
      const call = yield* asked
      readers[0]!.say(text)
      assert.strictEqual(yield* outcome(call), "sidecar_garbled")
      assert.isTrue(readers[0]!.killed)
    })
  )

  it.effect("that speaks unasked is replaced", () =>
    Effect.gen(function* () {
      const { asked, reader, readers } = yield* over()
      yield* reader.begin
      readers[0]!.say('{"jsonrpc":"2.0","id":1,"result":1}')
      assert.isTrue(readers[0]!.killed)
      const call = yield* asked
      readers[1]!.answer("well")
      assert.strictEqual(yield* outcome(call), "well")
    })
  )

  it.effect("that answers with an error fails that call and stays", () =>
    Effect.gen(function* () {
      const { asked, readers } = yield* over()
      const call = yield* asked
      readers[0]!.say('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}')
      assert.strictEqual(yield* outcome(call), "answer_malformed")
      assert.isFalse(readers[0]!.killed)
    })
  )

  it("is left alone for 0, 100, 200, 400 and so on up to 5,000 milliseconds", () => {
    assert.deepStrictEqual([0, 1, 2, 3, 4, 7, 8, 100].map(backoffAfter), [0, 0, 100, 200, 400, 3200, 5000, 5000])
  })

  it.effect("that keeps dying is left alone meanwhile; one answer makes that forgotten", () =>
    Effect.gen(function* () {
      const { asked, failure, reader, readers } = yield* over()
      const die = Effect.gen(function* () {
        const call = yield* asked
        reader.end("sidecar_garbled")
        assert.strictEqual(yield* outcome(call), "sidecar_garbled")
      })
      yield* die
      yield* die
      assert.strictEqual(yield* failure, "sidecar_backoff")
      assert.strictEqual(readers.length, 2)
      yield* TestClock.adjust("99 millis")
      assert.strictEqual(yield* failure, "sidecar_backoff")
      yield* TestClock.adjust("1 millis")
      const call = yield* asked
      readers[2]!.answer("well")
      assert.strictEqual(yield* outcome(call), "well")
      yield* die
      yield* die
      assert.strictEqual(readers.length, 4)
    })
  )

  it.effect("that hangs again and again is replaced at once: it has taken its time", () =>
    Effect.gen(function* () {
      const { asked, reader, readers } = yield* over()
      for (let hung = 1; hung <= 10; hung++) {
        const call = yield* asked
        reader.end("sidecar_hung")
        assert.strictEqual(yield* outcome(call), "sidecar_hung")
        assert.strictEqual(readers.length, hung)
      }
    })
  )

  it.effect("that cannot be started is a reason of its own", () =>
    Effect.gen(function* () {
      const { failure, readers, startable } = yield* over()
      startable(false)
      assert.strictEqual(yield* failure, "sidecar_not_startable")
      assert.strictEqual(yield* failure, "sidecar_not_startable")
      assert.strictEqual(yield* failure, "sidecar_backoff")
      assert.strictEqual(readers.length, 0)
    })
  )

  it.effect("that SIGKILL does not end is left behind; so many are, and no more until one has gone", () =>
    Effect.gen(function* () {
      const { asked, failure, reader, readers } = yield* over(false)
      for (let count = 0; count < mostStuck; count++) {
        const call = yield* asked
        reader.end("sidecar_hung")
        assert.strictEqual(yield* outcome(call), "sidecar_hung")
      }
      assert.strictEqual(yield* failure, "sidecar_stuck")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* failure, "sidecar_stuck")
      assert.strictEqual(readers.length, mostStuck)
      readers[1]!.go()
      readers[1]!.go()
      // What one says that was given up is not heard.
      readers[2]!.say("nonsense")
      const call = yield* asked
      readers[mostStuck]!.answer("well")
      assert.strictEqual(yield* outcome(call), "well")
      assert.strictEqual(readers.length, mostStuck + 1)
      // One has gone, once: there is no room for a second.
      reader.end("sidecar_hung")
      assert.strictEqual(yield* failure, "sidecar_stuck")
    })
  )
})
