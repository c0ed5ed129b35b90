/** Where there is no adapter the operator reads so, and nothing is pretended. (design.md section 2) */
import { assert, describe, it } from "@effect/vitest"
import { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import { layerFor, platformText } from "memory-bridge/Platform"

const refusalOn = (platform: NodeJS.Platform) => Effect.flip(Effect.provide(Tree, layerFor(platform)))

describe("a platform without an adapter", () => {
  it.effect.each(["darwin", "win32", "freebsd"] as const)("is refused: %s", (platform) =>
    Effect.gen(function* () {
      const refusal = yield* refusalOn(platform)
      assert.strictEqual(refusal.reason, "platform_unsupported")
      assert.include(platformText(refusal), `(${platform}-${process.arch}) is not supported yet`)
    })
  )
})
