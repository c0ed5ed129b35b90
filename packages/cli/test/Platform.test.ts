/** Where there is no adapter the operator reads so, and nothing is pretended. (design.md section 2) */
import { assert, describe, it } from "@effect/vitest"
import { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import { layerFor, platformText } from "memory-bridge/Platform"

const refusalOn = (platform: NodeJS.Platform) => Effect.flip(Effect.provide(Tree, layerFor(platform)))

describe("a platform without an adapter", () => {
  it.effect.each(["win32", "freebsd"] as const)("is refused: %s", (platform) =>
    Effect.gen(function* () {
      const refusal = yield* refusalOn(platform)
      assert.strictEqual(refusal.reason, "platform_unsupported")
      assert.include(platformText(refusal), `(${platform}-${process.arch}) is not supported.`)
    })
  )
})

describe("a platform whose library is not there", () => {
  const foreign = process.platform === "darwin" ? "linux" : "darwin"
  it.effect("is refused when the adapter binds it", () =>
    Effect.gen(function* () {
      const refusal = yield* refusalOn(foreign)
      assert.strictEqual(refusal.reason, "platform_unloadable")
      assert.include(platformText(refusal), `(${foreign}-${process.arch}) does not load`)
    })
  )
})
