/**
 * Reads a whole file of known size and no more: at most one byte beyond it, which shows that the file grew.
 * (seed 000 "Every byte read is charged": a read that fails part-way still counts what it consumed)
 *
 * One buffer serves all reads and grows only with bytes that really arrived, so a size that lies costs no memory.
 * A regular file answers short only at its end; the read stops there when the size is right. Should a file system do
 * otherwise, the second look at the facts catches it.
 */
import type { Reading } from "@memory-bridge/core/tree/Tree"
import { faultOf, type FaultOf } from "./Errno.ts"
import type { PosixCalls } from "./Libc.ts"
import { decodeUtf8 } from "./Utf8.ts"

/** Larger than nearly all notes, so that one is one call. */
const chunk = 64 * 1024

export type BoundedRead = (descriptor: number, expected: number) => Reading

export const boundedRead = (calls: Pick<PosixCalls, "readAt">, fault: FaultOf = faultOf): BoundedRead => {
  let buffer = Buffer.allocUnsafeSlow(chunk)

  return (descriptor, expected) => {
    const limit = expected + 1
    let consumed = 0
    while (consumed < limit) {
      if (consumed === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
      const asked = Math.min(limit, buffer.length) - consumed
      const count = calls.readAt(descriptor, consumed === 0 ? buffer : buffer.subarray(consumed), asked, consumed)
      if (count < 0) return { consumed, refused: fault(-count) }
      consumed += count
      if (count === 0 || (count < asked && consumed === expected)) break
    }
    if (consumed !== expected) return { consumed, refused: "changed" }
    const text = decodeUtf8(buffer, 0, consumed)
    return text === undefined ? { consumed, refused: "not_utf8" } : { consumed, text }
  }
}
