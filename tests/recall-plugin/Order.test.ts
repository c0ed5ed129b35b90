/** Calls that are answered as they complete: started in order, bounded, and left at the end. (packages/hermes-plugin Stdio) */
import { assert, describe, it } from "@effect/vitest"
import { serve } from "@memory-bridge/hermes-plugin/Stdio"
import { PassThrough } from "node:stream"

/** Answers to lines, each given when the test says so. */
const answers = () => {
  const started: Array<string> = []
  const waiting = new Map<string, () => void>()
  return {
    started,
    give: (text: string) => waiting.get(text)?.(),
    answer: (line: { readonly kind: string; readonly bytes?: Uint8Array }) => {
      const text = Buffer.from(line.bytes ?? []).toString()
      started.push(text)
      return new Promise<string>((resolve) => waiting.set(text, () => resolve(`${text}\n`)))
    }
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe("answers as they complete", () => {
  it("come in the order of their end, from calls that began in order", async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const calls = answers()
    const served = serve(input, output, calls.answer, "as_completed")
    input.write("slow\nquick\n")
    await settled()
    assert.deepStrictEqual(calls.started, ["slow", "quick"])
    calls.give("quick")
    await settled()
    calls.give("slow")
    await settled()
    assert.strictEqual(String(output.read()), "quick\nslow\n")
    input.end()
    await served
  })

  it("do not begin while as many as allowed are under way", async () => {
    const input = new PassThrough()
    const calls = answers()
    const served = serve(input, new PassThrough().resume(), calls.answer, "as_completed", 2)
    input.write("a\nb\nc\n")
    await settled()
    assert.deepStrictEqual(calls.started, ["a", "b"])
    calls.give("b")
    await settled()
    assert.deepStrictEqual(calls.started, ["a", "b", "c"])
    calls.give("c")
    input.end()
    await served
  })

  it("are not waited for when the input has ended", async () => {
    const input = new PassThrough()
    const calls = answers()
    const served = serve(input, new PassThrough().resume(), calls.answer, "as_completed")
    input.end("hangs\n")
    await served
    assert.deepStrictEqual(calls.started, ["hangs"])
  })
})

describe("answers one by one", () => {
  it("keep the next call waiting", async () => {
    const input = new PassThrough()
    const calls = answers()
    const served = serve(input, new PassThrough().resume(), calls.answer, "one_by_one")
    input.end("a\nb\n")
    await settled()
    assert.deepStrictEqual(calls.started, ["a"])
    calls.give("a")
    await settled()
    assert.deepStrictEqual(calls.started, ["a", "b"])
    calls.give("b")
    await served
  })
})
