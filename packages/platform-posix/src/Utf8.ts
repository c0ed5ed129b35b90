/**
 * Strict UTF-8: a text comes back exactly or not at all. (seed 000: binary files and invalid UTF-8 are skipped)
 *
 * Nothing is removed, a byte order mark included, and nothing is replaced. Most notes are ASCII, which V8 keeps at one
 * byte for a character; that path is the shorter of the two.
 */
import { isAscii, isUtf8 } from "node:buffer"

export const decodeUtf8 = (bytes: Buffer, start: number, end: number): string | undefined => {
  const part = bytes.subarray(start, end)
  if (isAscii(part)) return part.toString("latin1")
  return isUtf8(part) ? part.toString("utf8") : undefined
}
