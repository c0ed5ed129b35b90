/**
 * The mount table of Linux, so that a bind mount is not a way round a rule. (core `Mounts`; cases/guard.md row 16)
 *
 * Read anew for every call; the text is parsed again only when it is another. macOS has no bind mounts and no table to
 * read: there the answer is an empty table.
 */
import { readFileSync } from "node:fs"
import { type Mount, type MountTable, tableOf } from "@memory-bridge/core/guard/Mounts"

/** File systems of processes, devices and kernel objects, wherever they are mounted. */
const specialTypes: ReadonlySet<string> = new Set(["proc", "sysfs", "devtmpfs", "devpts"])

/** `36 35 98:0 /root /point options optional… - type source options`; see proc_pid_mountinfo(5). */
const row = /^(\d+) (\d+) (\d+:\d+) (\S+) (\S+) .*? - (\S+) /

const unescape = (field: string): string =>
  field.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

/** `undefined` for a line of another form. */
const mountOf = (line: string): Mount | undefined => {
  const [, id, parent, device, root, point, type] = row.exec(line) ?? []
  if (id === undefined || parent === undefined || device === undefined) return undefined
  if (root === undefined || point === undefined || type === undefined) return undefined
  return {
    id: Number(id),
    parent: Number(parent),
    device,
    root: unescape(root),
    point: unescape(point),
    special: specialTypes.has(type)
  }
}

/** The rows of a table; `io` when one cannot be read, because it may be the one that matters. */
export const parseMounts = (text: string): MountTable | "io" => {
  const rows: Array<Mount> = []
  for (const line of text.split("\n")) {
    if (line === "") continue
    const mount = mountOf(line)
    if (mount === undefined) return "io"
    rows.push(mount)
  }
  return tableOf(rows)
}

const file = "/proc/self/mountinfo"

export const mountReader = (platform: NodeJS.Platform = process.platform): (() => MountTable | "io") => {
  const none = tableOf([])
  if (platform !== "linux") return () => none
  let last: { readonly text: string; readonly table: MountTable | "io" } | undefined
  return () => {
    try {
      const text = readFileSync(file, "utf8")
      if (last?.text !== text) last = { text, table: parseMounts(text) }
      return last.table
    } catch {
      return "io"
    }
  }
}
