/**
 * Reads the small files that decide whom recall talks to. (core `TrustedFiles`; recall-contract 1.4, cases/recall.md 41)
 *
 * One open, never through a link where the rule forbids it, never waiting for the other end of a pipe; the facts that
 * are judged and the bytes that are read come from that one descriptor. Asynchronous, because a home may lie on a disk
 * that is slow to answer and a hand-over must not wait for it.
 */
import {
  fileFault,
  type FileFault,
  type FileReading,
  type FileRule,
  TrustedFiles
} from "@memory-bridge/core/recall/TrustedFile"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type BigIntStats, constants, promises } from "node:fs"
import { decodeUtf8 } from "../Utf8.ts"

export type FileHandle = Awaited<ReturnType<typeof promises.open>>

const { O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
// Node adds O_CLOEXEC.
const reading = O_RDONLY | O_NONBLOCK | O_NOCTTY

const faults: ReadonlyMap<string, FileFault> = new Map([
  ["ENOENT", "missing"],
  ["ENOTDIR", "missing"],
  ["ELOOP", "link"],
  ["EMLINK", "link"],
  ["ENXIO", "not_file"],
  ["ENODEV", "not_file"],
  // What macOS says of a socket.
  ["EOPNOTSUPP", "not_file"],
  ["EISDIR", "not_file"],
  ["EACCES", "not_permitted"],
  ["EPERM", "not_permitted"]
])

export const faultOf = (error: unknown): FileFault =>
  faults.get((error as { readonly code?: string }).code ?? "") ?? "unreadable"

const refused = (fault: FileFault): FileReading => ({ kind: "refused", fault })

export const factsOf = (stats: BigIntStats) => ({
  kind: stats.isFile() ? ("file" as const) : stats.isDirectory() ? ("directory" as const) : ("other" as const),
  owner: Number(stats.uid),
  mode: Number(stats.mode & 0o7777n),
  links: Number(stats.nlink),
  size: Number(stats.size)
})

/** The file's bytes, and one more where it has grown. */
export const bytesOf = async (file: FileHandle, size: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(size + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

const unchanged = (before: BigIntStats, after: BigIntStats): boolean =>
  before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs

const readOpen = async (file: FileHandle, rule: FileRule, maxBytes: number): Promise<FileReading> => {
  const before = await file.stat({ bigint: true })
  const facts = factsOf(before)
  // Replaced since it was opened: what bears the name now is another file.
  if (facts.links === 0) return refused("changed")
  const fault = fileFault(facts, rule, process.geteuid?.() ?? -1, maxBytes)
  if (fault !== undefined) return refused(fault)
  const bytes = await bytesOf(file, facts.size)
  if (bytes.length !== facts.size || !unchanged(before, await file.stat({ bigint: true }))) return refused("changed")
  const text = decodeUtf8(bytes, 0, bytes.length)
  return text === undefined ? refused("not_utf8") : { kind: "text", text }
}

/** Tries in all, for a file that is replaced while it is read. */
const tries = 3

export const readTrusted = async (path: string, rule: FileRule, maxBytes: number): Promise<FileReading> => {
  for (let left = tries; ; left--) {
    const found = await readOnce(path, rule, maxBytes)
    if (left === 1 || found.kind === "text" || found.fault !== "changed") return found
  }
}

const readOnce = async (path: string, rule: FileRule, maxBytes: number): Promise<FileReading> => {
  let file: FileHandle | undefined
  try {
    file = await promises.open(path, rule === "shared" ? reading : reading | O_NOFOLLOW)
    return await readOpen(file, rule, maxBytes)
  } catch (error) {
    return refused(faultOf(error))
  } finally {
    await file?.close().catch(() => undefined)
  }
}

export const layer: Layer.Layer<TrustedFiles> = Layer.succeed(
  TrustedFiles,
  TrustedFiles.of({ read: (path, rule, maxBytes) => Effect.promise(() => readTrusted(path, rule, maxBytes)) })
)
