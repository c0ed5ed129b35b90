/** Trees in memory and policies in a line, so that a test reads like a drawing of what it needs. */
import { tableOf } from "@memory-bridge/core/guard/Mounts"
import { decide } from "@memory-bridge/core/guard/Decide"
import type { Action } from "@memory-bridge/core/guard/Decision"
import type { Entry, LookFault, View } from "@memory-bridge/core/guard/PathFacts"
import { make, type Policy } from "@memory-bridge/core/guard/Policy"

/**
 * What bears a name: a directory, a file, a device, a link (`-> target`), one more name of a file (`= path`), a second
 * view of a directory (`on path`, which is what a bind mount looks like to `lstat`), or a failure (`! fault`).
 */
export type Drawn = "dir" | "file" | "device" | `-> ${string}` | `= ${string}` | `on ${string}` | `! ${LookFault}`

const parents = (path: string): ReadonlyArray<string> => {
  const names = path.split("/").slice(1, -1)
  return ["/", ...names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`)]
}

/** Directories on the way are made. A name below an `on` is looked up below what it shows. */
export const treeOf = (drawing: Readonly<Record<string, Drawn>>): View => {
  const entries = new Map<string, Entry | LookFault>()
  const shown = new Map<string, string>()
  const add = (path: string, drawn: Drawn): void => {
    for (const parent of parents(path)) {
      if (!entries.has(parent)) entries.set(parent, { kind: "directory", id: parent, links: 2, target: "" })
    }
    if (drawn.startsWith("! ")) entries.set(path, drawn.slice(2) as LookFault)
    else if (drawn.startsWith("-> ")) entries.set(path, { kind: "link", id: path, links: 1, target: drawn.slice(3) })
    else if (drawn.startsWith("on ")) shown.set(path, drawn.slice(3))
    else if (drawn.startsWith("= ")) {
      const file: Entry = { kind: "file", id: drawn.slice(2), links: 2, target: "" }
      entries.set(drawn.slice(2), file)
      entries.set(path, file)
    } else {
      const kind = drawn === "dir" ? "directory" : drawn === "file" ? "file" : "other"
      entries.set(path, { kind, id: path, links: 1, target: "" })
    }
  }
  add("/nothing", "dir")
  for (const [path, drawn] of Object.entries(drawing)) add(path, drawn)
  const through = (path: string): string => {
    for (const [point, source] of shown) {
      if (path === point || path.startsWith(`${point}/`)) return through(`${source}${path.slice(point.length)}`)
    }
    return path
  }
  return { look: (path) => entries.get(through(path)) ?? "missing", mounts: () => tableOf([]) }
}

/** `{ read_file: "allow" }` and `{ "/srv/secret": "block" }`: rules in the order in which they are written. */
export const policyOf = (
  tools: Readonly<Record<string, Action>>,
  paths: Readonly<Record<string, "approve" | "block">> = {},
  defaultAction: Action = "block"
): Policy =>
  make(
    defaultAction,
    Object.entries(tools).map(([tool, action]) => ({ tool, action, why: "" })),
    Object.entries(paths).map(([path, action]) => ({ path, action, why: "" }))
  )

/** All four inspected tools allowed, one root blocked. */
export const openTools = {
  read_file: "allow",
  write_file: "allow",
  patch: "allow",
  terminal: "allow"
} as const satisfies Readonly<Record<string, Action>>

export const read = (path: string) => ["read_file", { path }] as const
export const write = (path: string) => ["write_file", { path, content: "" }] as const
export const terminal = (command: string) => ["terminal", { command }] as const

export type Call = readonly [tool: string, args: unknown]

/** Decides a call on a tree, with no roots of the guard's own unless given. */
export const verdict = (view: View, policy: Policy, [tool, args]: Call, self: ReadonlyArray<string> = []) =>
  decide(policy, self, view, tool, args).decision
