/**
 * Which mounts answer for all of their files alike? (design.md section 5)
 *
 * The local file systems below have fixed tables of attribute handlers, and on each of them whatever changes the
 * content, rights or access control list of a file also changes its ctime. overlayfs, FUSE and network file systems
 * promise neither.
 */
import type { LinuxCalls } from "./Syscalls.ts"

/** `f_type`. */
const uniform = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x01021994 // tmpfs
])

export type IsUniform = (descriptor: number, mount: bigint | undefined) => boolean

/** For one walk: what it remembers of a mount dies with it. */
export const uniformMounts = (calls: Pick<LinuxCalls, "fileSystem">): IsUniform => {
  const known = new Map<bigint, boolean>()
  // Nearly all that one walk asks about lies on one mount.
  let last: { readonly mount: bigint; readonly answer: boolean } | undefined
  const ask = (descriptor: number): boolean => {
    const bytes = new BigInt64Array(32)
    return calls.fileSystem(descriptor, new Uint8Array(bytes.buffer)) === 0 && uniform.has(Number(bytes[0]))
  }
  return (descriptor, mount) => {
    // Without an identity of the mount there is nothing to remember the answer by.
    if (mount === undefined) return false
    if (last?.mount === mount) return last.answer
    const answer = known.get(mount) ?? ask(descriptor)
    known.set(mount, answer)
    last = { mount, answer }
    return answer
  }
}
