/** Calls on their way to the reader, and what of its answers comes back. (issue 8 item 4) */
import { assert, describe, it } from "@effect/vitest"
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { unavailable } from "@memory-bridge/core/host/PublicAnswer"
import type { DocumentId } from "@memory-bridge/core/tree/DocumentId"
import { Catalogue } from "@memory-bridge/mcp-server/Catalogue"
import { failures } from "@memory-bridge/mcp-server/reader/Reader"
import { forwardLog } from "@memory-bridge/mcp-server/reader/ReaderLog"
import { layer, portable } from "@memory-bridge/mcp-server/reader/Remote"
import { refusals } from "@memory-bridge/mcp-server/Turns"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { fakeReaders } from "./Fake.ts"

const signals = { home: "/h" }

const settle = Effect.forEach(Array.from({ length: 30 }), () => Effect.yieldNow, { discard: true })

const remote = Effect.gen(function* () {
  const fake = fakeReaders()
  const log: Array<Readonly<Record<string, unknown>>> = []
  const collect = Logger.layer([
    Logger.make(({ fiber, message }) => {
      log.push({ message: (message as ReadonlyArray<unknown>)[0], ...fiber.getRef(References.CurrentLogAnnotations) })
    })
  ])
  const context = yield* Layer.build(layer(fake.start))
  const call = <A>(effect: Effect.Effect<A>) =>
    Effect.andThen(
      Effect.tap(Effect.forkChild(Effect.provide(effect, collect), { startImmediately: true }), () => settle),
      (fiber) => Effect.succeed(fiber)
    )
  return { ...fake, log, call, bridge: Context.get(context, Bridge), catalogue: Context.get(context, Catalogue) }
})

describe("a call to the reader", () => {
  it.effect("finds it started, and keeps signals and arguments apart", () =>
    Effect.gen(function* () {
      const { bridge, call, catalogue, readers } = yield* remote
      assert.strictEqual(readers.length, 1)
      const [reader] = readers
      const args = { query: "x", signals: { home: "/evil" } }
      for (const [effect, method, params] of [
        [bridge.search(signals, args), "memory_bridge.search", { signals, arguments: args }],
        [bridge.read(signals, undefined), "memory_bridge.read", { signals, arguments: null }],
        [catalogue.list(signals, undefined), "memory_bridge.list", { signals, after: null }],
        [catalogue.list(signals, "a.md" as DocumentId), "memory_bridge.list", { signals, after: "a.md" }]
      ] as const) {
        const fiber = yield* call(effect as Effect.Effect<unknown>)
        assert.deepInclude(reader!.sent.at(-1)!, { method, params })
        reader!.answer({ ok: true, method })
        assert.deepStrictEqual(yield* Fiber.join(fiber), { ok: true, method })
      }
    })
  )

  it.effect.each([null, 1, "ok", [], {}, { ok: 1 }, { error: {} }])("takes no %j for an answer", (result) =>
    Effect.gen(function* () {
      const { bridge, call, log, readers } = yield* remote
      const fiber = yield* call(bridge.search(signals, {}))
      readers[0]!.answer(result)
      assert.deepStrictEqual(yield* Fiber.join(fiber), unavailable)
      assert.deepStrictEqual(log, [{ message: "refused", call: "search", reason: "answer_malformed" }])
    })
  )

  it.effect("is unavailable after its time, and the log has the reason", () =>
    Effect.gen(function* () {
      const { bridge, call, log } = yield* remote
      const fiber = yield* call(bridge.read(signals, {}))
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), unavailable)
      assert.lengthOf(log, 1)
      assert.include(["deadline_passed", "sidecar_hung"], log[0]!["reason"])
    })
  )

  it("passes arguments on that have a bounded form, and null for others", () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    for (const args of [undefined, deep, "x".repeat(1024 * 1024), "é".repeat(600_000), 1n])
      assert.strictEqual(portable(args), "null")
    assert.strictEqual(portable({ query: "x" }), '{"query":"x"}')
  })
})

describe("the reader's log", () => {
  const forwarded = (...chunks: ReadonlyArray<string>) => {
    const lines: Array<unknown> = []
    const take = forwardLog((line) => lines.push(JSON.parse(line)))
    for (const chunk of chunks) take(new TextEncoder().encode(chunk))
    return lines
  }

  it("is passed on line by line, and of anything else only the length", () => {
    const line = { level: "info", code: "started", node: "24" }
    assert.deepStrictEqual(
      forwarded(JSON.stringify(line).slice(0, 9), JSON.stringify(line).slice(9) + "\n/home/me/crash.js:1\n[]\nnull\n"),
      [line, ...[19, 2, 4].map((bytes) => ({ level: "warning", code: "stderr_not_json", bytes }))]
    )
    assert.deepStrictEqual(forwarded("x".repeat(10_000) + "\n"), [{ level: "warning", code: "stderr_line_too_long" }])
  })
})

describe("every reason why there was no answer", () => {
  const top = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..")
  const page = readFileSync(join(top, "docs", "troubleshooting.md"), "utf8")

  it.each([...failures, ...refusals])("%s is on the page for operators", (reason) => {
    const section = page.slice(page.indexOf("## The plugin could not ask its sidecar"))
    assert.include(section.slice(0, section.indexOf("\n## ")), `| \`${reason}\` |`)
  })
})
