/**
 * `Tree` over a drawing, for every test that needs files and not a disk. (design.md section 4; it answers the same
 * contract suite as the real adapters)
 *
 *     const tree = memoryTree({
 *       home: {
 *         me: dir({
 *           "a.md": "# A note",
 *           "private": dir({ "b.md": "secret" }, { mode: 0o700 }),
 *           "shared.md": file("by all", { mode: 0o666, owner: 33 }),
 *           "elsewhere": link()
 *         }, { mode: 0o750 })
 *       }
 *     })
 *
 * A plain object is a directory, a string or bytes are a file; the functions give a node what a plain one lacks. The
 * tree may be changed at any time, from a hook in the middle of a walk too: an open handle keeps the node that it
 * opened, as a descriptor keeps its inode. `log` tells what was asked of the tree, in order.
 */
import { noAcl } from "@memory-bridge/core/tree/Acl"
import type { Facts } from "@memory-bridge/core/tree/Facts"
import { isStamped } from "@memory-bridge/core/tree/Stamp"
import {
  type DirectoryHandle,
  type Fault,
  type FileHandle,
  type MountRule,
  Tree,
  type Walk
} from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type As, asThing, type Drawing, type Drawn, type Kind, kindOf, type Thing } from "./Drawing.ts"

export { device, dir, fifo, file, link, socket } from "./Drawing.ts"

interface Node {
  readonly kind: Kind
  readonly inode: bigint
  readonly below: Map<string, Node>
  content: Uint8Array
  as: As
}

interface Open {
  readonly node: Node
  readonly path: string
  readonly device: bigint
  readonly mount: bigint | undefined
}

