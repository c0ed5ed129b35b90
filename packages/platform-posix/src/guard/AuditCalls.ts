/**
 * The system calls of the audit, one function each: the seam at which tests let any of them fail, or kill the process.
 *
 * A failure is the error's code as text, never an exception. All of them work behind Node's permission model.
 */
import * as fs from "node:fs"
import { type FileLock, fileLock } from "../FileLock.ts"
import { type FileSync, fileSync } from "../FileSync.ts"

/** Such as `ENOENT`. */
export type Code = string

export const isCode = <A>(result: A | Code): result is Extract<A | Code, string> => typeof result === "string"

export interface FileFacts {
  readonly kind: "directory" | "file" | "link" | "other"
  readonly owner: number
  /** Permission bits with set-id and sticky. */
  readonly mode: number
  readonly links: number
  /** Bytes. */
  readonly size: number
  /** Device and inode. */
  readonly id: string
}

export interface AuditCalls {
  readonly user: () => number
  readonly makeDirectory: (path: string) => undefined | Code
  /** `own`: the last name must be no link. */
  readonly openDirectory: (path: string, rule: "own" | "any") => number | Code
  readonly openFile: (path: string) => number | Code
  readonly createFile: (path: string) => number | Code
  readonly facts: (descriptor: number) => FileFacts | Code
  /** Does not follow a link. */
  readonly factsAt: (path: string) => FileFacts | Code
  readonly lock: FileLock["take"]
  readonly unlock: FileLock["giveBack"]
  /** Bytes read. */
  readonly read: (descriptor: number, into: Uint8Array, offset: number) => number | Code
  /** Bytes written, at the end of the file. */
  readonly write: (descriptor: number, bytes: Uint8Array) => number | Code
  readonly truncate: (descriptor: number, size: number) => undefined | Code
  readonly sync: FileSync
  readonly close: (descriptor: number) => undefined | Code
}

const attempt = <A>(call: () => A): A | Code => {
  try {
    return call()
  } catch (error) {
    return (error as { readonly code?: string }).code ?? "EIO"
  }
}

const { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } = fs.constants
const kinds: ReadonlyMap<number, FileFacts["kind"]> = new Map([
  [S_IFREG, "file"],
  [S_IFDIR, "directory"],
  [S_IFLNK, "link"]
])

const factsOf = (stats: fs.BigIntStats): FileFacts => {
  const mode = Number(stats.mode)
  return {
    kind: kinds.get(mode & S_IFMT) ?? "other",
    owner: Number(stats.uid),
    mode: mode & 0o7777,
    links: Number(stats.nlink),
    size: Number(stats.size),
    id: `${stats.dev}:${stats.ino}`
  }
}

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants
// Never waits for the other end of a pipe that somebody put there. Node adds O_CLOEXEC.
const appending = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK

const ownerOnlyDirectory = 0o700
const ownerOnlyFile = 0o600

export const auditCalls = (lock: FileLock = fileLock()): AuditCalls => ({
  user: () => process.geteuid?.() ?? -1,
  makeDirectory: (path) => attempt(() => fs.mkdirSync(path, ownerOnlyDirectory) as undefined),
  openDirectory: (path, rule) =>
    attempt(() => fs.openSync(path, O_RDONLY | O_DIRECTORY | (rule === "own" ? O_NOFOLLOW : 0))),
  openFile: (path) => attempt(() => fs.openSync(path, appending)),
  createFile: (path) => attempt(() => fs.openSync(path, appending | O_CREAT | O_EXCL, ownerOnlyFile)),
  facts: (descriptor) => attempt(() => factsOf(fs.fstatSync(descriptor, { bigint: true }))),
  factsAt: (path) => attempt(() => factsOf(fs.lstatSync(path, { bigint: true }))),
  lock: lock.take,
  unlock: lock.giveBack,
  read: (descriptor, into, offset) => attempt(() => fs.readSync(descriptor, into, 0, into.length, offset)),
  write: (descriptor, bytes) => attempt(() => fs.writeSync(descriptor, bytes)),
  truncate: (descriptor, size) => attempt(() => fs.ftruncateSync(descriptor, size) as undefined),
  sync: fileSync(),
  close: (descriptor) => attempt(() => fs.closeSync(descriptor) as undefined)
})
