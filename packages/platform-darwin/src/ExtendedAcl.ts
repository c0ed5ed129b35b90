/**
 * Reads the access control list of an open descriptor. (seed 000 "ACLs": on macOS it comes from `acl_get_fd_np`)
 *
 * `acl_get_entry` answers 0 for an entry and -1 with EINVAL behind the last one (Libc posix1e/acl_entry.c); Linux and
 * FreeBSD answer 1 and 0, so any other answer than macOS's own is a refusal.
 *
 * The rights come as one mask (`acl_get_permset_mask_np`) and not bit by bit through `acl_get_perm_np`: that one does not
 * answer for bits outside the header, and the kernel heeds some of them, the generic rights of `sys/kauth.h` for one.
 * So a bit that is not in the header refuses the list. Entries that apply to children only are held to the rule all the
 * same, and entries that deny are left out.
 *
 * "No list" and "a volume without lists" are one answer, ENOENT: which it is has to be asked apart.
 */
import { type AclEntry, type AclReading, type AclRefusal, noAcl } from "@memory-bridge/core/tree/Acl"
import { subjects } from "./Applicable.ts"
import { EINVAL, ENOENT, ENOTSUP, EOPNOTSUPP } from "./Errno.ts"
import {
  ACL_FIRST_ENTRY,
  ACL_MAX_ENTRIES,
  ACL_NEXT_ENTRY,
  type DarwinCalls,
  isPointer,
  type Pointer
} from "./Syscalls.ts"

const ACL_EXTENDED_ALLOW = 1
const ACL_EXTENDED_DENY = 2

/** `sys/acl.h`. What a right is called on a directory stands behind the stroke. */
export const rights = {
  read_data: 1n << 1n, // list_directory
  write_data: 1n << 2n, // add_file
  execute: 1n << 3n, // search
  delete: 1n << 4n,
  append_data: 1n << 5n, // add_subdirectory
  delete_child: 1n << 6n,
  read_attributes: 1n << 7n,
  write_attributes: 1n << 8n,
  read_extattributes: 1n << 9n,
  write_extattributes: 1n << 10n,
  read_security: 1n << 11n,
  write_security: 1n << 12n,
  change_owner: 1n << 13n,
  synchronize: 1n << 20n
} as const

const writeClass =
  rights.write_data |
  rights.delete |
  rights.append_data |
  rights.delete_child |
  rights.write_attributes |
  rights.write_extattributes |
  rights.write_security |
  rights.change_owner

const known = Object.values(rights).reduce((mask, right) => mask | right, 0n)

const refused = (reason: AclRefusal): AclReading => ({ kind: "refused", reason })
const unreadable = refused("acl_unreadable")
const unsupported = refused("acl_unsupported")
const malformed = refused("acl_malformed")
const unmapped = refused("acl_unmapped_id")

export type ReadAcl = (descriptor: number) => AclReading

type Calls = Pick<
  DarwinCalls,
  "accessList" | "accessEntry" | "entryTag" | "entryRights" | "entryGuid" | "freeList" | "keepsLists" | "idOfGuid"
>

/** For one walk. */
export const aclReader = (calls: Calls): ReadAcl => {
  const subjectOf = subjects(calls)
  const address = new BigUint64Array(1)
  const tag = new Int32Array(1)
  const mask = new BigUint64Array(1)

  /** `harmless`: no write is granted by it, to whomever. */
  const entryAt = (entry: Pointer): AclEntry | "harmless" | AclReading => {
    if (calls.entryTag(entry, tag) !== 0) return unreadable
    if (tag[0] === ACL_EXTENDED_DENY) return "harmless"
    if (tag[0] !== ACL_EXTENDED_ALLOW) return malformed
    if (calls.entryRights(entry, mask) !== 0) return unreadable
    const granted = mask[0]!
    if ((granted & ~known) !== 0n) return malformed
    const write = (granted & writeClass) !== 0n
    const guid = calls.entryGuid(entry)
    if (typeof guid === "number") return unreadable
    const subject = subjectOf(guid)
    if (subject === undefined) return write ? unmapped : "harmless"
    return { subject, write }
  }

  const entriesOf = (list: Pointer): AclReading => {
    const entries: Array<AclEntry> = []
    for (let count = 0; ; count++) {
      const found = calls.accessEntry(list, count === 0 ? ACL_FIRST_ENTRY : ACL_NEXT_ENTRY, address)
      if (found === -EINVAL) return { kind: "entries", entries }
      if (found !== 0) return unreadable
      if (count === ACL_MAX_ENTRIES) return malformed
      const entry = entryAt(address[0]!)
      if (entry === "harmless") continue
      if ("kind" in entry) return entry
      entries.push(entry)
    }
  }

  const without = (descriptor: number): AclReading => {
    const kept = calls.keepsLists(descriptor)
    return kept === 1 ? noAcl : kept === 0 ? unsupported : unreadable
  }

  return (descriptor) => {
    const list = calls.accessList(descriptor)
    if (!isPointer(list)) {
      if (list === -ENOENT) return without(descriptor)
      return list === -ENOTSUP || list === -EOPNOTSUPP ? unsupported : unreadable
    }
    try {
      return entriesOf(list)
    } finally {
      calls.freeList(list)
    }
  }
}
