/**
 * The words that a test draws a tree in. A plain object is a directory, a string or bytes are a file; the functions
 * give a node what a plain one lacks. `MemoryTree` makes it live, `LinuxWorld` puts it on a disk.
 */
import type { AclReading } from "@memory-bridge/core/tree/Acl"
import type { Fault } from "@memory-bridge/core/tree/Tree"

export type Drawn = string | Uint8Array | Drawing | Thing
export interface Drawing {
  readonly [name: string]: Drawn
}

type Operation = "open" | "facts" | "acl" | "list" | "read"

export interface As {
  /** The user that the walk runs under, unless said otherwise. */
  readonly owner?: number
  /** The group of the same number as the user that the walk runs under, unless said otherwise. */
  readonly group?: number
  /** `0o755` for a directory, `0o644` for anything else. */
  readonly mode?: number
  readonly links?: number
  readonly acl?: AclReading
  /** Also of what lies below; a device of its own is a mount of its own. */
  readonly device?: bigint
  /** Also of what lies below; `unknown` is a kernel that tells no mount ids. */
  readonly mount?: bigint | "unknown"
  /** As the facts tell it; without it, what there is to read. */
  readonly size?: number
  readonly inode?: bigint
  readonly modified?: bigint
  readonly changed?: bigint
  /** Entries of a directory whose names are not UTF-8. */
  readonly undecodable?: number
  readonly fails?: {
    readonly open?: Fault
    readonly facts?: Fault
    readonly list?: Fault
    readonly read?: Fault
    /** Bytes that a failing read consumes. */
    readonly readAfter?: number
    /** Nothing is told at a glance. */
    readonly glance?: true
    /** A change of what a directory lists need not show in its facts. */
    readonly lasting?: true
  }
  /** Called once the operation has got its answer. */
  readonly after?: { readonly [operation in Operation]?: () => void }
}

const kind: unique symbol = Symbol("kind")
export type Kind = "directory" | "file" | "link" | "fifo" | "socket" | "device"

/** A node that is more than its content. */
export interface Thing {
  readonly [kind]: Kind
  readonly below: Drawing
  readonly content: string | Uint8Array
  readonly as: As
}

const thing = (of: Kind, as: As, below: Drawing = {}, content: string | Uint8Array = ""): Thing => ({
  [kind]: of,
  below,
  content,
  as
})

export const dir = (below: Drawing, as: As = {}): Thing => thing("directory", as, below)
export const file = (content: string | Uint8Array, as: As = {}): Thing => thing("file", as, {}, content)
export const link = (target = "nowhere", as: As = {}): Thing => thing("link", as, {}, target)
export const fifo = (as: As = {}): Thing => thing("fifo", as)
/** Cannot be opened: `special`. */
export const socket = (as: As = {}): Thing => thing("socket", as)
/** Opens, like `/dev/null`. */
export const device = (as: As = {}): Thing => thing("device", as)

/** The thing that a short form stands for. */
export const asThing = (drawn: Drawn): Thing =>
  typeof drawn === "string" || drawn instanceof Uint8Array
    ? file(drawn)
    : kind in drawn
      ? (drawn as Thing)
      : dir(drawn as Drawing)

export const kindOf = (drawn: Thing): Kind => drawn[kind]
