/**
 * The calls of macOS's C library that a walk stands on, with the constants that matter, under the rule of platform-posix
 * `Libc`: zero or more, or a negated errno; a call that gives an address gives it as a bigint. (design.md section 5)
 *
 * Constants and conventions are those of Apple's published headers and sources: xnu bsd/sys/fcntl.h, dirent.h, stat.h,
 * mount.h, unistd.h, resource.h; Libc include/sys/acl.h, posix1e/*.c, gen/FreeBSD/readdir.c; Libinfo membership.h.
 *
 * - `openat` and `fcntl` are variadic there. On Apple silicon what follows the named parameters goes on the stack and
 *   not into registers, so their prototypes have the dots too; F_GETPATH would otherwise write to an address that
 *   nobody passed. No call here opens with O_CREAT, so `openat` has no mode.
 * - On Intel the plain names of some functions are an older form with 32-bit inode numbers; the current one bears the
 *   suffix that `sys/cdefs.h` calls __DARWIN_SUF_64_BIT_INO_T. Apple silicon has only the current one, without it.
 */
import type { Fault } from "@memory-bridge/core/tree/Tree"
import {
  interrupted,
  type Library,
  lookedAtTwice,
  outcome,
  type PosixCalls,
  posixCalls
} from "@memory-bridge/platform-posix/Libc"
import koffi from "koffi"
import { type BigIntStats, fstatSync } from "node:fs"

/** An address in the C library's memory. It only ever goes back into the library. */
export type Pointer = bigint

export interface DarwinCalls extends PosixCalls {
  /** `fstat`, by `node:fs`. */
  readonly status: (descriptor: number) => BigIntStats | Fault
  /** Fills `into` with a `struct stat` of what bears the name now; a link is not followed. */
  readonly statusAt: (directory: number, name: Uint8Array, into: Uint8Array) => number
  /** Fills `into` with a `struct statfs`. */
  readonly volume: (descriptor: number, into: Uint8Array) => number
  /** 1 where the volume keeps access control lists, 0 where it does not. */
  readonly keepsLists: (descriptor: number) => number
  /** Writes the path under which the volume knows the open entry, NUL-terminated. */
  readonly ownPath: (descriptor: number, into: Uint8Array) => number
  readonly duplicate: (descriptor: number) => number
  /** Takes the descriptor over when it succeeds. */
  readonly openStream: (descriptor: number) => Pointer | number
  /** Fills `into` with a `struct dirent`: 1, or 0 at the end. */
  readonly nextEntry: (stream: Pointer, into: Uint8Array) => number
  /** Closes the descriptor too. */
  readonly closeStream: (stream: Pointer) => number
  readonly accessList: (descriptor: number) => Pointer | number
  readonly accessEntry: (list: Pointer, which: number, into: BigUint64Array) => number
  readonly entryTag: (entry: Pointer, into: Int32Array) => number
  readonly entryRights: (entry: Pointer, into: BigUint64Array) => number
  /** The 16 bytes that say to whom an entry applies. */
  readonly entryGuid: (entry: Pointer) => Uint8Array | number
  readonly freeList: (list: Pointer) => void
  readonly idOfGuid: (guid: Uint8Array, id: Uint32Array, type: Int32Array) => number
}

/** Descriptor argument of `openAt` for an absolute name. */
export const AT_FDCWD = -2
const AT_SYMLINK_NOFOLLOW = 0x20

const O_NONBLOCK = 0x4
const O_NOCTTY = 0x20000
const O_CLOEXEC = 0x1000000
const O_DIRECTORY = 0x100000

/** The last name must be no link. As old as the system. */
export const O_NOFOLLOW = 0x100
/** No name of the path may be a link. macOS 11; an older kernel takes no notice of the bit. */
export const O_NOFOLLOW_ANY = 0x20000000

/** Never blocks on a FIFO, never takes a terminal. One of the two bits against links has to come with it. */
export const openFile = O_NONBLOCK | O_CLOEXEC | O_NOCTTY
export const openDirectory = openFile | O_DIRECTORY

const F_GETPATH = 50
const F_DUPFD_CLOEXEC = 67
const _PC_EXTENDED_SECURITY_NP = 13

/** MAXPATHLEN: what F_GETPATH may write. */
export const pathCapacity = 1024
/** sizeof(struct statfs). */
export const volumeCapacity = 2168
/** sizeof(struct dirent), whose last member is a name of MAXPATHLEN bytes. */
export const entryCapacity = 1048
/** sizeof(struct stat). */
export const statusCapacity = 144

const ACL_TYPE_EXTENDED = 0x100
export const ACL_FIRST_ENTRY = 0
export const ACL_NEXT_ENTRY = -1
export const ACL_MAX_ENTRIES = 128

const IOPOL_TYPE_VFS_MATERIALIZE_DATALESS_FILES = 3
const IOPOL_SCOPE_THREAD = 1
const IOPOL_MATERIALIZE_DATALESS_FILES_OFF = 1

