/**
 * Opens one name relative to an open directory, by the strictest means that the kernel has. (seed 000 "Filesystem
 * safety"; design.md section 5)
 *
 * Two resolvers, one set of answers. `openat2` lets the kernel itself refuse links, escapes and mount points. Where
 * it does not exist (before Linux 5.6, gVisor) or a sandbox forbids it, `openat` with O_NOFOLLOW opens the same
 * name and the opened descriptor's mount is compared with its parent's. A sandbox says EPERM, and so may a real open:
 * the second try decides. What was learned holds for this walk alone.
 */
import { type Facts, sameMount } from "@memory-bridge/core/tree/Facts"
import { type Fault, isFault, type MountRule } from "@memory-bridge/core/tree/Tree"
import type { Held } from "@memory-bridge/platform-posix/Descriptors"
import { nameCapacity, writeName } from "@memory-bridge/platform-posix/EntryName"
import { ENOSYS, ENOTDIR, EPERM, faultOf } from "@memory-bridge/platform-posix/Errno"
import type { Statx } from "./Statx.ts"
import { type LinuxCalls, openDirectory, openFile, openHow, resolveAcross, resolveWithin } from "./Syscalls.ts"

type Kind = "directory" | "file"

const flags: Record<Kind, number> = { directory: openDirectory, file: openFile }

const how: Record<Kind, Record<MountRule, Uint8Array>> = {
  directory: { within: openHow(openDirectory, resolveWithin), across: openHow(openDirectory, resolveAcross) },
  file: { within: openHow(openFile, resolveWithin), across: openHow(openFile, resolveAcross) }
}

export type Resolve = (kind: Kind, parent: Held, name: string, rule: MountRule) => Held | Fault

/** For one walk. */
export const resolver = (calls: Pick<LinuxCalls, "openAt" | "openAt2" | "close">, statx: Statx): Resolve => {
  const bytes = Buffer.alloc(nameCapacity)
  let byKernel = true

  const seenOf = (held: Held): Facts | Fault => {
    if (held.seen !== undefined) return held.seen
    const facts = statx.facts(held.descriptor)
    if (!isFault(facts)) held.seen = facts
    return facts
  }

  /** Tells the mount point and the link from what the plain open said of them. */
  const explain = (kind: Kind, parent: Held, rule: MountRule, errno: number): Fault => {
    const fault = faultOf(errno)
    const linkHidden = kind === "directory" && errno === ENOTDIR
    const mountHidden = !byKernel && rule === "within" && fault !== "missing" && fault !== "exhausted"
    if (!linkHidden && !mountHidden) return fault
    const found = statx.named(parent.descriptor, bytes)
    if (isFault(found)) return fault
    if (mountHidden) {
      const here = seenOf(parent)
      if (!isFault(here) && !sameMount(here, found)) return "other_device"
    }
    return linkHidden && found.link ? "link" : fault
  }

  const compared = (parent: Held, descriptor: number): Held | Fault => {
    const here = seenOf(parent)
    const there = isFault(here) ? here : statx.facts(descriptor)
    if (!isFault(here) && !isFault(there) && sameMount(here, there)) return { descriptor, seen: there }
    calls.close(descriptor)
    return isFault(here) ? here : isFault(there) ? there : "other_device"
  }

  return (kind, parent, name, rule) => {
    const unwritable = writeName(bytes, name)
    if (unwritable !== undefined) return unwritable
    if (byKernel) {
      const result = calls.openAt2(parent.descriptor, bytes, how[kind][rule])
      if (result >= 0) return { descriptor: result, seen: undefined }
      if (result !== -ENOSYS && result !== -EPERM) return explain(kind, parent, rule, -result)
      byKernel = false
    }
    const result = calls.openAt(parent.descriptor, bytes, flags[kind])
    if (result < 0) return explain(kind, parent, rule, -result)
    return rule === "within" ? compared(parent, result) : { descriptor: result, seen: undefined }
  }
}
