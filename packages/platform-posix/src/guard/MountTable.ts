/**
 * The mount table of Linux, so that a bind mount is not a way round a rule. (core `Mounts`; cases/guard.md row 16)
 *
 * The kernel is asked for every call whether the table has changed since it was last looked at, which costs a
 * thirtieth of reading it; whatever it answers but a plain no, the table is read anew. macOS has no bind mounts and no
 * table to read: there the answer is an empty table.
 */
import { openSync, readFileSync } from "node:fs"
import { type Mount, type MountTable, tableOf } from "@memory-bridge/core/guard/Mounts"
import { libc } from "../Libc.ts"

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

/** `poll.h`. The kernel reports a change of the table as both, once for each descriptor. */
const POLLPRI = 0x2
const POLLERR = 0x8

/** Whether the table may have changed since the last time that this was asked; the first answer is yes. */
const changeWatch = (): (() => boolean) => {
  const poll = libc().func("int poll(void *descriptors, unsigned long count, int milliseconds)")
  const watched = new DataView(new ArrayBuffer(8))
  const bytes = new Uint8Array(watched.buffer)
  const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
  // Never closed: it lives as long as the process.
  watched.setInt32(0, openSync(file, "r"), littleEndian)
  watched.setInt16(4, POLLPRI | POLLERR, littleEndian)
  let asked = false
  return () => {
    const first = !asked
    asked = true
    watched.setInt16(6, 0, littleEndian)
    return poll(bytes, 1, 0) !== 0 || first
  }
}

export const mountReader = (platform: NodeJS.Platform = process.platform): (() => MountTable | "io") => {
  const none = tableOf([])
  if (platform !== "linux") return () => none
  let changed: (() => boolean) | undefined
  let table: MountTable | "io" = "io"
  return () => {
    try {
      changed ??= changeWatch()
      // Asked before reading: what changes while it is read is reported to the next call. A failure is not kept.
      if (changed() || table === "io") table = parseMounts(readFileSync(file, "utf8"))
      return table
    } catch {
      table = "io"
      return table
    }
  }
}
