/**
 * Who could have changed what we are about to trust? (seed 000 "Filesystem safety": one trust rule for every path)
 *
 * An entry is trusted when root or the running user owns it, nobody else may write to it by mode, and no entry of its
 * access control list grants anything of the write class to anybody else. Total functions over facts; the first
 * broken rule is named.
 *
 * A root of policy version 2 may accept the members of some groups as writers below it (design.md section 7
 * "trust.groups"). What others may write stays refused, and so does every named user but ours and root.
 */
import { type AclEntry, type AclReading, aclRefusals } from "../tree/Acl.ts"
import type { Facts } from "../tree/Facts.ts"

export const trustRefusals = [
  "foreign_owner",
  "group_writable",
  "world_writable",
  "acl_user_writes",
  "acl_group_writes",
  "acl_everyone_writes",
  ...aclRefusals
] as const
export type TrustRefusal = (typeof trustRefusals)[number]

const root = 0
const groupWrite = 0o020
const otherWrite = 0o002
const sticky = 0o1000

/** Who may write beside root and the running user. */
export interface Writers {
  /** Group ids. */
  readonly groups: ReadonlySet<number>
  /** See `Walk`. */
  readonly groupBitsAreMask: boolean
}

/** Nobody else: version 1, and every path above a root. */
export const nobodyElse: Writers = { groups: new Set(), groupBitsAreMask: false }

/**
 * A system lets nobody but members and root give an entry to a group, so a stranger's entry that belongs to an accepted
 * group is a member's: one who may write there anyway.
 */
const ownerRefusal = (facts: Facts, user: number, { groups }: Writers): TrustRefusal | undefined =>
  facts.owner === root || facts.owner === user || groups.has(facts.group) ? undefined : "foreign_owner"

const modeRefusal = ({ group, mode }: Facts, acl: AclReading, writers: Writers): TrustRefusal | undefined => {
  if ((mode & otherWrite) !== 0) return "world_writable"
  if ((mode & groupWrite) === 0 || writers.groups.has(group)) return undefined
  // Where the bits are a mask the list itself says who may write, its owning group included.
  const listed = writers.groups.size > 0 && writers.groupBitsAreMask && acl.kind === "entries"
  return listed ? undefined : "group_writable"
}

const entryRefusal = (entry: AclEntry, user: number, group: number, { groups }: Writers): TrustRefusal | undefined => {
  if (!entry.write) return undefined
  switch (entry.subject.kind) {
    case "owner":
      return undefined
    case "user":
      return entry.subject.id === root || entry.subject.id === user ? undefined : "acl_user_writes"
    case "owning_group":
      return groups.has(group) ? undefined : "acl_group_writes"
    case "group":
      return groups.has(entry.subject.id) ? undefined : "acl_group_writes"
    case "everyone":
      return "acl_everyone_writes"
  }
}

const aclRefusal = (acl: AclReading, user: number, group: number, writers: Writers): TrustRefusal | undefined => {
  if (acl.kind === "none") return undefined
  if (acl.kind === "refused") return acl.reason
  for (const entry of acl.entries) {
    const refusal = entryRefusal(entry, user, group, writers)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** The rule for a directory or file. `user` is the effective user id. `undefined` means trusted. */
export const distrust = (
  facts: Facts,
  acl: AclReading,
  user: number,
  writers: Writers = nobodyElse
): TrustRefusal | undefined =>
  ownerRefusal(facts, user, writers) ?? modeRefusal(facts, acl, writers) ?? aclRefusal(acl, user, facts.group, writers)

/** The rule for a root itself: others may write to it as below it, but it belongs to root or the running user. */
export const distrustRoot = (facts: Facts, acl: AclReading, user: number, writers: Writers): TrustRefusal | undefined =>
  ownerRefusal(facts, user, nobodyElse) ?? distrust(facts, acl, user, writers)

/** The system temporary directories, by their exact canonical paths. */
const temporary: ReadonlySet<string> = new Set(["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"])

/**
 * The rule for a directory on the way to a root or policy, with the one exception: a root-owned sticky directory that
 * is exactly a system temporary directory may be writable. Sticky stops others from replacing the next component,
 * whose owner is checked in turn. Its access control list is held to the rule all the same.
 */
export const distrustAncestor = (path: string, facts: Facts, acl: AclReading, user: number): TrustRefusal | undefined =>
  temporary.has(path) && facts.owner === root && (facts.mode & sticky) !== 0
    ? aclRefusal(acl, user, facts.group, nobodyElse)
    : distrust(facts, acl, user)
