/** Where there is no adapter every call is refused, for a reason of its own. (design.md section 2) */
import { assert, describe, it } from "@effect/vitest"
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { unavailable } from "@memory-bridge/core/host/PublicAnswer"
import { methodTable } from "@memory-bridge/hermes-plugin/Methods"
import { platformFor } from "@memory-bridge/hermes-plugin/Platform"
import { Effect, Layer, Logger, References } from "effect"

describe.each(["win32", "darwin", "freebsd"] as const)("on %s", (name) => {
  it.effect("search and read answer `unavailable`, and the log says platform_unsupported", () =>
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
        [["refused"], { call: "search", reason: "platform_unsupported" }],
        [["refused"], { call: "read", reason: "platform_unsupported" }]
      ])
    })
  )

  it("the missing fence is named", () => {
    assert.deepStrictEqual(platformFor(name).landlock(undefined), {
      name: "landlock",
      holds: false,
      detail: "platform_unsupported"
    })
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
