/**
 * The Linux adapter of `Tree`. (design.md sections 3 and 5)
 *
 * `layer` binds the system calls once; each walk has its own descriptors and its own memory of what the kernel and
 * the mounts cannot do, both gone with its scope. Every operation works on a descriptor that a handle of this walk
 * stands for; a handle that stands for none is `io`. Nothing here writes, and nothing takes a path but `/`.
 */
import type { AclReading } from "@memory-bridge/core/tree/Acl"
import {
  type DirectoryHandle,
  type Fault,
  type FileHandle,
  isFault,
  type MountRule,
  Tree,
  type Walk
} from "@memory-bridge/core/tree/Tree"
import { type BoundedRead, boundedRead } from "@memory-bridge/platform-posix/BoundedRead"
import { descriptors, type Held } from "@memory-bridge/platform-posix/Descriptors"
import { nameCapacity, writeName } from "@memory-bridge/platform-posix/EntryName"
import { faultOf } from "@memory-bridge/platform-posix/Errno"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { aclReader } from "./AclAttributes.ts"
import { directoryLister, type ListDirectory } from "./Directory.ts"
import { uniformMounts } from "./FileSystem.ts"
import { resolver } from "./Resolver.ts"
import { type Statx, statx } from "./Statx.ts"
import { AT_FDCWD, type LinuxCalls, linuxCalls, openDirectory } from "./Syscalls.ts"

/** What all walks share: stateless but for its buffers, which no two operations use at once. */
interface Operations {
  readonly statx: Statx
  readonly read: BoundedRead
  readonly list: ListDirectory
}

const slash = Buffer.from("/\0", "latin1")
const unreadable: AclReading = { kind: "refused", reason: "acl_unreadable" }

const startWalk = (calls: LinuxCalls, operations: Operations): { readonly walk: Walk; readonly end: () => void } => {
  const held = descriptors(calls.close)
  const resolve = resolver(calls, operations.statx)
  const isUniform = uniformMounts(calls)
  const readAcl = aclReader(calls, isUniform)
  const glanced = Buffer.alloc(nameCapacity)

  const factsOf: Walk["facts"] = (handle, before) => {
    const entry = held.find(handle)
    if (entry === undefined) return "io"
    const facts = operations.statx.facts(entry.descriptor, before)
    if (!isFault(facts)) entry.seen = facts
    return facts
  }

  /** Whether whatever changes an entry or what a directory lists also changes the facts. */
  const isLasting = (handle: DirectoryHandle, entry: Held): boolean => {
    if (entry.uniform !== undefined) return entry.uniform
    if (entry.seen === undefined) factsOf(handle)
    return (entry.uniform = isUniform(entry.descriptor, entry.seen?.mount))
  }

  const open = (kind: "directory" | "file", parent: DirectoryHandle, name: string, rule: MountRule): number | Fault => {
    const entry = held.find(parent)
    if (entry === undefined) return "io"
    const opened = resolve(kind, entry, name, rule)
    return isFault(opened) ? opened : held.hold(opened)
  }

  const walk: Walk = {
    user: calls.effectiveUser(),
    groupBitsAreMask: true,
    root: () => {
      const result = calls.openAt(AT_FDCWD, slash, openDirectory)
      return result < 0 ? faultOf(-result) : (held.hold({ descriptor: result, seen: undefined }) as DirectoryHandle)
    },
    directory: (parent, name, rule) => open("directory", parent, name, rule) as DirectoryHandle | Fault,
    file: (parent, name, rule) => open("file", parent, name, rule) as FileHandle | Fault,
    facts: factsOf,
    glance: (parent, name, stamps, at) => {
      const entry = held.find(parent)
      if (entry === undefined || !isLasting(parent, entry)) return false
      if (writeName(glanced, name) !== undefined) return false
      return operations.statx.isStamped(entry.descriptor, glanced, stamps, at)
    },
    acl: (handle) => {
      const entry = held.find(handle)
      if (entry === undefined) return unreadable
      if (entry.seen === undefined) factsOf(handle)
      return readAcl(entry.descriptor, entry.seen?.mount)
    },
    list: (directory, atMost) => {
      const entry = held.find(directory)
      if (entry === undefined) return "io"
      const listing = operations.list(entry.descriptor, atMost)
      return typeof listing === "string" ? listing : { ...listing, lasting: isLasting(directory, entry) }
    },
    read: (file, expected) => {
      const entry = held.find(file)
      return entry === undefined ? { consumed: 0, refused: "io" } : operations.read(entry.descriptor, expected)
    },
    close: held.close
  }
  return { walk, end: held.end }
}

/** Over given system calls, so that tests can take one away. */
export const layerOver = (bind: () => LinuxCalls): Layer.Layer<Tree> =>
  Layer.sync(Tree, () => {
    const calls = bind()
    const status = statx(calls)
    const operations = { statx: status, read: boundedRead(calls), list: directoryLister(calls, status.named) }
    const start = Effect.sync(() => startWalk(calls, operations))
    return {
      walk: Effect.map(
        Effect.acquireRelease(start, ({ end }) => Effect.sync(end)),
        ({ walk }) => walk
      )
    }
  })

/** A missing system call is a defect when the layer is built, before any walk. */
export const layer: Layer.Layer<Tree> = layerOver(linuxCalls)
