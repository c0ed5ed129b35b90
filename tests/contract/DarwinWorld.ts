/**
 * The contract's worlds for macOS's adapter: on a Mac's own disk, or on a Linux disk through the simulated libSystem.
 *
 * Access control lists are made by the library's own functions, so one way of making them serves both. A subject goes in
 * by the 16 bytes that stand for it; those of owner, owning group and everyone are the kernel's (xnu
 * `kauth_wellknown_guid`), and as groups 10, 16 and 12 the membership library knows them too.
 */
import type { AclEntry, AclSubject } from "@memory-bridge/core/tree/Acl"
import type { Tree } from "@memory-bridge/core/tree/Tree"
import { rights } from "@memory-bridge/platform-darwin/ExtendedAcl"
import type * as Layer from "effect/Layer"
import koffi from "koffi"
import * as fs from "node:fs"
import { diskLacks, diskWorld, type SetAcl } from "./LinuxWorld.ts"
import type { Lacks, MakeWorld } from "./World.ts"

export const darwinLacks: Lacks = {
  ...diskLacks,
  glance: "macOS tells nothing at a glance",
  ...(process.platform === "darwin" ? { undecodable: "APFS takes no such name" } : {})
}

const ACL_EXTENDED_ALLOW = 1
const ACL_TYPE_EXTENDED = 0x100
const OWNER = 10
const EVERYONE = 12
const OWNING_GROUP = 16

const writing = rights.read_data | rights.write_data
const reading = rights.read_data

/** Sets lists by the library at that path. */
const setter = (path: string): SetAcl => {
  const library = koffi.load(path)
  const init = library.func("void *acl_init(int count)")
  const create = library.func("int acl_create_entry(void *list, void *entry)")
  const setTag = library.func("int acl_set_tag_type(void *entry, int tag)")
  const setQualifier = library.func("int acl_set_qualifier(void *entry, const uint8_t *guid)")
  const setRights = library.func("int acl_set_permset_mask_np(void *entry, uint64_t rights)")
  const setList = library.func("int acl_set_fd_np(int descriptor, void *list, int type)")
  const free = library.func("int acl_free(void *object)")
  const ofUser = library.func("int mbr_uid_to_uuid(uint32_t id, void *guid)")
  const ofGroup = library.func("int mbr_gid_to_uuid(uint32_t id, void *guid)")

  const must = (result: number): void => {
    if (result !== 0) throw new Error(`libSystem answered ${result}, errno ${koffi.errno()}`)
  }

  const guidOf = (subject: AclSubject): Uint8Array => {
    const guid = new Uint8Array(16)
    switch (subject.kind) {
      case "user":
        must(ofUser(subject.id, guid))
        break
      case "group":
        must(ofGroup(subject.id, guid))
        break
      case "owner":
        must(ofGroup(OWNER, guid))
        break
      case "owning_group":
        must(ofGroup(OWNING_GROUP, guid))
        break
      case "everyone":
        must(ofGroup(EVERYONE, guid))
        break
    }
    return guid
  }

  const add = (list: bigint, { subject, write }: AclEntry): void => {
    const address = new BigUint64Array(1)
    must(create(new BigUint64Array([list]), address))
    const entry = address[0]!
    must(setTag(entry, ACL_EXTENDED_ALLOW))
    must(setQualifier(entry, guidOf(subject)))
    must(setRights(entry, write ? writing : reading))
  }

  return (target, entries) => {
    const descriptor = fs.openSync(target, fs.constants.O_RDONLY)
    const list: bigint = init(entries.length)
    for (const entry of entries) add(list, entry)
    must(setList(descriptor, list, ACL_TYPE_EXTENDED))
    free(list)
    fs.closeSync(descriptor)
  }
}

/** `library`: the path of the one that the layer goes through. */
export const darwinWorld = (layer: Layer.Layer<Tree>, library: string): MakeWorld => diskWorld(layer, setter(library))
