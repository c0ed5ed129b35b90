/** The byte stream is cut into lines the same way however it arrives, and at bounded cost. (design.md section 6) */
import { assert, describe, it } from "@effect/vitest"
import { type Line, makeLines } from "@memory-bridge/hermes-plugin/rpc/Lines"

const bytes = (text: string): Uint8Array => Buffer.from(text, "utf8")
const shown = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  lines.map((line) => (line.kind === "line" ? Buffer.from(line.bytes).toString("utf8") : "<too long>"))

describe("a stream of lines", () => {
  const stream = "first\n\nthird, with é and 茶\nfar too long for the limit\nfifth\nunfinished"
  const expected = ["first", "", "third, with é and 茶", "<too long>", "fifth"]

  it("is cut the same at every place where it may arrive in two parts", () => {
    const whole = bytes(stream)
    for (let cut = 0; cut <= whole.length; cut++) {
      const lines = makeLines(24)
      assert.deepStrictEqual(
        shown([...lines(whole.subarray(0, cut)), ...lines(whole.subarray(cut))]),
        expected,
        `cut at ${cut}`
      )
    }
  })

  it("is cut the same byte by byte", () => {
    const lines = makeLines(24)
    assert.deepStrictEqual(shown([...bytes(stream)].flatMap((byte) => lines(Uint8Array.of(byte)))), expected)
  })

  it("reports a line that is too long before it ends, and only once", () => {
    const lines = makeLines(8)
    assert.deepStrictEqual(shown(lines(bytes("123456789"))), ["<too long>"])
    for (let more = 0; more < 100; more++) assert.deepStrictEqual(lines(bytes("more and more")), [])
    assert.deepStrictEqual(shown(lines(bytes("end\nnext\n"))), ["next"])
  })

  it("takes a line of exactly the limit", () => {
    assert.deepStrictEqual(shown(makeLines(8)(bytes("12345678\n"))), ["12345678"])
  })
})
