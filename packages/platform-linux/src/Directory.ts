/**
 * Lists an open directory by its descriptor. (core `Walk.list`; seed 000: a ceiling on raw directory entries)
 *
 * Every record counts against the limit, whatever its name is made of; only names in valid UTF-8 come back, because
 * no pattern could match another. Where the file system does not tell an entry's kind it is looked up without
 * following it; what cannot be looked up is `other`, which nobody opens.
 */
import { type Entry, type Fault, isFault, type Listing } from "@memory-bridge/core/tree/Tree"
import { faultOf } from "@memory-bridge/platform-posix/Errno"
import { decodeUtf8 } from "@memory-bridge/platform-posix/Utf8"
import { kindOfRecord, type Statx } from "./Statx.ts"
import type { LinuxCalls } from "./Syscalls.ts"

/** Some hundred entries for a call; the kernel fills what fits. */
const capacity = 32 * 1024

/** `struct linux_dirent64`: inode, offset, length of the record, kind, NUL-terminated name. */
const LENGTH = 16
const KIND = 18
const NAME = 19

const DOT = 0x2e

export type ListDirectory = (
  descriptor: number,
  atMost: number
) => Pick<Listing, "entries" | "raw"> | "too_many" | Fault

export const directoryLister = (
  calls: Pick<LinuxCalls, "rewind" | "directoryEntries">,
  named: Statx["named"]
): ListDirectory => {
  const buffer = Buffer.allocUnsafeSlow(capacity)
  const lengths = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
  const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

  const isDots = (start: number, end: number): boolean =>
    buffer[start] === DOT && (end - start === 1 || (end - start === 2 && buffer[start + 1] === DOT))

  const lookedUp = (descriptor: number, start: number, end: number): Entry["kind"] => {
    const facts = named(descriptor, buffer.subarray(start, end + 1))
    return isFault(facts) ? "other" : facts.kind
  }

  return (descriptor, atMost) => {
    const rewound = calls.rewind(descriptor)
    if (rewound < 0) return faultOf(-rewound)
    const entries: Array<Entry> = []
    let raw = 0
    for (;;) {
      const filled = calls.directoryEntries(descriptor, buffer)
      if (filled < 0) return faultOf(-filled)
      if (filled === 0) return { entries, raw }
      for (let at = 0; at < filled; at += lengths.getUint16(at + LENGTH, littleEndian)) {
        const start = at + NAME
        const end = buffer.indexOf(0, start)
        if (isDots(start, end)) continue
        raw += 1
        if (raw > atMost) return "too_many"
        const name = decodeUtf8(buffer, start, end)
        if (name === undefined) continue
        entries.push({ name, kind: kindOfRecord(buffer[at + KIND]!) ?? lookedUp(descriptor, start, end) })
      }
    }
  }
}
