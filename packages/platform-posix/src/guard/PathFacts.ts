/**
 * What the system says about a name: `lstat`, `readlink` and, on Linux, the mount table. (core `PathFacts`; seed 004 "No
 * protected file contents are opened by the evaluator")
 *
 * Nothing is opened and no link is followed here; putting the looks together is the core's walk. An answer is `missing`
 * only for ENOENT.
 */
import { type BigIntStats, constants, lstatSync, readlinkSync } from "node:fs"
import * as Layer from "effect/Layer"
import { type Entry, type LookFault, PathFacts, type View } from "@memory-bridge/core/guard/PathFacts"
import { decodeUtf8 } from "../Utf8.ts"
import { mountReader } from "./MountTable.ts"

const faults: ReadonlyMap<string, LookFault | "missing"> = new Map([
  ["ENOENT", "missing"],
  ["EACCES", "not_permitted"],
  ["EPERM", "not_permitted"],
  ["ENAMETOOLONG", "name_too_long"]
])

const faultOf = (error: unknown): LookFault | "missing" =>
  faults.get((error as { readonly code?: string }).code ?? "") ?? "io"

const { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } = constants
const kinds: ReadonlyMap<number, Entry["kind"]> = new Map([
  [S_IFDIR, "directory"],
  [S_IFREG, "file"],
  [S_IFLNK, "link"]
])

const kindOf = (stats: BigIntStats): Entry["kind"] => kinds.get(Number(stats.mode) & S_IFMT) ?? "other"

/** `undefined` where it is not UTF-8. */
const targetOf = (path: string): string | undefined => {
  const bytes = readlinkSync(path, "buffer")
  return decodeUtf8(bytes, 0, bytes.length)
}

const look = (path: string): Entry | "missing" | LookFault => {
  try {
    // A missing name is common and an exception costs ten times the call: so it is asked for as a value.
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return "missing"
    const kind = kindOf(stats)
    const target = kind === "link" ? targetOf(path) : ""
    if (target === undefined) return "not_utf8"
    return { kind, id: `${stats.dev}:${stats.ino}`, links: Number(stats.nlink), target }
  } catch (error) {
    return faultOf(error)
  }
}

export const posixView: View = { look, mounts: mountReader() }

export const layer: Layer.Layer<PathFacts> = Layer.succeed(PathFacts, posixView)
