/**
 * Lists an open directory by its descriptor. (core `Walk.list`; seed 000: a ceiling on raw directory entries)
 *
 * `fdopendir` and `readdir_r`, which are documented and the same on Intel and Apple silicon but for the suffix, rather
 * than `__getdirentries64`, which is the C library's own. The stream takes its descriptor over, so it gets a duplicate,
 * set back to the start, as both share one offset. A name is as long as the entry says, never as far as a NUL; only
 * names in valid UTF-8 come back. What cannot be looked up is `other`, which nobody opens.
 */
import type { Entry, Fault, Listing } from "@memory-bridge/core/tree/Tree"
import { decodeUtf8 } from "@memory-bridge/platform-posix/Utf8"
import { faultOf } from "./Errno.ts"
import { kindOf } from "./Facts.ts"
import { type DarwinCalls, entryCapacity, isPointer, statusCapacity } from "./Syscalls.ts"

/** `struct dirent`: inode, offset, length of the record, length of the name, kind, name. */
const NAME_LENGTH = 18
const KIND = 20
const NAME = 21

/** `struct stat`: the device first. */
const MODE = 4

const DOT = 0x2e
const DT_UNKNOWN = 0

export type ListDirectory = (descriptor: number, atMost: number) => Listing | "too_many" | Fault

type Calls = Pick<
  DarwinCalls,
  "rewind" | "duplicate" | "close" | "openStream" | "nextEntry" | "closeStream" | "statusAt"
>

export const directoryLister = (calls: Calls): ListDirectory => {
  const entry = Buffer.alloc(entryCapacity)
  const view = new DataView(entry.buffer, entry.byteOffset, entry.length)
  const status = new Uint8Array(statusCapacity)
  const mode = new Uint16Array(status.buffer, MODE, 1)
  const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

  const isDots = (length: number): boolean =>
    entry[NAME] === DOT && (length === 1 || (length === 2 && entry[NAME + 1] === DOT))

  const kindAt = (descriptor: number, end: number): Entry["kind"] => {
    const told = entry[KIND]!
    if (told !== DT_UNKNOWN) return kindOf(told << 12)
    entry[end] = 0
    return calls.statusAt(descriptor, entry.subarray(NAME, end + 1), status) < 0 ? "other" : kindOf(mode[0]!)
  }

  const read = (descriptor: number, stream: bigint, atMost: number): Listing | "too_many" | Fault => {
    const entries: Array<Entry> = []
    let raw = 0
    for (;;) {
      const result = calls.nextEntry(stream, entry)
      if (result < 0) return faultOf(-result)
      if (result === 0) return { entries, raw, lasting: false }
      const length = view.getUint16(NAME_LENGTH, littleEndian)
      const end = NAME + length
      if (length === 0 || end >= entryCapacity) return "io"
      if (isDots(length)) continue
      raw += 1
      if (raw > atMost) return "too_many"
      const name = decodeUtf8(entry, NAME, end)
      if (name !== undefined) entries.push({ name, kind: kindAt(descriptor, end) })
    }
  }

  return (descriptor, atMost) => {
    const rewound = calls.rewind(descriptor)
    if (rewound < 0) return faultOf(-rewound)
    const copy = calls.duplicate(descriptor)
    if (copy < 0) return faultOf(-copy)
    const stream = calls.openStream(copy)
    if (!isPointer(stream)) {
      calls.close(copy)
      return faultOf(-stream)
    }
    try {
      return read(descriptor, stream, atMost)
    } finally {
      calls.closeStream(stream)
    }
  }
}