export interface MemoryTree {
  readonly layer: Layer.Layer<Tree>
  readonly user: number
  /** `open /home/me/a.md`, `acl …`, `list …`, `read …`; an open is told whether or not it succeeded. */
  readonly log: Array<string>
  /** Handles now open, of all walks. */
  readonly held: () => number
  /** Puts a new node at a path whose parent exists. */
  readonly put: (path: string, drawn: Drawn) => void
  readonly remove: (path: string) => void
  /** Gives a node another name. As on a disk, the node itself is changed by it. */
  readonly move: (from: string, to: string) => void
  readonly has: (path: string) => boolean
  readonly modified: (path: string) => bigint
  /** Changes the node itself, so that open handles see it. A change is later by a nanosecond unless `as` tells. */
  readonly edit: (path: string, as: As & { readonly content?: string | Uint8Array }) => void
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : content

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const decoded = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** 2023-11-14. */
const usualTime = 1_700_000_000_000_000_000n
const longestName = 255

let lastInode = 100n
let lastHandle = 0

const grown = (drawn: Drawn): Node => {
  const described = asThing(drawn)
  const { as, below, content } = described
  lastInode += 1n
  return {
    kind: kindOf(described),
    inode: lastInode,
    below: new Map(Object.entries(below).map(([name, child]) => [name, grown(child)])),
    content: bytesOf(content),
    as
  }
}

const entryKind = (node: Node): Facts["kind"] =>
  node.kind === "directory" || node.kind === "file" ? node.kind : "other"

const refusedName = (name: string): Fault | undefined =>
  name === "" || name === "." || name === ".." || /[\0/]|\p{Surrogate}/u.test(name)
    ? "missing"
    : bytesOf(name).length > longestName
      ? "name_too_long"
      : undefined

const placed = (node: Node, parent: Pick<Open, "device" | "mount">): Pick<Open, "device" | "mount"> => {
  const { device, mount = device } = node.as
  return {
    device: device ?? parent.device,
    mount: mount === "unknown" ? undefined : (mount ?? parent.mount)
  }
}

const refusedOpen = (
  wanted: "directory" | "file",
  node: Node,
  rule: MountRule,
  here: Pick<Open, "device" | "mount">,
  there: Pick<Open, "device" | "mount">
): Fault | undefined => {
  if (node.kind === "link") return "link"
  if (rule === "within" && (here.device !== there.device || here.mount !== there.mount)) return "other_device"
  if (wanted === "directory" && node.kind !== "directory") return "not_directory"
  return node.as.fails?.open ?? (node.kind === "socket" ? "special" : undefined)
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** `drawing` is what lies below `/`, or `/` itself as a `dir`. */
export const memoryTree = (drawing: Drawing | Thing, { user = 1000 }: { readonly user?: number } = {}): MemoryTree => {
  const top = grown(drawing)
  if (top.as.owner === undefined) top.as = { ...top.as, owner: 0 }
  const log: Array<string> = []
  const walks = new Set<Map<number, Open>>()

  const nodeAt = (path: string): Node => {
    let node = top
    for (const name of path.split("/").filter((name) => name !== "")) {
      const child = node.below.get(name)
      if (child === undefined) throw new Error(`nothing is drawn at ${path}`)
      node = child
    }
    return node
  }
  const touched = (node: Node): Node => {
    const { changed = usualTime, modified = usualTime } = node.as
    node.as = { ...node.as, modified: modified + 1n, changed: changed + 1n }
    return node
  }
  const parentOf = (path: string): Node => nodeAt(path.slice(0, path.lastIndexOf("/")))

  const start = (open: Map<number, Open>): Walk => {
    const hold = (entry: Open): number => {
      lastHandle += 1
      open.set(lastHandle, entry)
      entry.node.as.after?.open?.()
      return lastHandle
    }

    const opened = (wanted: "directory" | "file", parent: number, name: string, rule: MountRule): number | Fault => {
      const here = open.get(parent)
      if (here === undefined) return "io"
      const unusable = refusedName(name)
      if (unusable !== undefined) return unusable
      const path = `${here.path === "/" ? "" : here.path}/${name}`
      log.push(`open ${path}`)
      const node = here.node.below.get(name)
      if (node === undefined) return "missing"
      const there = placed(node, here)
      return refusedOpen(wanted, node, rule, here, there) ?? hold({ node, path, ...there })
    }

    const factsOf = ({ device, mount, node }: Open): Facts => {
      const { as } = node
      return {
        kind: entryKind(node),
        owner: as.owner ?? user,
        group: as.group ?? user,
        mode: as.mode ?? (node.kind === "directory" ? 0o755 : 0o644),
        links: as.links ?? (node.kind === "directory" ? 2 : 1),
        size: as.size ?? (node.kind === "directory" ? 4096 : node.content.length),
        device,
        mount,
        inode: as.inode ?? node.inode,
        modified: as.modified ?? usualTime,
        changed: as.changed ?? usualTime
      }
    }

    return {
      user,
      groupBitsAreMask: true,
      root: () =>
        top.as.fails?.open ??
        (hold({ node: top, path: "/", ...placed(top, { device: 1n, mount: 1n }) }) as DirectoryHandle),
      directory: (parent, name, rule) => opened("directory", parent, name, rule) as DirectoryHandle | Fault,
      file: (parent, name, rule) => opened("file", parent, name, rule) as FileHandle | Fault,
      facts: (handle, before) => {
        const entry = open.get(handle)
        if (entry === undefined) return "io"
        const { as } = entry.node
        const facts = as.fails?.facts ?? factsOf(entry)
        as.after?.facts?.()
        return before !== undefined && typeof facts !== "string" && isStamped(facts, before.stamp, 0)
          ? before.facts
          : facts
      },
      glance: (parent, name, stamps, at) => {
        const here = open.get(parent)
        const node = here?.node.below.get(name)
        if (here === undefined || node === undefined || node.as.fails?.glance === true) return false
        const path = `${here.path === "/" ? "" : here.path}/${name}`
        log.push(`glance ${path}`)
        return isStamped(factsOf({ node, path, ...placed(node, here) }), stamps, at)
      },
      acl: (handle) => {
        const entry = open.get(handle)
        if (entry === undefined) return { kind: "refused", reason: "acl_unreadable" }
        log.push(`acl ${entry.path}`)
        const reading = entry.node.as.acl ?? noAcl
        entry.node.as.after?.acl?.()
        return reading
      },
      list: (directory, atMost) => {
        const entry = open.get(directory)
        if (entry === undefined) return "io"
        log.push(`list ${entry.path}`)
        const { as, below } = entry.node
        if (as.fails?.list !== undefined) return as.fails.list
        const raw = below.size + (as.undecodable ?? 0)
        if (raw > atMost) return "too_many"
        const entries = Array.from(below, ([name, node]) => ({ name, kind: entryKind(node) }))
        as.after?.list?.()
        return { entries, raw, lasting: as.fails?.lasting !== true }
      },
      read: (handle, expected) => {
        const entry = open.get(handle)
        if (entry === undefined || entry.node.kind !== "file") return { consumed: 0, refused: "io" }
        log.push(`read ${entry.path}`)
        const { as, content } = entry.node
        if (as.fails?.read !== undefined) return { consumed: as.fails.readAfter ?? 0, refused: as.fails.read }
        const bytes = content.subarray(0, expected + 1)
        const consumed = bytes.length
        const text = decoded(bytes)
        as.after?.read?.()
        if (consumed !== expected) return { consumed, refused: "changed" }
        return text === undefined ? { consumed, refused: "not_utf8" } : { consumed, text }
      },
      close: (handle) => {
        open.delete(handle)
      }
    }
  }

  const walk = Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const open = new Map<number, Open>()
        walks.add(open)
        return open
      }),
      (open) =>
        Effect.sync(() => {
          open.clear()
          walks.delete(open)
        })
    ),
    start
  )

  return {
    layer: Layer.succeed(Tree, { walk }),
    user,
    log,
    held: () => Array.from(walks).reduce((sum, open) => sum + open.size, 0),
    put: (path, drawn) => {
      touched(parentOf(path)).below.set(nameOf(path), grown(drawn))
    },
    remove: (path) => {
      touched(parentOf(path)).below.delete(nameOf(path))
    },
    move: (from, to) => {
      const node = nodeAt(from)
      touched(parentOf(from)).below.delete(nameOf(from))
      touched(parentOf(to)).below.set(nameOf(to), node)
      node.as = { ...node.as, changed: (node.as.changed ?? usualTime) + 1n }
    },
    has: (path) => parentOf(path).below.has(nameOf(path)),
    modified: (path) => nodeAt(path).as.modified ?? usualTime,
    edit: (path, { content, ...as }) => {
      const node = nodeAt(path)
      const changed = (node.as.changed ?? usualTime) + 1n
      const later = content === undefined ? { changed } : { modified: (node.as.modified ?? usualTime) + 1n, changed }
      node.as = { ...node.as, ...later, ...as }
      if (content !== undefined) node.content = bytesOf(content)
    }
  }
}
