/** SHA-256 by the system's library, of the UTF-8 of a text. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultPolicy } from "@memory-bridge/core/guard/Policy"
import { Fingerprint, fingerprintOf } from "@memory-bridge/core/lab/Fingerprint"
import { layer, sha256 } from "@memory-bridge/platform-posix/lab/Fingerprint"

describe("fingerprints", () => {
  it("are those of the standard's own examples", () => {
    assert.strictEqual(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    assert.strictEqual(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  })

  it.effect("of a policy are 64 digits, and differ where policies do", () =>
    Effect.gen(function* () {
      const service = yield* Fingerprint
      const [one, other] = ["/home/a", "/home/b"].map((home) => fingerprintOf(service.sha256, defaultPolicy(home)))
      assert.match(one ?? "", /^[0-9a-f]{64}$/)
      assert.notStrictEqual(one, other)
      assert.strictEqual(one, fingerprintOf(service.sha256, defaultPolicy("/home/a")))
    }).pipe(Effect.provide(layer))
  )
})
