import { boundedRead } from "@memory-bridge/platform-posix/BoundedRead"
import { EIO, EMFILE } from "@memory-bridge/platform-posix/Errno"
import { assert, describe, it } from "@effect/vitest"

/** A file as `pread` sees it; `atMost` bytes come for a call, and none from `failsAt` on. */
const fake = (content: string | Uint8Array, atMost = Infinity, failsAt = Infinity, errno = EIO) => {
  const bytes = Buffer.from(content)
  const asked: Array<readonly [count: number, offset: number]> = []
  const read = boundedRead({
    readAt: (_descriptor, into, count, offset) => {
      asked.push([count, offset])
      if (offset >= failsAt) return -errno
      assert.isAtMost(count, into.length, "never more than the buffer holds")
      const part = bytes.subarray(offset, offset + Math.min(count, atMost))
      into.set(part)
      return part.length
    }
  })
  return { asked, read: (expected: number) => read(3, expected) }
}

describe("reading a file of known size", () => {
  it("takes one call for a note, and asks for one byte beyond it", () => {
    const { asked, read } = fake("hello")
    assert.deepStrictEqual(read(5), { consumed: 5, text: "hello" })
    assert.deepStrictEqual(asked, [[6, 0]])
  })

  it("puts together what comes in pieces", () => {
    const text = "0123456789".repeat(30_000)
    assert.deepStrictEqual(fake(text, 7_777).read(text.length), { consumed: text.length, text })
  })

  it.each([0, 1, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073])("is exact at %d bytes", (size) => {
    const text = "x".repeat(size)
    assert.deepStrictEqual(fake(text).read(size), { consumed: size, text })
    assert.deepStrictEqual(fake(`${text}x`).read(size), { consumed: size + 1, refused: "changed" })
    if (size > 0) assert.deepStrictEqual(fake(text.slice(1)).read(size), { consumed: size - 1, refused: "changed" })
  })

  it("never asks for more than one byte beyond, however large the file", () => {
    const { asked, read } = fake("x".repeat(300_000), 50_000)
    assert.deepStrictEqual(read(100_000), { consumed: 100_001, refused: "changed" })
    for (const [count, offset] of asked) assert.isAtMost(count + offset, 100_001)
  })

  it("counts what was consumed before a failure, and says which failure", () => {
    assert.deepStrictEqual(fake("x".repeat(100), 30, 60).read(100), { consumed: 60, refused: "io" })
    assert.deepStrictEqual(fake("x".repeat(100), 30, 0, EMFILE).read(100), { consumed: 0, refused: "exhausted" })
  })

  it("reserves no memory for a size that lies", () => {
    const before = process.memoryUsage().arrayBuffers
    assert.deepStrictEqual(fake("short").read(2 ** 50), { consumed: 5, refused: "changed" })
    assert.isBelow(process.memoryUsage().arrayBuffers - before, 1024 * 1024)
  })

  it("holds nothing of an earlier file", () => {
    const contents = ["a longer first text", "short"]
    const read = boundedRead({
      readAt: (descriptor, into, count) => (into.length < count ? -EIO : Buffer.from(contents[descriptor]!).copy(into))
    })
    assert.deepStrictEqual(read(0, 19), { consumed: 19, text: "a longer first text" })
    assert.deepStrictEqual(read(1, 5), { consumed: 5, text: "short" })
  })
})
