/** Seed 003 "Write and anti-recursion boundary"; cases/recall.md 9, 18, 23, 28, 46 and 51. */
import { assert, describe, it } from "@effect/vitest"
import { blockOf } from "@memory-bridge/core/recall/Block"
import type { Mode } from "@memory-bridge/core/recall/Mode"
import { Recall } from "@memory-bridge/core/recall/Recall"
import { settingsOf } from "@memory-bridge/core/recall/Settings"
import type { Stored } from "@memory-bridge/core/recall/Source"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import { failing, host, items, place, profile, queue, settle, take, taken } from "./given/Host.ts"

const always = () => host(() => Effect.succeed(items("a", "b")))
const capturing = place("s1", { environment: { HY_MEMORY_AUTO_CAPTURE: "true" } })
const capture = (text: string, at = capturing) => Recall.use((recall) => recall.capture(at, text))
const add = (args: unknown, at = place()) => Recall.use((recall) => recall.add(at, args))
const search = (args: unknown, at = place()) => Recall.use((recall) => recall.search(at, args))
const code = (answer: { readonly ok: boolean } & object): string =>
  "error" in answer ? (answer.error as { code: string }).code : "ok"

const settings = Result.getOrThrow(settingsOf({}))
const managed: Mode = {
  kind: "managed",
  settings,
  connection: { discoveryFile: "/m/d", credentialFile: "/m/c" }
}

describe("the search tool", () => {
  it.effect("answers in the boundary of injected recall", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* search({ query: "boat" }), {
        ok: true,
        count: 2,
        context: blockOf(items("a", "b"), 4_000).text
      })
    }).pipe(Effect.provide(always().layer))
  )

  it.effect("says that nothing was found", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* search({ query: "boat" }), { ok: true, count: 0, context: "" })
    }).pipe(Effect.provide(host(() => Effect.succeed([])).layer))
  )

  it.effect.each([
    [{ query: "boat", user_id: "eve" }],
    [{ query: "boat", session: "s2" }],
    [{ query: "boat", home: "/eve" }],
    [{ query: " " }],
    [{ query: 5 }],
    [{ query: "boat", limit: 0 }],
    [{ query: "boat", limit: 21 }],
    [{ query: "boat", limit: 1.5 }],
    [{}],
    [null],
    ["boat"]
  ])("takes a query and a limit, not %j", ([args]) =>
    Effect.gen(function* () {
      const given = always()
      const answer = yield* Effect.provide(search(args), given.layer)
      assert.strictEqual(code(answer), "invalid_request")
      assert.deepStrictEqual(given.asked, [])
    })
  )

  it.effect("is final when recall is down, and asks nobody while the source is left alone", () =>
    Effect.gen(function* () {
      const given = host(() => failing("unreachable"))
      yield* Effect.gen(function* () {
        for (let count = 0; count < 20; count++) {
          const answer = yield* search({ query: "boat" })
          assert.deepStrictEqual(answer, {
            ok: false,
            error: {
              code: "unavailable",
              message:
                "Memory recall is not available. Do not call this tool again now; go on without recalled memory.",
              retry: false
            }
          })
        }
      }).pipe(Effect.provide(given.layer))
      assert.strictEqual(given.asked.length, 3)
    })
  )

  it.effect("ends at the deadline", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(search({ query: "boat" }))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(code(yield* Fiber.join(fiber)), "unavailable")
    }).pipe(Effect.provide(host(() => Effect.never).layer))
  )
})

