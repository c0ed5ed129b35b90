/** An access control list as plain data, whatever the system's own form of it. (seed 000 "ACLs") */

/** Whom an entry speaks of. `user` and `group` are named by id; `owner` is the file's own owner. */
export type AclSubject =
  | { readonly kind: "owner" }
  | { readonly kind: "user"; readonly id: number }
  | { readonly kind: "owning_group" }
  | { readonly kind: "group"; readonly id: number }
  | { readonly kind: "everyone" }

/** An entry that allows something. Entries that deny are left out: they never excuse an entry that allows. */
export interface AclEntry {
  readonly subject: AclSubject
  /**
   * Whether any write-class right is granted: write, append, add a file or directory, delete, delete a child, write
   * attributes or extended attributes, change the security or the owner. A mask does not take it back.
   */
  readonly write: boolean
}

/**
 * - `acl_unreadable` the system failed while answering
 * - `acl_unsupported` the file system cannot say whether there is one
 * - `acl_malformed` the attribute breaks its own format
 * - `acl_unmapped_id` an entry for an id that this system cannot map
 * - `acl_foreign` an NFSv4 or rich ACL, whose rights the trust rule does not interpret
 */
export const aclRefusals = [
  "acl_unreadable",
  "acl_unsupported",
  "acl_malformed",
  "acl_unmapped_id",
  "acl_foreign"
] as const
export type AclRefusal = (typeof aclRefusals)[number]

export type AclReading =
  | { readonly kind: "none" }
  | { readonly kind: "entries"; readonly entries: ReadonlyArray<AclEntry> }
  | { readonly kind: "refused"; readonly reason: AclRefusal }

export const noAcl: AclReading = { kind: "none" }
