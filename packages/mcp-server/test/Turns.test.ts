/** Which call is served when, and for how long: the rule in `Turns.ts`, sentence by sentence. (issue 8 item 4) */
import { assert, describe, it } from "@effect/vitest"
import { make as makeReader } from "@memory-bridge/mcp-server/reader/Reader"
import { limits, make } from "@memory-bridge/mcp-server/Turns"
import { maxUnderWay } from "@memory-bridge/hermes-plugin/Stdio"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { fakeReaders } from "./Fake.ts"

const settle = Effect.forEach(Array.from({ length: 30 }), () => Effect.yieldNow, { discard: true })
const adjust = (millis: number) => Effect.andThen(TestClock.adjust(millis), settle)

const { deadlineMillis, mostWaiting } = limits
const half = deadlineMillis / 2

const turns = (mostWaiting = limits.mostWaiting) =>
  Effect.gen(function* () {
    const { readers, start } = fakeReaders()
    const inTurn = yield* make(yield* makeReader(start), { deadlineMillis, mostWaiting })
    const ended: Array<string> = []
    /** A call by its name, which is what it asks; tells in `ended` how it ended. */
    const call = (name: string) =>
      Effect.forkChild(
        inTurn({ method: name, params: "{}" }).pipe(
          Effect.result,
          Effect.tap((result) =>
            Effect.sync(() =>
              ended.push(`${name} ${Result.isFailure(result) ? result.failure.reason : result.success}`)
            )
          )
        ),
        { startImmediately: true }
      )
    /** What any reader has been asked so far. */
    const asked = () => readers.flatMap(({ sent }) => sent.map(({ method }) => method))
    const answer = Effect.andThen(
      Effect.sync(() => readers.at(-1)!.answer("ok")),
      settle
    )
    return { readers, call, asked, answer, ended }
  })

describe("turns", () => {
  it("have room for less than may be under way at all, so that a ping is always read", () => {
    assert.isBelow(mostWaiting + 1, maxUnderWay)
  })

  it.effect("come one after another, in the order of the calls", () =>
    Effect.gen(function* () {
      const { answer, asked, call, ended } = yield* turns()
      for (const name of ["a", "b", "c"]) yield* call(name)
      yield* settle
      assert.deepStrictEqual(asked(), ["a"])
      yield* answer
      assert.deepStrictEqual(asked(), ["a", "b"])
      yield* answer
      yield* answer
      assert.deepStrictEqual(ended, ["a ok", "b ok", "c ok"])
    })
  )

  it.effect("of fifty calls at once are all had", () =>
    Effect.gen(function* () {
      const { answer, call, ended } = yield* turns()
      const names = Array.from({ length: 50 }, (_, index) => `n${index}`)
      for (const name of names) yield* call(name)
      yield* settle
      for (const _ of names) yield* answer
      assert.deepStrictEqual(
        ended,
        names.map((name) => `${name} ok`)
      )
    })
  )

  it.effect("a call alone has its whole time, and is answered at its end", () =>
    Effect.gen(function* () {
      const { call, ended, readers } = yield* turns()
      yield* call("a")
      yield* adjust(deadlineMillis - 1)
      assert.deepStrictEqual(ended, [])
      assert.isFalse(readers[0]!.killed)
      yield* adjust(1)
      assert.lengthOf(ended, 1)
      assert.isTrue(readers[0]!.killed)
    })
  )

  it.effect("where another waits, the call under way has half of it, and the other another reader", () =>
    Effect.gen(function* () {
      const { answer, call, ended, readers } = yield* turns()
      yield* call("a")
      yield* call("b")
      yield* adjust(half - 1)
      assert.deepStrictEqual(ended, [])
      yield* adjust(1)
      assert.deepStrictEqual(ended, ["a sidecar_hung"])
      yield* answer
      assert.deepStrictEqual(ended, ["a sidecar_hung", "b ok"])
      assert.deepStrictEqual(
        readers.map(({ killed }) => killed),
        [true, false]
      )
    })
  )

  it.effect("a call that comes in the second half ends the one that has had the first", () =>
    Effect.gen(function* () {
      const { answer, call, ended } = yield* turns()
      yield* call("a")
      yield* adjust(half + 1)
      assert.deepStrictEqual(ended, [])
      yield* call("b")
      yield* settle
      assert.deepStrictEqual(ended, ["a sidecar_hung"])
      yield* answer
      assert.deepStrictEqual(ended, ["a sidecar_hung", "b ok"])
    })
  )

  it.effect("a call that waits longer than its time is refused and never asked; one under way keeps its turn", () =>
    Effect.gen(function* () {
      const { answer, asked, call, ended, readers } = yield* turns()
      for (const name of ["a", "b", "c", "d"]) yield* call(name)
      for (let slow = 0; slow < 2; slow++) {
        yield* adjust(half - 1)
        yield* answer
      }
      assert.deepStrictEqual(ended, ["a ok", "b ok"])
      yield* adjust(2)
      assert.sameMembers(ended, ["a ok", "b ok", "c deadline_passed", "d deadline_passed"])
      yield* call("e")
      yield* settle
      assert.deepStrictEqual(asked(), ["a", "b", "c"])
      yield* answer
      yield* answer
      assert.deepStrictEqual(asked(), ["a", "b", "c", "e"])
      assert.deepStrictEqual([readers.length, readers[0]!.killed, ended.at(-1)], [1, false, "e ok"])
    })
  )

  it.effect("a call that is cancelled while it waits is never asked, and hurries nobody", () =>
    Effect.gen(function* () {
      const { answer, asked, call, ended, readers } = yield* turns()
      yield* call("a")
      const waiting = yield* call("b")
      yield* settle
      yield* Fiber.interrupt(waiting)
      yield* adjust(half + 1)
      assert.isFalse(readers[0]!.killed)
      yield* answer
      assert.deepStrictEqual([ended, asked()], [["a ok"], ["a"]])
    })
  )

  it.effect("a call that is cancelled under way keeps its turn until the reader is through", () =>
    Effect.gen(function* () {
      const { answer, asked, call, ended } = yield* turns()
      const underWay = yield* call("a")
      yield* call("b")
      yield* settle
      yield* Fiber.interrupt(underWay)
      yield* settle
      assert.deepStrictEqual(asked(), ["a"])
      yield* answer
      yield* answer
      assert.deepStrictEqual([ended, asked()], [["b ok"], ["a", "b"]])
    })
  )

  it.effect("one more than may wait is refused at once", () =>
    Effect.gen(function* () {
      const { answer, asked, call, ended } = yield* turns(2)
      for (const name of ["a", "b", "c"]) {
        yield* call(name)
        yield* settle
      }
      assert.deepStrictEqual(ended, [])
      yield* call("d")
      yield* settle
      assert.deepStrictEqual(ended, ["d overloaded"])
      yield* answer
      yield* call("e")
      for (let left = 0; left < 3; left++) yield* answer
      assert.deepStrictEqual(ended, ["d overloaded", "a ok", "b ok", "c ok", "e ok"])
      assert.deepStrictEqual(asked(), ["a", "b", "c", "e"])
    })
  )
})
