/**
 * The system calls that only Linux has, with the constants that matter, under the rule of platform-posix `Libc`:
 * zero or more, or a negated errno. (design.md section 5)
 *
 * `openat2`, Landlock and the directory listing go by number, because the C libraries that Node still runs on (glibc
 * 2.28) have no function for them. All structures are read and written in the machine's own byte order.
 */
import { ENODATA, ENOSYS, EOPNOTSUPP } from "@memory-bridge/platform-posix/Errno"
import { libc, lookedAtTwice, outcome, type PosixCalls, posixCalls } from "@memory-bridge/platform-posix/Libc"
import { constants } from "node:fs"

export interface LinuxCalls extends PosixCalls {
  /** `how` is a `struct open_how`, see `openHow`. */
  readonly openAt2: (directory: number, name: Uint8Array, how: Uint8Array) => number
  /** Fills `into` with a `struct statx`. */
  readonly statx: (descriptor: number, name: Uint8Array, flags: number, mask: number, into: Uint8Array) => number
  readonly attribute: (descriptor: number, name: Uint8Array, into: Uint8Array) => number
  /** Fills `into` with `struct linux_dirent64` records. */
  readonly directoryEntries: (descriptor: number, into: Uint8Array) => number
  /** Fills `into` with a `struct statfs`. */
  readonly fileSystem: (descriptor: number, into: Uint8Array) => number
}

/** Descriptor argument of `openAt` for an absolute name. */
export const AT_FDCWD = -100
export const AT_SYMLINK_NOFOLLOW = 0x100
export const AT_NO_AUTOMOUNT = 0x800
export const AT_EMPTY_PATH = 0x1000

/** The same on every architecture that Node has a binary for; `node:fs` does not name it. */
const O_CLOEXEC = 0o2000000

/** Never follows a link, never blocks on a FIFO, never takes a terminal. */
export const openFile =
  constants.O_RDONLY | constants.O_NOFOLLOW | O_CLOEXEC | constants.O_NONBLOCK | constants.O_NOCTTY
export const openDirectory = openFile | constants.O_DIRECTORY

const RESOLVE_NO_XDEV = 0x01
const RESOLVE_NO_MAGICLINKS = 0x02
const RESOLVE_NO_SYMLINKS = 0x04
const RESOLVE_BENEATH = 0x08
export const resolveAcross = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS
export const resolveWithin = resolveAcross | RESOLVE_NO_XDEV

/** `struct open_how`: flags, mode, resolve. */
export const openHow = (flags: number, resolve: number): Uint8Array =>
  new Uint8Array(BigUint64Array.of(BigInt(flags), 0n, BigInt(resolve)).buffer)

const numbers = {
  openat2: 437,
  landlockCreateRuleset: 444,
  landlockAddRule: 445,
  landlockRestrictSelf: 446,
  // The one call of these that is older than the common numbering.
  getdents64: process.arch === "x64" ? 217 : process.arch === "arm64" ? 61 : undefined
}

export const linuxCalls = (): LinuxCalls => {
  const library = libc()
  const openat2 = library.func("long syscall(long number, int directory, const uint8_t *name, void *how, size_t size)")
  const getdents64 = library.func("long syscall(long number, int descriptor, void *into, size_t size)")
  const statx = library.func("int statx(int descriptor, const uint8_t *name, int flags, uint32_t mask, void *into)")
  const fgetxattr = library.func("long fgetxattr(int descriptor, const uint8_t *name, void *into, size_t size)")
  const fstatfs = library.func("int fstatfs(int descriptor, void *into)")

  return {
    ...posixCalls(),
    openAt2: (directory, name, how) => {
      const call = () => openat2(numbers.openat2, directory, name, how, how.length)
      const result = outcome(call())
      return result >= 0 ? result : lookedAtTwice(result, call)
    },
    statx: (descriptor, name, flags, mask, into) => {
      const result = outcome(statx(descriptor, name, flags, mask, into))
      return result >= 0 ? result : lookedAtTwice(result, () => statx(descriptor, name, flags, mask, into))
    },
    attribute: (descriptor, name, into) => {
      const result = outcome(fgetxattr(descriptor, name, into, into.length))
      // Nothing of the engine's own ever ends with these two, and they are what is mostly told.
      if (result >= 0 || result === -ENODATA || result === -EOPNOTSUPP) return result
      return lookedAtTwice(result, () => fgetxattr(descriptor, name, into, into.length))
    },
    directoryEntries: (descriptor, into) => {
      if (numbers.getdents64 === undefined) return -ENOSYS
      const call = () => getdents64(numbers.getdents64!, descriptor, into, into.length)
      const result = outcome(call())
      return result >= 0 ? result : lookedAtTwice(result, call)
    },
    fileSystem: (descriptor, into) => {
      const result = outcome(fstatfs(descriptor, into))
      return result >= 0 ? result : lookedAtTwice(result, () => fstatfs(descriptor, into))
    }
  }
}

/** What restricting this process takes; apart from the walk's calls, which cannot change anything. */
export interface LandlockCalls {
  /** The newest interface version of the running kernel. */
  readonly version: () => number
  readonly createRuleset: (attributes: Uint8Array) => number
  /** `rule` is a `struct landlock_path_beneath_attr`. */
  readonly addPathRule: (ruleset: number, rule: Uint8Array) => number
  readonly restrictSelf: (ruleset: number, flags: number) => number
  readonly noNewPrivileges: () => number
  readonly close: (descriptor: number) => number
}

const LANDLOCK_CREATE_RULESET_VERSION = 1
const LANDLOCK_RULE_PATH_BENEATH = 1
const PR_SET_NO_NEW_PRIVS = 38

export const landlockCalls = (): LandlockCalls => {
  const library = libc()
  const create = library.func("long syscall(long number, const uint8_t *attributes, size_t size, uint32_t flags)")
  const addRule = library.func("long syscall(long number, int ruleset, int type, const uint8_t *rule, uint32_t flags)")
  const restrict = library.func("long syscall(long number, int ruleset, uint32_t flags)")
  const prctl = library.func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)")

  return {
    version: () => outcome(create(numbers.landlockCreateRuleset, null, 0, LANDLOCK_CREATE_RULESET_VERSION)),
    createRuleset: (attributes) => outcome(create(numbers.landlockCreateRuleset, attributes, attributes.length, 0)),
    addPathRule: (ruleset, rule) =>
      outcome(addRule(numbers.landlockAddRule, ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0)),
    restrictSelf: (ruleset, flags) => outcome(restrict(numbers.landlockRestrictSelf, ruleset, flags)),
    noNewPrivileges: () => outcome(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)),
    close: posixCalls().close
  }
}
