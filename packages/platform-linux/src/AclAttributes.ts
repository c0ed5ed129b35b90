/**
 * Reads the access control list of an open descriptor from its extended attributes. (seed 000 "ACLs"; design.md
 * section 5: ENODATA alone means none; any NFSv4 or rich ACL is refused with its own reason)
 *
 * Asking for the five foreign forms costs five calls, so what a mount has already declined is not asked again during
 * the walk. That holds only on uniform mounts, where the answer is the superblock's: overlayfs and FUSE pass the
 * question on for each file, and are asked each time.
 */
import { type AclReading, type AclRefusal, noAcl } from "@memory-bridge/core/tree/Acl"
import { ENODATA, EOPNOTSUPP, ERANGE } from "@memory-bridge/platform-posix/Errno"
import type { IsUniform } from "./FileSystem.ts"
import { decodePosixAcl } from "./PosixAcl.ts"
import type { LinuxCalls } from "./Syscalls.ts"

const attributeName = (name: string): Uint8Array => Buffer.from(`${name}\0`, "latin1")

const posixAccess = attributeName("system.posix_acl_access")

export const foreignAttributes: ReadonlyArray<Uint8Array> = [
  "system.nfs4_acl",
  "system.nfs4_acl_xdr",
  "system.richacl",
  "system.cifs_acl",
  "system.cifs_ntsd"
].map(attributeName)

/** 511 entries fit; more are found in practice nowhere. */
const usual = 4 + 8 * 511
/** XATTR_SIZE_MAX of Linux: no attribute is larger. */
const largest = 64 * 1024

const refused = (reason: AclRefusal): AclReading => ({ kind: "refused", reason })
const foreign = refused("acl_foreign")
const unreadable = refused("acl_unreadable")
const unsupported = refused("acl_unsupported")

export type ReadAcl = (descriptor: number, mount: bigint | undefined) => AclReading

/** For one walk: what it remembers of a mount dies with it. */
export const aclReader = (calls: Pick<LinuxCalls, "attribute">, isUniform: IsUniform): ReadAcl => {
  const stillAsked = new Map<bigint, ReadonlyArray<Uint8Array>>()
  let buffer = Buffer.allocUnsafeSlow(usual)

  const foreignRefusal = (descriptor: number, mount: bigint | undefined): AclReading | undefined => {
    const asked = (mount === undefined ? undefined : stillAsked.get(mount)) ?? foreignAttributes
    if (asked.length === 0) return undefined
    const known: Array<Uint8Array> = []
    for (const name of asked) {
      const result = calls.attribute(descriptor, name, buffer)
      if (result >= 0 || result === -ERANGE) return foreign
      if (result === -ENODATA) known.push(name)
      else if (result !== -EOPNOTSUPP) return unreadable
    }
    if (mount !== undefined && known.length < asked.length && isUniform(descriptor, mount)) stillAsked.set(mount, known)
    return undefined
  }

  const posix = (descriptor: number): AclReading => {
    let result = calls.attribute(descriptor, posixAccess, buffer)
    if (result === -ERANGE && buffer.length < largest) {
      buffer = Buffer.allocUnsafeSlow(largest)
      result = calls.attribute(descriptor, posixAccess, buffer)
    }
    if (result >= 0) return decodePosixAcl(buffer.subarray(0, result))
    if (result === -ENODATA) return noAcl
    return result === -EOPNOTSUPP ? unsupported : unreadable
  }

  return (descriptor, mount) => foreignRefusal(descriptor, mount) ?? posix(descriptor)
}
