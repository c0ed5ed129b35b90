/**
 * The macOS adapter of `Tree`. (design.md sections 3 and 5)
 *
 * `layer` binds the system's calls once; each walk has its own descriptors and its own memory of what the kernel knows
 * and who is who, both gone with its scope. Every operation works on a descriptor that a handle of this walk stands for;
 * a handle that stands for none is `io`. Nothing here writes, and nothing takes a path but `/`.
 */
import type { AclReading } from "@memory-bridge/core/tree/Acl"
import {
  type DirectoryHandle,
  type Fault,
  type FileHandle,
  isFault,
  Tree,
  type Walk
} from "@memory-bridge/core/tree/Tree"
import { type BoundedRead, boundedRead } from "@memory-bridge/platform-posix/BoundedRead"
import { descriptors, type Held } from "@memory-bridge/platform-posix/Descriptors"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { directoryLister, type ListDirectory } from "./Directory.ts"
import { faultOf } from "./Errno.ts"
import { aclReader } from "./ExtendedAcl.ts"
import { type FactsOf, factsReader } from "./Facts.ts"
import { resolver } from "./Resolver.ts"
import { type DarwinCalls, darwinCalls } from "./Syscalls.ts"

/** What all walks share: stateless but for its buffers, which no two operations use at once. */
interface Operations {
  readonly facts: FactsOf
  readonly read: BoundedRead
  readonly list: ListDirectory
}

const unreadable: AclReading = { kind: "refused", reason: "acl_unreadable" }

const startWalk = (calls: DarwinCalls, operations: Operations): { readonly walk: Walk; readonly end: () => void } => {
  const held = descriptors(calls.close)
  const resolve = resolver(calls, operations.facts)
  const readAcl = aclReader(calls)

  const handle = (opened: Held | Fault): number | Fault => (isFault(opened) ? opened : held.hold(opened))

  const walk: Walk = {
    user: calls.effectiveUser(),
    groupBitsAreMask: false,
    root: () => handle(resolve.root()) as DirectoryHandle | Fault,
    directory: (parent, name, rule) => {
      const entry = held.find(parent)
      return entry === undefined
        ? "io"
        : (handle(resolve.open("directory", entry, name, rule)) as DirectoryHandle | Fault)
    },
    file: (parent, name, rule) => {
      const entry = held.find(parent)
      return entry === undefined ? "io" : (handle(resolve.open("file", entry, name, rule)) as FileHandle | Fault)
    },
    facts: (of) => {
      const entry = held.find(of)
      if (entry === undefined) return "io"
      const facts = operations.facts(entry.descriptor)
      if (!isFault(facts)) entry.seen = facts
      return facts
    },
    acl: (of) => {
      const entry = held.find(of)
      return entry === undefined ? unreadable : readAcl(entry.descriptor)
    },
    // No document of macOS says that a changed access control list shows in the times of its file.
    glance: () => false,
    list: (directory, atMost) => {
      const entry = held.find(directory)
      return entry === undefined ? "io" : operations.list(entry.descriptor, atMost)
    },
    read: (file, expected) => {
      const entry = held.find(file)
      return entry === undefined ? { consumed: 0, refused: "io" } : operations.read(entry.descriptor, expected)
    },
    close: held.close
  }
  return { walk, end: held.end }
}

/** Over given calls, so that tests can change one or bring another library. */
export const layerOver = (bind: () => DarwinCalls): Layer.Layer<Tree> =>
  Layer.sync(Tree, () => {
    const calls = bind()
    const operations = {
      facts: factsReader(calls),
      read: boundedRead(calls, faultOf),
      list: directoryLister(calls)
    }
    const start = Effect.sync(() => startWalk(calls, operations))
    return {
      walk: Effect.map(
        Effect.acquireRelease(start, ({ end }) => Effect.sync(end)),
        ({ walk }) => walk
      )
    }
  })

/** A missing function, or a system without that library, is a defect when the layer is built, before any walk. */
export const layer: Layer.Layer<Tree> = layerOver(() => darwinCalls())
