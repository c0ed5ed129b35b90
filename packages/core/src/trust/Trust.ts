/**
 * Who could have changed what we are about to trust? (seed 000 "Filesystem safety": one trust rule for every path)
 *
 * An entry is trusted when root or the running user owns it, nobody else may write to it by mode, and no entry of its
 * access control list grants anything of the write class to anybody else. Total functions over facts; the first
 * broken rule is named.
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

const ownerRefusal = (facts: Facts, user: number): TrustRefusal | undefined =>
  facts.owner === root || facts.owner === user ? undefined : "foreign_owner"

const modeRefusal = (mode: number): TrustRefusal | undefined =>
  (mode & otherWrite) !== 0 ? "world_writable" : (mode & groupWrite) !== 0 ? "group_writable" : undefined

const entryRefusal = (entry: AclEntry, user: number): TrustRefusal | undefined => {
  if (!entry.write) return undefined
  switch (entry.subject.kind) {
    case "owner":
      return undefined
    case "user":
      return entry.subject.id === root || entry.subject.id === user ? undefined : "acl_user_writes"
    case "owning_group":
    case "group":
      return "acl_group_writes"
    case "everyone":
      return "acl_everyone_writes"
  }
}

const aclRefusal = (acl: AclReading, user: number): TrustRefusal | undefined => {
  if (acl.kind === "none") return undefined
  if (acl.kind === "refused") return acl.reason
  for (const entry of acl.entries) {
    const refusal = entryRefusal(entry, user)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** The rule for a directory or file. `user` is the effective user id. `undefined` means trusted. */
export const distrust = (facts: Facts, acl: AclReading, user: number): TrustRefusal | undefined =>
  ownerRefusal(facts, user) ?? modeRefusal(facts.mode) ?? aclRefusal(acl, user)

/** The system temporary directories, by their exact canonical paths. */
const temporary: ReadonlySet<string> = new Set(["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"])

/**
 * The rule for a directory on the way to a root or policy, with the one exception: a root-owned sticky directory that
 * is exactly a system temporary directory may be writable. Sticky stops others from replacing the next component,
 * whose owner is checked in turn. Its access control list is held to the rule all the same.
 */
export const distrustAncestor = (path: string, facts: Facts, acl: AclReading, user: number): TrustRefusal | undefined =>
  temporary.has(path) && facts.owner === root && (facts.mode & sticky) !== 0
    ? aclRefusal(acl, user)
    : distrust(facts, acl, user)
