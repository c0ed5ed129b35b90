/**
 * Opens one name relative to an open directory. (seed 000 "Filesystem safety"; design.md section 5)
 *
 * Links. One name at a time leaves only the last name to be a link, which O_NOFOLLOW has always refused. Where the kernel
 * has O_NOFOLLOW_ANY that is used instead: it stops at the first link during the lookup, before anything of the target
 * is touched, and says so also where a directory was wanted. The kernel knows the bit when it refuses the two together
 * (EINVAL, xnu `vn_open_auth`), and the first open of every walk, that of `/`, asks for both; a kernel that takes no
 * notice of the newer bit has thereby opened `/` under the older one, and keeps to that. So no open ever goes without a
 * bit that its kernel heeds.
 *
 * Spelling. A volume that is blind to case or to the Unicode form opens a file by names that no listing shows. Rules
 * are decided on names, so a name only counts in the spelling that the volume itself gives (F_GETPATH); any other is
 * `missing`. A file of several names may be told by another of them, and is then missing too, as hard links are refused.
 */
import { type Facts, sameMount } from "@memory-bridge/core/tree/Facts"
import { type Fault, isFault, type MountRule } from "@memory-bridge/core/tree/Tree"
import type { Held } from "@memory-bridge/platform-posix/Descriptors"
import { nameCapacity, writeName } from "@memory-bridge/platform-posix/EntryName"
import { EINVAL, ENOTDIR, faultOf } from "./Errno.ts"
import type { FactsOf } from "./Facts.ts"
import {
  AT_FDCWD,
  type DarwinCalls,
  O_NOFOLLOW,
  O_NOFOLLOW_ANY,
  openDirectory,
  openFile,
  pathCapacity
} from "./Syscalls.ts"

type Kind = "directory" | "file"

const flags: Record<Kind, number> = { directory: openDirectory, file: openFile }

export interface Resolver {
  readonly root: () => Held | Fault
  readonly open: (kind: Kind, parent: Held, name: string, rule: MountRule) => Held | Fault
}

const slash = Buffer.from("/\0", "latin1")
const SLASH = 0x2f

const opened = (result: number): Held | Fault =>
  result < 0 ? faultOf(-result) : { descriptor: result, seen: undefined }

/** For one walk. */
export const resolver = (calls: Pick<DarwinCalls, "openAt" | "ownPath" | "close">, factsOf: FactsOf): Resolver => {
  const bytes = Buffer.alloc(nameCapacity)
  const path = Buffer.alloc(pathCapacity)
  let noLinks = O_NOFOLLOW

  const seenOf = (held: Held): Facts | Fault => {
    if (held.seen !== undefined) return held.seen
    const facts = factsOf(held.descriptor)
    if (!isFault(facts)) held.seen = facts
    return facts
  }

  const mountRefusal = (parent: Held, held: Held): Fault | undefined => {
    const here = seenOf(parent)
    if (isFault(here)) return here
    const there = seenOf(held)
    if (isFault(there)) return there
    return sameMount(here, there) ? undefined : "other_device"
  }

  /** Whether the volume's own path of the entry ends in the very bytes that were asked for. */
  const spellingRefusal = (descriptor: number): Fault | undefined => {
    const result = calls.ownPath(descriptor, path)
    if (result < 0) return faultOf(-result)
    const end = path.indexOf(0)
    if (end < 0) return "io"
    const start = path.lastIndexOf(SLASH, end) + 1
    // With the NUL behind both, so that neither is the beginning of the other.
    return bytes.compare(path, start, end + 1, 0, end + 1 - start) === 0 ? undefined : "missing"
  }

  const kept = (held: Held, refusal: Fault | undefined): Held | Fault => {
    if (refusal === undefined) return held
    calls.close(held.descriptor)
    return refusal
  }

  /** "Not a directory" is also said of a link, by the older bit, and hides a mount point: the entry itself tells. */
  const explained = (parent: Held, rule: MountRule): Fault => {
    const result = calls.openAt(parent.descriptor, bytes, openFile | noLinks)
    if (result < 0) return faultOf(-result) === "link" ? "link" : "not_directory"
    const refusal = rule === "within" ? mountRefusal(parent, { descriptor: result, seen: undefined }) : undefined
    calls.close(result)
    return refusal ?? "not_directory"
  }

  return {
    root: () => {
      const result = calls.openAt(AT_FDCWD, slash, openDirectory | O_NOFOLLOW | O_NOFOLLOW_ANY)
      if (result !== -EINVAL) return opened(result)
      noLinks = O_NOFOLLOW_ANY
      return opened(calls.openAt(AT_FDCWD, slash, openDirectory | noLinks))
    },
    open: (kind, parent, name, rule) => {
      const unwritable = writeName(bytes, name)
      if (unwritable !== undefined) return unwritable
      const result = calls.openAt(parent.descriptor, bytes, flags[kind] | noLinks)
      if (result === -ENOTDIR && kind === "directory") return explained(parent, rule)
      const held = opened(result)
      if (isFault(held)) return held
      const refusal = spellingRefusal(held.descriptor) ?? (rule === "within" ? mountRefusal(parent, held) : undefined)
      return kept(held, refusal)
    }
  }
}
