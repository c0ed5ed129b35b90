/**
 * Facts of an open descriptor: what `fstat` says, and on which volume the entry lies. (core `Facts`; seed 000 "other
 * filesystems")
 *
 * - The identity of the mount is `f_fsid`, which the kernel gives to each mount once. The device alone would not do:
 *   several mounts may show one.
 * - On a volume that ignores ownership, as removable disks do, `fstat` tells everybody that everything is his own, and
 *   whoever is logged in may write (xnu `vnode_attr_handle_uid_and_gid`). There owner and group are told as nobody, whom
 *   the trust rule does not accept.
 */
import type { Facts } from "@memory-bridge/core/tree/Facts"
import { type Fault, isFault } from "@memory-bridge/core/tree/Tree"
import { constants } from "node:fs"
import { faultOf } from "./Errno.ts"
import { type DarwinCalls, volumeCapacity } from "./Syscalls.ts"

/** `struct statfs`: two 32-bit numbers, and the flags of the mount. */
const FSID = 48
const FLAGS = 64

const MNT_IGNORE_OWNERSHIP = 0x00200000

/** KAUTH_UID_NONE (`sys/kauth.h`): no user has this id. */
export const nobody = 0xffffffff - 100

const { S_IFDIR, S_IFMT, S_IFREG } = constants

export const kindOf = (mode: number): Facts["kind"] => {
  const type = mode & S_IFMT
  return type === S_IFREG ? "file" : type === S_IFDIR ? "directory" : "other"
}

export type FactsOf = (descriptor: number) => Facts | Fault

export const factsReader = (calls: Pick<DarwinCalls, "status" | "volume">): FactsOf => {
  const bytes = new Uint8Array(volumeCapacity)
  const fsid = new BigUint64Array(bytes.buffer, FSID, 1)
  const flags = new Uint32Array(bytes.buffer, FLAGS, 1)

  return (descriptor) => {
    const status = calls.status(descriptor)
    if (isFault(status)) return status
    const result = calls.volume(descriptor, bytes)
    if (result < 0) return faultOf(-result)
    const mode = Number(status.mode)
    const owned = (flags[0]! & MNT_IGNORE_OWNERSHIP) === 0
    return {
      kind: kindOf(mode),
      owner: owned ? Number(status.uid) : nobody,
      group: owned ? Number(status.gid) : nobody,
      mode: mode & 0o7777,
      links: Number(status.nlink),
      size: Number(status.size),
      device: status.dev,
      mount: fsid[0]!,
      inode: status.ino,
      modified: status.mtimeNs,
      changed: status.ctimeNs
    }
  }
}
