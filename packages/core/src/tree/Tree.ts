/**
 * The file tree as the core sees it: descriptors, never paths. (design.md sections 3 and 5, seed 000 "Filesystem safety")
 *
 * A `Walk` lives for one call. Every open is one name relative to an open parent and never follows a link, so the
 * only way to a file is component by component from `/`. The adapters (platform-linux, platform-darwin, the
 * in-memory tree of the tests) answer the same contract suite, `tests/contract/TreeContract.ts`.
 *
 * The operations are plain synchronous functions because the scan calls them thousands of times; a `Fault` is a
 * string so that a result costs no allocation. Only opening a walk is an Effect: its scope closes what was left open.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AclReading } from "./Acl.ts"
import type { Facts } from "./Facts.ts"
import type { Seen } from "./Stamp.ts"

/**
 * Why the system would not do it. Closed: an errno without a row of its own is `io`.
 *
 * - `missing` no such entry; `link` a symbolic link; `not_directory`; `not_permitted` EACCES or EPERM
 * - `other_device` the entry is a mount point or on another device; `special` a socket or a device without driver
 * - `name_too_long`; `exhausted` no descriptors or memory left, which says nothing about the entry
 * - `io` anything else
 */
export const faults = [
  "missing",
  "link",
  "not_directory",
  "not_permitted",
  "other_device",
  "special",
  "name_too_long",
  "exhausted",
  "io"
] as const
export type Fault = (typeof faults)[number]

declare const directoryBrand: unique symbol
declare const fileBrand: unique symbol
/** An open directory of one walk. Only a walk makes one. */
export type DirectoryHandle = number & { readonly [directoryBrand]: true }
/** Any other open entry of one walk; whether it is a regular file is for `facts` to say. */
export type FileHandle = number & { readonly [fileBrand]: true }

/** `within`: the entry must be on its parent's mount. `across`: a mount point may be crossed, as on the way to a root. */
export type MountRule = "within" | "across"

/** One directory entry whose name is valid UTF-8. A link is `other`; it is never resolved. */
export interface Entry {
  readonly name: string
  readonly kind: "directory" | "file" | "other"
}

export interface Listing {
  /** In no particular order, without `.` and `..`. */
  readonly entries: ReadonlyArray<Entry>
  /** Directory entries seen, those with an undecodable name included. */
  readonly raw: number
  /** Whether the directory's facts would show that an entry has come, gone or been replaced. */
  readonly lasting: boolean
}

/**
 * The outcome of reading a whole file. `consumed` is in bytes and counts what was read even when the read failed.
 * `text` is strict UTF-8 with nothing removed. `changed`: the file held more or fewer bytes than expected.
 */
export type Reading =
  | { readonly consumed: number; readonly text: string }
  | { readonly consumed: number; readonly refused: "not_utf8" | "changed" | Fault }

/** Distinguishes the failure of a walk's operation from its value. */
export const isFault = <A>(result: A | Fault): result is Extract<A | Fault, string> => typeof result === "string"

/** The descriptors of one call. Not to be used after its scope has closed. */
export interface Walk {
  /** The effective user id that the process runs under; with root, the only writer that the trust rule accepts. */
  readonly user: number
  /** Whether the group bits of an entry that has a list are the list's mask, as on Linux, and not the rights of a group. */
  readonly groupBitsAreMask: boolean
  /** Opens `/`. */
  readonly root: () => DirectoryHandle | Fault
  readonly directory: (parent: DirectoryHandle, name: string, rule: MountRule) => DirectoryHandle | Fault
  /** Opens without blocking whatever bears that name; a FIFO opens and is then refused by its facts. */
  readonly file: (parent: DirectoryHandle, name: string, rule: MountRule) => FileHandle | Fault
  /** May answer with the very facts of `before` where they are the same. */
  readonly facts: (handle: DirectoryHandle | FileHandle, before?: Seen) => Facts | Fault
  /**
   * Whether what bears the name now has the stamp at `at`, without opening it. True only where whatever changes content,
   * rights or access control list also changes the stamp; false elsewhere, and where nothing can be told. It shows that an
   * entry is as it was when it was last opened, and never more than that.
   */
  readonly glance: (parent: DirectoryHandle, name: string, stamps: Int32Array, at: number) => boolean
  /** Reads the access control list from the open descriptor. Every failure is a `refused` reading. */
  readonly acl: (handle: DirectoryHandle | FileHandle) => AclReading
  /** `too_many` as soon as more than `atMost` raw entries are seen. */
  readonly list: (directory: DirectoryHandle, atMost: number) => Listing | "too_many" | Fault
  /** Reads the file from its start, at most one byte more than `expected` bytes. */
  readonly read: (file: FileHandle, expected: number) => Reading
  readonly close: (handle: DirectoryHandle | FileHandle) => void
}

export class Tree extends Context.Service<
  Tree,
  {
    /** Starts a walk. The scope's end closes every descriptor that the walk still holds. */
    readonly walk: Effect.Effect<Walk, never, Scope.Scope>
  }
>()("@memory-bridge/core/tree/Tree") {}
