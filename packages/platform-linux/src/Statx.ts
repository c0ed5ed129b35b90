/**
 * Turns a `struct statx` into `Facts`, in one call for a descriptor. (core `Facts`; design.md section 5, mount ids)
 *
 * The structure is read through typed views of one reused buffer. A mount id that is unique for the life of the
 * system (Linux 6.8) is preferred over one that may be given again (5.8); an older kernel tells none. A file system
 * that leaves out one of the other facts is a fault: nothing here is ever guessed.
 */
import type { Facts } from "@memory-bridge/core/tree/Facts"
import { kindNumbers, type Seen, stampAt } from "@memory-bridge/core/tree/Stamp"
import type { Entry, Fault } from "@memory-bridge/core/tree/Tree"
import { faultOf } from "@memory-bridge/platform-posix/Errno"
import { AT_EMPTY_PATH, AT_NO_AUTOMOUNT, AT_SYMLINK_NOFOLLOW, type LinuxCalls } from "./Syscalls.ts"

/** TYPE, MODE, NLINK, UID, GID, MTIME, CTIME, INO, SIZE. */
const needed = 0x3df
const STATX_MNT_ID = 0x1000
const STATX_MNT_ID_UNIQUE = 0x4000
const mountKnown = STATX_MNT_ID | STATX_MNT_ID_UNIQUE
const mask = needed | mountKnown

const S_IFMT = 0o170000
const S_IFDIR = 0o040000
const S_IFREG = 0o100000
const S_IFLNK = 0o120000

const kindOf = (mode: number): Facts["kind"] => {
  const type = mode & S_IFMT
  return type === S_IFREG ? "file" : type === S_IFDIR ? "directory" : "other"
}

export interface Statx {
  /** Those of `before` themselves where the system tells the same. */
  readonly facts: (descriptor: number, before?: Seen) => Facts | Fault
  /** Whether what bears this NUL-terminated name now has that stamp. Nothing is trusted because of it. */
  readonly isStamped: (directory: number, name: Uint8Array, stamps: Int32Array, at: number) => boolean
  /** What bears this NUL-terminated name now, to explain or sort. Nothing is trusted because of it. */
  readonly named: (directory: number, name: Uint8Array) => (Facts & { readonly link: boolean }) | Fault
}

const noName = Uint8Array.of(0)

export const statx = (calls: Pick<LinuxCalls, "statx">): Statx => {
  const bytes = new Uint8Array(256)
  const u16 = new Uint16Array(bytes.buffer)
  const u32 = new Uint32Array(bytes.buffer)
  const i32 = new Int32Array(bytes.buffer)
  const u64 = new BigUint64Array(bytes.buffer)
  const i64 = new BigInt64Array(bytes.buffer)

  /** The device as `dev_t`, so that it equals what `node:fs` says. */
  let major = -1
  let minor = -1
  let device = 0n
  let deviceLow = 0
  let deviceHigh = 0
  const deviceOf = (): bigint => {
    if (u32[34] !== major || u32[35] !== minor) {
      major = u32[34]!
      minor = u32[35]!
      device =
        (BigInt(major >>> 12) << 44n) |
        (BigInt(minor >>> 8) << 20n) |
        BigInt((major & 0xfff) << 8) |
        BigInt(minor & 0xff)
      deviceLow = Number(BigInt.asIntN(32, device))
      deviceHigh = Number(BigInt.asIntN(32, device >> 32n))
    }
    return device
  }

  /** Nearly all lies on one mount: then its number is made once. */
  let mount = 0n
  const mountOf = (): bigint => {
    const told = u64[18]!
    if (told !== mount) mount = told
    return mount
  }

  const read = (): Facts | Fault => {
    const told = u32[0]!
    if ((told & needed) !== needed) return "io"
    const mode = u16[14]!
    const changed = i64[12]! * 1_000_000_000n + BigInt(u32[26]!)
    // Mostly one moment: then the second big number is the first.
    const same = u32[24] === u32[28] && u32[25] === u32[29] && u32[26] === u32[30]
    const modified = same ? changed : i64[14]! * 1_000_000_000n + BigInt(u32[30]!)
    return {
      kind: kindOf(mode),
      owner: u32[5]!,
      group: u32[6]!,
      mode: mode & 0o7777,
      links: u32[4]!,
      size: Number(u64[5]!),
      device: deviceOf(),
      mount: (told & mountKnown) === 0 ? undefined : mountOf(),
      inode: u64[4]!,
      modified,
      changed
    }
  }

  /** Whether the structure tells what `read` would make the facts of that stamp from. */
  const isRead = (stamps: Int32Array, at: number): boolean => {
    const told = u32[0]!
    if ((told & needed) !== needed) return false
    const isMounted = (told & mountKnown) !== 0
    const mode = u16[14]!
    deviceOf()
    return (
      i32[24] === stamps[at + stampAt.changed] &&
      i32[26] === stamps[at + stampAt.changed + 2] &&
      i32[25] === stamps[at + stampAt.changed + 1] &&
      i32[28] === stamps[at + stampAt.modified] &&
      i32[29] === stamps[at + stampAt.modified + 1] &&
      i32[30] === stamps[at + stampAt.modified + 2] &&
      i32[8] === stamps[at + stampAt.inode] &&
      i32[9] === stamps[at + stampAt.inode + 1] &&
      i32[10] === stamps[at + stampAt.size] &&
      i32[11] === stamps[at + stampAt.size + 1] &&
      (mode & 0o7777) === stamps[at + stampAt.mode] &&
      kindNumbers[kindOf(mode)] === stamps[at + stampAt.kind] &&
      i32[4] === stamps[at + stampAt.links] &&
      i32[5] === stamps[at + stampAt.owner] &&
      i32[6] === stamps[at + stampAt.group] &&
      deviceLow === stamps[at + stampAt.device] &&
      deviceHigh === stamps[at + stampAt.device + 1] &&
      (isMounted ? 1 : 0) === stamps[at + stampAt.mounted] &&
      (!isMounted || (i32[36] === stamps[at + stampAt.mount] && i32[37] === stamps[at + stampAt.mount + 1]))
    )
  }

  const look = (directory: number, name: Uint8Array): number =>
    calls.statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, mask, bytes)

  return {
    facts: (descriptor, before) => {
      const result = calls.statx(descriptor, noName, AT_EMPTY_PATH, mask, bytes)
      if (result < 0) return faultOf(-result)
      return before !== undefined && isRead(before.stamp, 0) ? before.facts : read()
    },
    isStamped: (directory, name, stamps, at) => look(directory, name) >= 0 && isRead(stamps, at),
    named: (directory, name) => {
      const result = look(directory, name)
      const facts = result < 0 ? faultOf(-result) : read()
      return typeof facts === "string" ? facts : { ...facts, link: (u16[14]! & S_IFMT) === S_IFLNK }
    }
  }
}

/** The `d_type` of a directory record; `undefined` where the file system does not say. */
export const kindOfRecord = (type: number): Entry["kind"] | undefined => (type === 0 ? undefined : kindOf(type << 12))
