/**
 * Of whom does an entry of an access control list speak? It names a user or group by 16 bytes. (seed 000 "ACLs")
 *
 * Four such names are the kernel's own (xnu `kauth_wellknown_guid`). For all else the membership library is asked, which
 * answers every name it does not know with a user id that it makes up (Libinfo membership.h, mbr_uuid_to_id): such an id is
 * neither root's nor ours, so it counts as somebody else, and so does whatever it answers beyond its two kinds of id.
 */
import type { AclSubject } from "@memory-bridge/core/tree/Acl"
import type { DarwinCalls } from "./Syscalls.ts"

const ID_TYPE_UID = 0
const ID_TYPE_GID = 1

const wellKnown: ReadonlyMap<string, AclSubject> = new Map([
  ["abcdefabcdefabcdefabcdef0000000a", { kind: "owner" }],
  ["abcdefabcdefabcdefabcdef00000010", { kind: "owning_group" }],
  ["abcdefabcdefabcdefabcdef0000000c", { kind: "everyone" }]
])

/** `undefined` where nobody can say. */
export type SubjectOf = (guid: Uint8Array) => AclSubject | undefined

/** For one walk: who is who may change between two. */
export const subjects = (calls: Pick<DarwinCalls, "idOfGuid">): SubjectOf => {
  const asked = new Map<string, AclSubject | undefined>()
  const id = new Uint32Array(1)
  const type = new Int32Array(1)

  const ask = (guid: Uint8Array): AclSubject | undefined => {
    type[0] = -1
    if (calls.idOfGuid(guid, id, type) !== 0) return undefined
    if (type[0] === ID_TYPE_UID) return { kind: "user", id: id[0]! }
    return type[0] === ID_TYPE_GID ? { kind: "group", id: id[0]! } : undefined
  }

  return (guid) => {
    const text = Buffer.from(guid).toString("hex")
    const known = wellKnown.get(text)
    if (known !== undefined) return known
    if (!asked.has(text)) asked.set(text, ask(guid))
    return asked.get(text)
  }
}
