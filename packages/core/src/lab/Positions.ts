/**
 * Where can a path lie, seen from all roots of two policies? (design.md section 9: position relative to every root)
 *
 * A rule asks of a path only whether it is the root, lies below it or above it. The roots form a tree of names, and a
 * path stands either at a name of that tree or leaves it below one. So finitely many positions stand for all paths:
 *
 * - `at` a root;
 * - `below` a root and off every name that leads to another: one position for each root, because where the path leaves
 *   the tree changes nothing as long as the nearest root above it is the same;
 * - `above`: a name that is no root and leads to one. A run of such names without a fork has the same roots above and
 *   below it, so its first name stands for the run. A working directory is not guarded by what lies below it, and
 *   there such a name counts like `below` the root that it lies in;
 * - `unrelated`: outside every root and off every name.
 *
 * Each position has its shortest path as the example. What can be written at all in a position can then be written
 * for the example, because commands and file tools refuse characters and lengths, and the example is a head of the
 * others, with one plain name at the end.
 */
import { joined, lexical } from "../guard/LiteralPath.ts"
import { emptyView, type Entry, type View } from "../guard/PathFacts.ts"

export type Where = "at" | "below" | "above" | "unrelated" | "linked"

export interface Position {
  readonly where: Where
  /** The root that the path is at, below or above, the first of several; "" when unrelated. */
  readonly root: string
  /** A path in this position. */
  readonly path: string
}

interface Node {
  readonly path: string
  readonly below: Map<string, Node>
  isRoot: boolean
}

const namesOf = (path: string): ReadonlyArray<string> =>
  lexical(path)
    .split("/")
    .filter((name) => name !== "")

const nodeAt = (path: string): Node => ({ path, below: new Map(), isRoot: false })

const treeOf = (roots: ReadonlyArray<string>): Node => {
  const top = nodeAt("/")
  for (const root of roots) {
    let node = top
    for (const name of namesOf(root)) {
      const next = node.below.get(name) ?? nodeAt(joined(node.path, name))
      node.below.set(name, next)
      node = next
    }
    node.isRoot = true
  }
  return top
}

const firstRoot = (start: Node): string => {
  let node: Node | undefined = start
  while (node !== undefined && !node.isRoot) node = node.below.values().next().value
  return node?.path ?? ""
}

const letters = "xyzabcdefghijklmnopqrstuvwABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/** Names that are part of no root, as short as can be. A path that ends with one is off the tree from there on. */
export const freshNames = (roots: ReadonlyArray<string>, count: number): ReadonlyArray<string> => {
  const used = new Set(roots.flatMap((root) => namesOf(root.toLowerCase())))
  const fresh: Array<string> = []
  for (let prefix = ""; fresh.length < count; prefix += "x") {
    for (const letter of letters) if (!used.has(`${prefix}${letter}`.toLowerCase())) fresh.push(`${prefix}${letter}`)
  }
  return fresh.slice(0, count)
}

/** Every position, in the order of the roots: what leads to a root, the root, what is below it. */
export const positionsOf = (roots: ReadonlyArray<string>, fresh: string): ReadonlyArray<Position> => {
  const top = treeOf(roots)
  const positions: Array<Position> = []
  const pending: Array<readonly [node: Node, startsRun: boolean]> = [[top, true]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, startsRun] = next
    const { below, isRoot, path } = node
    if (isRoot) {
      positions.push({ where: "at", root: path, path }, { where: "below", root: path, path: joined(path, fresh) })
    } else if (startsRun && below.size > 0) {
      positions.push({ where: "above", root: firstRoot(node), path })
    }
    const forks = isRoot || below.size > 1
    for (const child of [...below.values()].toReversed()) pending.push([child, forks])
  }
  if (!top.isRoot) positions.push({ where: "unrelated", root: "", path: `/${fresh}` })
  return positions
}

/** A tree in which every root is a plain directory and nothing else exists: no link, no second name, no mount. */
export const plainView = (roots: ReadonlyArray<string>): View => {
  const directories = new Map<string, Entry>()
  const add = (path: string): void => {
    directories.set(path, { kind: "directory", id: path, links: 1, target: "" })
  }
  add("/")
  for (const root of roots) {
    let path = "/"
    for (const name of namesOf(root)) add((path = joined(path, name)))
  }
  return { look: (path) => directories.get(path) ?? "missing", mounts: emptyView.mounts }
}

/** The same tree, but `root` is a link to a directory elsewhere. */
export const linkedView = (plain: View, root: string, target: string): View => ({
  look: (path) => {
    if (path === root) return { kind: "link", id: "link", links: 1, target }
    return path === target ? { kind: "directory", id: "target", links: 1, target: "" } : plain.look(path)
  },
  mounts: plain.mounts
})
