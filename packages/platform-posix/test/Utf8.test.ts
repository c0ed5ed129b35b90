import { decodeUtf8 } from "@memory-bridge/platform-posix/Utf8"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const oracle = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

describe("strict UTF-8", () => {
  it.prop(
    "agrees with a fatal TextDecoder on any bytes, and looks at nothing outside its range",
    {
      bytes: Schema.Array(
        Schema.Literals([0x00, 0x41, 0x7f, 0x80, 0xa0, 0xbf, 0xc2, 0xe2, 0xed, 0xef, 0xbb, 0xf0, 0xf4, 0xff])
      )
    },
    ({ bytes }) => {
      const whole = Buffer.from([0xff, ...bytes, 0x80])
      let expected: string | undefined
      try {
        expected = oracle.decode(Uint8Array.from(bytes))
      } catch {
        expected = undefined
      }
      assert.strictEqual(decodeUtf8(whole, 1, whole.length - 1), expected)
    },
    { arbitrary: { runs: 3000, seed: 11 } }
  )

  it("keeps a byte order mark", () => {
    assert.strictEqual(decodeUtf8(Buffer.from([0xef, 0xbb, 0xbf, 0x61]), 0, 4), "\ufeffa")
  })

  it("gives a text that outlives the buffer", () => {
    for (const text of ["plain text that is long enough to be shared", "ünïcödé text that is long enough"]) {
      const buffer = Buffer.from(text)
      const decoded = decodeUtf8(buffer, 0, buffer.length)
      buffer.fill(0x2a)
      assert.strictEqual(decoded, text)
    }
  })
})
