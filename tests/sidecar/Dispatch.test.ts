/** Every line with an id gets exactly one answer, and it says no more than JSON-RPC asks for. (design.md section 6) */
import { assert, describe, it } from "@effect/vitest"
import { answerTo, method, type MethodTable } from "@memory-bridge/hermes-plugin/rpc/Dispatch"
import { Effect, Logger, Ref, References, Schema } from "effect"

const table: MethodTable<never> = new Map([
  ["echo", method(Schema.Struct({ text: Schema.String }), ({ text }) => Effect.succeed(text))],
  ["die", method(Schema.Unknown, () => Effect.die(new RangeError("/secret/path holds content")))],
  [
    "throw",
    method(Schema.Unknown, () => {
      throw new TypeError("/secret/path holds content")
    })
  ],
  ["interrupt", method(Schema.Unknown, () => Effect.interrupt)],
  ["nothing", method(Schema.Unknown, () => Effect.succeed(undefined))],
  [
    "cycle",
    method(Schema.Unknown, () =>
      Effect.sync(() => {
        const circle: Record<string, unknown> = {}
        circle["itself"] = circle
        return circle
      })
    )
  ]
])

const ask = (text: string | Uint8Array) =>
  answerTo(table)({ kind: "line", bytes: typeof text === "string" ? Buffer.from(text, "utf8") : text }).pipe(
    Effect.map((answer) => {
      if (answer === undefined) return undefined
      assert.strictEqual(answer.indexOf("\n"), answer.length - 1, "an answer is one line")
      return JSON.parse(answer) as unknown
    })
  )

const error = (code: number, message: string, id: unknown = null) => ({ jsonrpc: "2.0", id, error: { code, message } })
const parseError = error(-32700, "parse error")
const invalidRequest = (id: unknown = null) => error(-32600, "invalid request", id)

const request = (members: Record<string, unknown>): string => JSON.stringify({ jsonrpc: "2.0", ...members })

describe("a request", () => {
  it.effect.each([1, 0, -7, "call-1", null])("with id %s is answered under that id", (id) =>
    Effect.gen(function* () {
      const answer = yield* ask(request({ id, method: "echo", params: { text: "é茶🎉" } }))
      assert.deepStrictEqual(answer, { jsonrpc: "2.0", id, result: "é茶🎉" })
    })
  )

  it.effect("without an id gets no answer, whatever it asks for", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* ask(request({ method: "echo", params: { text: "x" } })))
      assert.isUndefined(yield* ask(request({ method: "die" })))
      assert.isUndefined(yield* ask(request({ method: "no such method" })))
    })
  )

  it.effect("for an unknown method, or one that objects inherit, is -32601", () =>
    Effect.gen(function* () {
      for (const name of ["no_such", "", "constructor", "__proto__", "toString"]) {
        assert.deepStrictEqual(yield* ask(request({ id: 1, method: name })), error(-32601, "method not found", 1), name)
      }
    })
  )

  it.effect.each([undefined, null, [], {}, { text: 1 }, { text: "x", more: 1 }, ["x"]])(
    "with parameters %j that the method does not take is -32602",
    (params) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* ask(request({ id: 1, method: "echo", params })),
          error(-32602, "invalid params", 1)
        )
      })
  )

  it.effect("with a member too many in __proto__ is -32602", () =>
    Effect.gen(function* () {
      const line = `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"x","__proto__":{}}}`
      assert.deepStrictEqual(yield* ask(line), error(-32602, "invalid params", 1))
    })
  )
})

describe("a line that is no request", () => {
  it.effect.each(["", " ", "garbage", "{", '{"jsonrpc":"2.0","id":1', "\u0000", "\ufeff{}", "NaN", "'x'"])(
    "%j is a parse error under id null",
    (line) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* ask(line), parseError)
      })
  )

  it.effect("with bytes that are not UTF-8 is a parse error, even inside a string", () =>
    Effect.gen(function* () {
      const line = Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
        Uint8Array.of(0xff),
        Buffer.from('"}')
      ])
      assert.deepStrictEqual(yield* ask(line), parseError)
    })
  )

  it.effect("nested 100,000 deep is answered", () =>
    Effect.gen(function* () {
      const answer = yield* ask("[".repeat(100_000) + "]".repeat(100_000))
      assert.deepStrictEqual(answer, invalidRequest())
    })
  )

  it.effect.each(["null", "true", "1", '"x"', "[]", '[{"jsonrpc":"2.0","id":1,"method":"echo"}]', "{}"])(
    "%s is -32600; batches too",
    (line) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* ask(line), invalidRequest())
      })
  )

  it.effect.each([
    [{ id: 7, method: "echo", jsonrpc: "1.0" }, 7],
    [{ id: 7, method: 3 }, 7],
    [{ id: 7 }, 7],
    [{ id: "x", method: "echo", extra: 1 }, "x"],
    [{ id: 1.5, method: "echo" }, null],
    [{ id: {}, method: "echo" }, null],
    [{ id: [1], method: "echo" }, null],
    [{ id: true, method: "echo" }, null],
    [{ id: "x".repeat(65), method: "echo" }, null]
  ] as const)("%j is -32600 under the id that can be made out", ([members, id]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask(request(members)), invalidRequest(id))
    })
  )

  it.effect("that is too long is an error under id null", () =>
    Effect.gen(function* () {
      const answer = yield* answerTo(table)({ kind: "too_long" })
      assert.deepStrictEqual(JSON.parse(answer!), error(-32000, "line too long"))
    })
  )
})

describe("a method that breaks", () => {
  it.effect.each(["die", "throw", "interrupt", "nothing", "cycle"])(
    "by %s is -32603 without a detail; the log gets a code and the kind of error",
    (name) =>
      Effect.gen(function* () {
        const seen = yield* Ref.make<ReadonlyArray<string>>([])
        const collect = Logger.layer([
          Logger.make(({ fiber, message }) => {
            const entry = JSON.stringify([message, fiber.getRef(References.CurrentLogAnnotations)])
            Effect.runSync(Ref.update(seen, (entries) => [...entries, entry]))
          })
        ])
        const answer = yield* ask(request({ id: 5, method: name })).pipe(Effect.provide(collect))
        assert.deepStrictEqual(answer, error(-32603, "internal error", 5))
        const log = yield* Ref.get(seen)
        assert.strictEqual(log.length, 1)
        assert.include(log[0], "method_defect")
        assert.include(log[0], name)
        assert.notInclude(log[0], "secret")
        assert.notInclude(log[0], "content")
      })
  )
})
