import { nameCapacity, writeName } from "@memory-bridge/platform-posix/EntryName"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const writtenAs = (name: string): string | Buffer => {
  const into = Buffer.alloc(nameCapacity, 0x2f)
  return writeName(into, name) ?? Buffer.from(into.subarray(0, into.indexOf(0)))
}

describe("a name for the kernel", () => {
  it.each(["", ".", "..", "/", "a/b", "/a", "a/", "\0", "a\0b", "é/b", "日本\0", "\ud800", "a\udfff", "\udc00\ud800"])(
    "%j is none",
    (name) => assert.strictEqual(writtenAs(name), "missing")
  )

  it.each(["a", "...", "..a", " ", "-", "\\", "\n", "~", "\u007f", "é", "日本語", "🎉", "e\u0301", "\ufffd"])(
    "%j is written byte for byte and ends with a NUL",
    (name) => assert.deepStrictEqual(writtenAs(name), Buffer.from(name, "utf8"))
  )

  it("4095 characters fit, whatever they take, and one more is too long", () => {
    for (const character of ["a", "é", "日"]) {
      assert.deepStrictEqual(writtenAs(character.repeat(4095)), Buffer.from(character.repeat(4095)))
      assert.strictEqual(writtenAs(character.repeat(4096)), "name_too_long")
    }
  })

  it("a shorter name after a longer one leaves nothing of it", () => {
    const into = Buffer.alloc(nameCapacity)
    writeName(into, "日本語日本語")
    writeName(into, "ab")
    assert.strictEqual(into.subarray(0, into.indexOf(0)).toString(), "ab")
  })

  it.prop(
    "any string is refused, or written as what reads back as itself",
    { name: Schema.String },
    ({ name }) => {
      const written = writtenAs(name)
      if (typeof written !== "string") {
        assert.strictEqual(written.toString("utf8"), name)
        assert.isFalse(name.includes("/"))
      }
    },
    { arbitrary: { runs: 2000, seed: 7 } }
  )
})
