/** How a call's failure is told, with a C library that does as the test says. */
import { EINTR, EIO } from "@memory-bridge/platform-posix/Errno"
import { posixCalls } from "@memory-bridge/platform-posix/Libc"
import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { EBADF_LIKE, script } from "./fakeKoffi.ts"

vi.mock("koffi", async () => (await import("./fakeKoffi.ts")).module)

describe("a system call", () => {
  it("answers its result", () => {
    script([[7, 0]])
    assert.strictEqual(posixCalls().openAt(3, Buffer.from("a\0"), 0), 7)
  })

  it("answers a negated errno when it failed", () => {
    script([
      [-1, EBADF_LIKE],
      [-1, EBADF_LIKE]
    ])
    assert.strictEqual(posixCalls().readAt(3, Buffer.alloc(8), 8, 0), -EBADF_LIKE)
  })

  it("never turns a failure without errno into a descriptor", () => {
    script([
      [-1, 0],
      [-1, 0]
    ])
    assert.strictEqual(posixCalls().openAt(3, Buffer.from("a\0"), 0), -EIO)
  })

  it("believes an errno that is told twice in a row, since the engine's own calls may have left another one", () => {
    const open = () => posixCalls().openAt(3, Buffer.from("a\0"), 0)
    script([
      [-1, EIO],
      [-1, EBADF_LIKE],
      [-1, EBADF_LIKE]
    ])
    assert.strictEqual(open(), -EBADF_LIKE)
    script([
      [-1, EBADF_LIKE],
      [6, 0]
    ])
    assert.strictEqual(open(), 6)
    const left = script([
      [-1, 1],
      [-1, 2],
      [-1, 3],
      [-1, 5],
      [7, 0]
    ])
    assert.strictEqual(open(), -5)
    assert.strictEqual(left.length, 1)
  })

  it("is made again when interrupted", () => {
    script([
      [-1, EINTR],
      [-1, EINTR],
      [4, 0]
    ])
    assert.strictEqual(posixCalls().openAt(3, Buffer.from("a\0"), 0), 4)
    script([
      [-1, EINTR],
      [5n, 0]
    ])
    assert.strictEqual(posixCalls().readAt(3, Buffer.alloc(8), 8, 0), 5)
  })

  it("closes only once, though interrupted", () => {
    const left = script([
      [-1, EINTR],
      [0, 0]
    ])
    assert.strictEqual(posixCalls().close(3), -EINTR)
    assert.strictEqual(left.length, 1)
  })
})
