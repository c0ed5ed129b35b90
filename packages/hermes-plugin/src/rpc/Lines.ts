/**
 * Cuts a byte stream into lines, and holds at most one line of bounded length. (design.md section 6)
 *
 * A line that grows past the limit is reported once, when it does, and the rest of it is dropped unread, so whatever
 * is sent costs at most `limit` bytes. What follows the last line feed is not a line: its writer has gone.
 */

/** 1 MiB. A search call has some 2,000 bytes; the signals are paths and flags. */
export const maxLineBytes = 1024 * 1024

export type Line = { readonly kind: "line"; readonly bytes: Uint8Array } | { readonly kind: "too_long" }

const lineFeed = 10

/** One stream's cutter: give it the chunks in order, it gives back the lines that each one completes. */
export const makeLines = (limit: number = maxLineBytes): ((chunk: Uint8Array) => ReadonlyArray<Line>) => {
  let held: Array<Uint8Array> = []
  let length = 0
  let skipping = false

  const take = (): Uint8Array => {
    const bytes = held.length === 1 ? held[0]! : Buffer.concat(held, length)
    held = []
    length = 0
    return bytes
  }

  return (chunk) => {
    const lines: Array<Line> = []
    let start = 0
    while (start < chunk.length) {
      const feed = chunk.indexOf(lineFeed, start)
      const end = feed === -1 ? chunk.length : feed
      if (!skipping) {
        if (length + end - start > limit) {
          held = []
          length = 0
          skipping = true
          lines.push({ kind: "too_long" })
        } else {
          held.push(chunk.subarray(start, end))
          length += end - start
        }
      }
      if (feed === -1) break
      if (!skipping) lines.push({ kind: "line", bytes: take() })
      skipping = false
      start = feed + 1
    }
    return lines
  }
}
