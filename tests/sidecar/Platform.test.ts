/** Where there is no adapter every call is refused, for a reason of its own. (design.md section 2) */
import { assert, describe, it } from "@effect/vitest"
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { unavailable } from "@memory-bridge/core/host/PublicAnswer"
import { methodTable } from "@memory-bridge/hermes-plugin/Methods"
import { platformFor } from "@memory-bridge/hermes-plugin/Platform"
import { Effect, Layer, Logger, References } from "effect"

/** On another system than its own an adapter finds no library to bind. */
const foreign = process.platform === "darwin" ? "linux" : "darwin"

describe.each([
  ["win32", "platform_unsupported"],
  ["freebsd", "platform_unsupported"],
  [foreign, "platform_unloadable"]
] as const)("on %s", (name, reason) => {
  it.effect(`search and read answer \`unavailable\`, and the log says ${reason}`, () =>
    Effect.gen(function* () {
      const log: Array<unknown> = []
      const collect = Logger.layer([
        Logger.make(({ fiber, message }) => {
          log.push([message, fiber.getRef(References.CurrentLogAnnotations)])
        })
      ])
      const answers = yield* Bridge.use((bridge) =>
        Effect.all([bridge.search({}, { query: "x" }), bridge.read({}, { id: "x.md" })])
      ).pipe(Effect.provide(Layer.merge(platformFor(name).bridge, collect)))
      assert.deepStrictEqual(answers, [unavailable, unavailable])
      assert.deepStrictEqual(log, [
        [["refused"], { call: "search", reason }],
        [["refused"], { call: "read", reason }]
      ])
    })
  )
})

describe("the fence that the kernel does not have", () => {
  it.each([
    ["win32", "platform_unsupported"],
    ["freebsd", "platform_unsupported"],
    ["darwin", "not_on_macos"]
  ] as const)("is named on %s", (name, detail) => {
    assert.deepStrictEqual(platformFor(name).landlock(undefined), { name: "landlock", holds: false, detail })
  })
})

describe("the method table", () => {
  it("has the names that the shim and the operator use, and no other", () => {
    assert.deepStrictEqual(
      [...methodTable([]).keys()],
      ["memory_bridge.search", "memory_bridge.read", "status", "ping"]
    )
  })
})
