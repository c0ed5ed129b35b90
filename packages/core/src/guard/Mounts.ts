/**
 * Which part of which file system is a path, whatever it is called here? (cases/guard.md row 16, **beyond** the seed)
 *
 * A bind mount gives a tree a second name that no link shows. The mount table says which part of which file system
 * lies at each point, so two names of one thing get one place. A system without a table has no places, and there the
 * comparison by device and inode is what is left.
 */
import { groupBy } from "./Group.ts"
import { covers, joined } from "./LiteralPath.ts"

/** One row of the mount table. A row with the same point as its parent lies over it. */
export interface Mount {
  readonly id: number
  readonly parent: number
  /** Absolute path of the mount point. */
  readonly point: string
  /** Names the file system, whichever part of it is mounted here. */
  readonly device: string
  /** The part of the file system that is mounted here, as an absolute path in it. */
  readonly root: string
  /** Of processes, devices or kernel objects instead of files. */
  readonly special: boolean
}

/** The rows, ready to be asked about a path. */
export interface MountTable {
  readonly rows: ReadonlyArray<Mount>
  readonly top: Mount | undefined
  readonly byPoint: ReadonlyMap<string, ReadonlyArray<Mount>>
}

export const tableOf = (rows: ReadonlyArray<Mount>): MountTable => {
  const ids = new Set(rows.map((row) => row.id))
  return {
    rows,
    top: rows.find((row) => row.point === "/" && (row.parent === row.id || !ids.has(row.parent))),
    byPoint: groupBy(rows, (row) => row.point)
  }
}

/** What lies uppermost at one point, seen from the mount below it. */
const upper = (table: MountTable, below: Mount, point: string): Mount => {
  let mount = below
  for (let left = table.rows.length; left > 0; left--) {
    const over = table.byPoint.get(point)?.find((row) => row.parent === mount.id && row.id !== mount.id)
    if (over === undefined) break
    mount = over
  }
  return mount
}

/** The mount in which a canonical path lies; `undefined` without a table. Goes by parents, so what is hidden stays so. */
export const coveringMount = (table: MountTable, path: string): Mount | undefined => {
  if (table.top === undefined) return undefined
  let mount = upper(table, table.top, "/")
  if (path === "/") return mount
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
    mount = upper(table, mount, path.slice(0, end))
  }
  return upper(table, mount, path)
}

/** Device and path within it; "" without a table. */
export const placeOf = (table: MountTable, path: string): string => {
  const mount = coveringMount(table, path)
  if (mount === undefined) return ""
  const rest = mount.point === "/" ? path.slice(1) : path.slice(mount.point.length + 1)
  const within = rest === "" ? mount.root : joined(mount.root, rest)
  return within === "/" ? mount.device : `${mount.device}${within}`
}

/** The mount points strictly below a canonical path. */
export const pointsBelow = (table: MountTable, path: string): ReadonlyArray<string> =>
  table.rows.map((row) => row.point).filter((point) => point !== path && covers(path, point))
