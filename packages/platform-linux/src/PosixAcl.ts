/**
 * Decodes the bytes of `system.posix_acl_access`. Pure. (seed 000 "ACLs"; design.md section 5)
 *
 * The form is that of `linux/posix_acl_xattr.h`, little-endian: a 32-bit version, then for each entry a 16-bit tag, a
 * 16-bit permission set and a 32-bit id. Kernels accept entries in any order and the same id twice, so both pass here.
 * Unless it is well-formed in every other way, no entry of it counts. The mask is checked but no entry of the
 * result: a mask never takes back a write that an entry grants.
 */
import type { AclEntry, AclReading, AclSubject } from "@memory-bridge/core/tree/Acl"

const VERSION = 2
const HEADER = 4
const ENTRY = 8

const USER_OBJ = 0x01
const USER = 0x02
const GROUP_OBJ = 0x04
const GROUP = 0x08
const MASK = 0x10
const OTHER = 0x20

const WRITE = 0x2
const EVERY_PERMISSION = 0x7

/** What the kernel gives where an id has no counterpart in this user namespace. */
const UNMAPPED = 0xffffffff

const malformed: AclReading = { kind: "refused", reason: "acl_malformed" }
const unmapped: AclReading = { kind: "refused", reason: "acl_unmapped_id" }

const subjectOf = (tag: number, id: number): AclSubject | undefined => {
  switch (tag) {
    case USER_OBJ:
      return { kind: "owner" }
    case USER:
      return { kind: "user", id }
    case GROUP_OBJ:
      return { kind: "owning_group" }
    case GROUP:
      return { kind: "group", id }
    case OTHER:
      return { kind: "everyone" }
    default:
      return undefined
  }
}

export const decodePosixAcl = (bytes: Uint8Array): AclReading => {
  if (bytes.length < HEADER || (bytes.length - HEADER) % ENTRY !== 0) return malformed
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (view.getUint32(0, true) !== VERSION) return malformed

  const entries: Array<AclEntry> = []
  let owners = 0
  let owningGroups = 0
  let others = 0
  let masks = 0
  let named = 0
  let anyUnmapped = false
  for (let at = HEADER; at < bytes.length; at += ENTRY) {
    const tag = view.getUint16(at, true)
    const permissions = view.getUint16(at + 2, true)
    const id = view.getUint32(at + 4, true)
    if (permissions > EVERY_PERMISSION) return malformed
    if (tag === MASK) {
      masks += 1
      continue
    }
    const subject = subjectOf(tag, id)
    if (subject === undefined) return malformed
    if (tag === USER_OBJ) owners += 1
    else if (tag === GROUP_OBJ) owningGroups += 1
    else if (tag === OTHER) others += 1
    else {
      named += 1
      anyUnmapped ||= id === UNMAPPED
    }
    entries.push({ subject, write: (permissions & WRITE) !== 0 })
  }
  if (owners !== 1 || owningGroups !== 1 || others !== 1 || masks > 1 || (named > 0 && masks === 0)) return malformed
  return anyUnmapped ? unmapped : { kind: "entries", entries }
}