describe("the add tool", () => {
  it.effect("stores a text in direct mode", () =>
    Effect.gen(function* () {
      const given = always()
      const answer = yield* Effect.provide(add({ text: " My boat is Ada. " }), given.layer)
      assert.deepStrictEqual(answer, { ok: true, stored: true, searchable: true })
      assert.deepStrictEqual(given.stored, ["My boat is Ada."])
    })
  )

  it.effect.each([
    ["managed", managed],
    ["notes", { kind: "notes", settings }],
    ["disabled", { kind: "disabled", reason: "connection_invalid" }],
    ["off", { kind: "off", reason: "not_configured" }]
  ] as ReadonlyArray<readonly [string, Mode]>)("is not offered in mode %s", ([, mode]) =>
    Effect.gen(function* () {
      const given = always()
      given.given.mode = mode
      yield* Effect.gen(function* () {
        assert.strictEqual(code(yield* add({ text: "x y z" })), "not_offered")
        yield* capture("My boat is Ada.")
        yield* settle
      }).pipe(Effect.provide(given.layer))
      assert.deepStrictEqual(given.stored, [])
    })
  )

  it.effect("nor to a run that is not the primary one", () =>
    Effect.gen(function* () {
      const given = always()
      yield* Effect.gen(function* () {
        for (const run of ["cron", "subagent", "flush", ""]) {
          const at = place("s1", { run, environment: { HY_MEMORY_AUTO_CAPTURE: "true" } })
          assert.strictEqual(code(yield* add({ text: "x y z" }, at)), "not_offered")
          yield* capture("My boat is Ada.", at)
        }
        yield* settle
      }).pipe(Effect.provide(given.layer))
      assert.deepStrictEqual(given.stored, [])
    })
  )

  it.effect.each([
    [{ text: "x", user_id: "eve" }],
    [{ text: "" }],
    [{ text: blockOf(items("a"), 4_000).text }],
    [{ text: "x".repeat(16_001) }],
    [{ text: 5 }],
    [undefined]
  ])("takes a text of its own, not %j", ([args]) =>
    Effect.gen(function* () {
      const given = always()
      assert.strictEqual(code(yield* Effect.provide(add(args), given.layer)), "invalid_request")
      assert.deepStrictEqual(given.stored, [])
    })
  )

  it.effect("says what became of it", () =>
    Effect.gen(function* () {
      const given = always()
      yield* Effect.gen(function* () {
        given.given.add = () => Effect.succeed({ searchable: false })
        assert.deepStrictEqual(yield* add({ text: "a b" }), { ok: true, stored: true, searchable: false })
        given.given.add = () => failing("server_refused")
        assert.strictEqual(code(yield* add({ text: "a b" })), "not_stored")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("has the write timeout, and its failures keep nobody from reading", () =>
    Effect.gen(function* () {
      const given = always()
      given.given.add = () => Effect.never
      const slow = place("s1", { environment: { HY_MEMORY_WRITE_TIMEOUT: "60" } })
      yield* Effect.gen(function* () {
        for (let count = 0; count < 3; count++) {
          const fiber = yield* Effect.forkChild(add({ text: "a b" }, slow))
          yield* TestClock.adjust("59 seconds")
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust("1 second")
          assert.strictEqual(code(yield* Fiber.join(fiber)), "not_stored")
        }
        assert.strictEqual(code(yield* add({ text: "a b" }, slow)), "not_stored")
        assert.strictEqual(code(yield* search({ query: "boat" })), "ok")
      }).pipe(Effect.provide(given.layer))
      assert.strictEqual(given.stored.length, 3)
    })
  )
})

describe("stores that take a minute", () => {
  it.effect("take no place from reads, and are not held against the source", () =>
    Effect.gen(function* () {
      const given = always()
      given.given.add = () => Effect.never
      const slow = place("s1", { environment: { HY_MEMORY_WRITE_TIMEOUT: "60" } })
      yield* Effect.gen(function* () {
        for (let count = 0; count < 12; count++) yield* Effect.forkChild(add({ text: `text ${count}` }, slow))
        yield* settle
        assert.strictEqual(given.stored.length, 8)
        for (let count = 0; count < 4; count++) assert.strictEqual(code(yield* search({ query: "boat" })), "ok")
        yield* TestClock.adjust("60 seconds")
        // Four found no place in their time: that says nothing about the server, which is asked again at once.
        given.given.add = () => Effect.succeed({ searchable: true })
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(code(yield* add({ text: "one more" }, slow)), "ok")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("do not keep a turn that waits for its own question from its answer", () =>
    Effect.gen(function* () {
      const given = always()
      given.given.add = () => Effect.never
      const environment = { HY_MEMORY_AUTO_CAPTURE: "true", HY_MEMORY_FRESH: "true" }
      const both = place("s1", { environment })
      yield* Effect.gen(function* () {
        yield* capture("My boat is Ada.", both)
        const fiber = yield* Effect.forkChild(Recall.use((recall) => recall.fresh(both, "which boat?")))
        yield* TestClock.adjust("1 second")
        assert.include((yield* Fiber.join(fiber)).block, "[a]")
      }).pipe(Effect.provide(given.layer))
    })
  )
})

describe("capture", () => {
  it.effect("is off unless it is opted in to", () =>
    Effect.gen(function* () {
      const given = always()
      yield* Effect.provide(Effect.andThen(capture("My boat is Ada.", place()), settle), given.layer)
      assert.deepStrictEqual(given.stored, [])
    })
  )

  it.effect("stores what the user wrote, without blocks and secrets", () =>
    Effect.gen(function* () {
      const given = always()
      const block = blockOf(items("a"), 4_000).text
      yield* Effect.gen(function* () {
        yield* capture("My shed is new.")
        yield* settle
        const { last_write } = yield* Recall.use((recall) => recall.status(profile()))
        assert.strictEqual(last_write?.ending.kind, "stored")
        yield* capture(`My boat is Ada, her password: hunter22\n\n<memory-context>\n${block}\n</memory-context>`)
        yield* capture(block)
        yield* capture("thanks")
        yield* capture("-----BEGIN PRIVATE KEY-----\nx")
        yield* settle
      }).pipe(Effect.provide(given.layer))
      assert.deepStrictEqual(given.stored, ["My shed is new.", "My boat is Ada, her password: [secret]"])
    })
  )

  it.effect("feeds no recall back, however often it is tried", () =>
    Effect.gen(function* () {
      const memories: Array<string> = ["The boat is Ada."]
      const given = host(() =>
        Effect.sync(() => memories.map((content, index) => ({ id: `m${index}`, content, revision: content })))
      )
      given.given.add = (text) =>
        Effect.sync((): Stored => {
          memories.push(text)
          return { searchable: true }
        })
      const dropping = place("s1", { environment: { HY_MEMORY_AUTO_CAPTURE: "true" }, history: "dropped" })
      yield* Effect.gen(function* () {
        for (let count = 0; count < 30; count++) {
          yield* queue("boat?", dropping)
          yield* settle
          const { block } = yield* take(dropping)
          // A host that hands the whole message over, recalled text and all.
          yield* capture(`and now?\n\n<memory-context>\n${block}\n</memory-context>`, dropping)
          yield* settle
        }
      }).pipe(Effect.provide(given.layer))
      assert.deepStrictEqual(new Set(memories), new Set(["The boat is Ada.", "and now?"]))
      for (const memory of memories) assert.notInclude(memory, "memhub")
    })
  )

  it.effect("stores one after the other, and lets few wait", () =>
    Effect.gen(function* () {
      const given = always()
      const gate = yield* Deferred.make<Stored>()
      given.given.add = () => Deferred.await(gate)
      yield* Effect.gen(function* () {
        for (let count = 0; count < 20; count++) yield* capture(`Text number ${count}.`)
        yield* settle
        assert.strictEqual(given.stored.length, 1)
        yield* Deferred.succeed(gate, { searchable: true })
        yield* settle
        assert.strictEqual(given.stored.length, 8)
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("a recall waits for its own session's text, two seconds at most, and for no other's", () =>
    Effect.gen(function* () {
      const given = always()
      given.given.add = () => Effect.delay(Effect.succeed({ searchable: true }), "1 second")
      yield* Effect.gen(function* () {
        yield* capture("My boat is Ada.")
        yield* queue("boat?", capturing)
        yield* queue("boat?", place("s2"))
        yield* settle
        assert.strictEqual(yield* taken(place("s2")), "a b")
        assert.strictEqual(yield* taken(capturing), "")
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* taken(capturing), "a b")
        given.given.add = () => Effect.never
        yield* capture("My shed is new.", place("s3", capturing.profile))
        yield* queue("boat?", place("s3", capturing.profile))
        yield* TestClock.adjust("1999 millis")
        assert.strictEqual(yield* taken(place("s3")), "")
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* taken(place("s3")), "a b")
      }).pipe(Effect.provide(given.layer))
    })
  )
})