/** The library that every process of macOS runs on, by its absolute name: no search path has a say. */
export const systemLibrary = "/usr/lib/libSystem.B.dylib"

/** Fails where a failing `fstat` fails. Node's codes are names, the same on every system. */
const statusFault = (error: unknown): Fault =>
  (error as { readonly code?: string }).code === "ENOMEM" ? "exhausted" : "io"

const settled = (call: () => number | bigint): number => {
  const result = outcome(call())
  return result >= 0 ? result : lookedAtTwice(result, call)
}

/** What a call came to that answers with an address, or with none and an errno. */
const addressed = (call: () => Pointer | null): Pointer | number => {
  for (;;) {
    const address = call()
    if (address !== null) return address
    const failure = outcome(-1)
    if (!interrupted(failure)) return failure
  }
}

/** Only tests name another library. */
export const darwinCalls = (path: string = systemLibrary): DarwinCalls => {
  const library: Library = koffi.load(path)
  const guidType = koffi.array("uint8_t", 16, "Typed")
  const current = process.arch === "x64" ? "$INODE64" : ""
  const fstatat = library.func(`fstatat${current}`, "int", ["int", "const uint8_t *", "void *", "int"])
  const fstatfs = library.func(`fstatfs${current}`, "int", ["int", "void *"])
  const fdopendir = library.func(`fdopendir${current}`, "void *", ["int"])
  const readdir = library.func(`readdir_r${current}`, "int", ["void *", "void *", "void *"])
  const closedir = library.func("int closedir(void *stream)")
  const fpathconf = library.func("long fpathconf(int descriptor, int name)")
  const fcntl = library.func("int fcntl(int descriptor, int command, ...)")
  const getList = library.func("void *acl_get_fd_np(int descriptor, int type)")
  const getEntry = library.func("int acl_get_entry(void *list, int which, void *entry)")
  const getTag = library.func("int acl_get_tag_type(void *entry, void *tag)")
  const getRights = library.func("int acl_get_permset_mask_np(void *entry, void *rights)")
  const getQualifier = library.func("void *acl_get_qualifier(void *entry)")
  const free = library.func("int acl_free(void *object)")
  const uuidToId = library.func("int mbr_uuid_to_id(const uint8_t *guid, void *id, void *type)")
  const setPolicy = library.func("int setiopolicy_np(int type, int scope, int policy)")

  // What lies in the cloud and not here is not fetched by looking at it: reading it fails, instead of waiting for a
  // network (getiopolicy_np(3)). Where the kernel has no such files it refuses the setting, and nothing is lost.
  setPolicy(IOPOL_TYPE_VFS_MATERIALIZE_DATALESS_FILES, IOPOL_SCOPE_THREAD, IOPOL_MATERIALIZE_DATALESS_FILES_OFF)

  const found = new BigUint64Array(1)

  return {
    ...posixCalls(library),
    status: (descriptor) => {
      try {
        return fstatSync(descriptor, { bigint: true })
      } catch (error) {
        return statusFault(error)
      }
    },
    statusAt: (directory, name, into) => settled(() => fstatat(directory, name, into, AT_SYMLINK_NOFOLLOW)),
    volume: (descriptor, into) => settled(() => fstatfs(descriptor, into)),
    keepsLists: (descriptor) => settled(() => fpathconf(descriptor, _PC_EXTENDED_SECURITY_NP)),
    ownPath: (descriptor, into) => settled(() => fcntl(descriptor, F_GETPATH, "void *", into)),
    duplicate: (descriptor) => settled(() => fcntl(descriptor, F_DUPFD_CLOEXEC, "int", 0)),
    openStream: (descriptor) => addressed(() => fdopendir(descriptor)),
    nextEntry: (stream, into) => {
      // Answers an errno itself, and zero at the end too.
      let errno: number
      do errno = readdir(stream, into, found)
      while (interrupted(-errno))
      return errno !== 0 ? -errno : found[0] === 0n ? 0 : 1
    },
    closeStream: (stream) => outcome(closedir(stream)),
    accessList: (descriptor) => addressed(() => getList(descriptor, ACL_TYPE_EXTENDED)),
    accessEntry: (list, which, into) => outcome(getEntry(list, which, into)),
    entryTag: (entry, into) => outcome(getTag(entry, into)),
    entryRights: (entry, into) => outcome(getRights(entry, into)),
    entryGuid: (entry) => {
      const qualifier = addressed(() => getQualifier(entry))
      if (typeof qualifier === "number") return qualifier
      const guid = koffi.decode(qualifier, guidType) as Uint8Array
      free(qualifier)
      return guid
    },
    freeList: (list) => {
      free(list)
    },
    // Answers an errno itself.
    idOfGuid: (guid, id, type) => -uuidToId(guid, id, type)
  }
}

export const isPointer = (result: Pointer | number): result is Pointer => typeof result === "bigint"
