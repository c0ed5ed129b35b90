/**
 * The system calls of an activation, one function each: those of the audit, and what replacing a file takes.
 *
 * Like `AuditCalls` the seam at which tests let any of them fail, or kill the process. A failure is the error's code as
 * text, never an exception.
 */
import * as fs from "node:fs"
import { type AuditCalls, auditCalls, type Code, type FileFacts } from "../guard/AuditCalls.ts"

/** A file as it was found, so that another one under the same name is known. */
export interface FileState {
  readonly group: number
  /** Size, device, inode and both times: of a file that nobody wrote since, they are the same. */
  readonly mark: string
}

export interface LabCalls extends AuditCalls {
  readonly openToRead: (path: string) => number | Code
  /** Fails where the name is taken. */
  readonly createNew: (path: string) => number | Code
  readonly state: (descriptor: number) => FileState | Code
  /** Does not follow a link. */
  readonly markAt: (path: string) => { readonly mark: string } | Code
  readonly setMode: (descriptor: number, mode: number) => undefined | Code
  readonly setGroup: (descriptor: number, group: number) => undefined | Code
  readonly rename: (from: string, to: string) => undefined | Code
  readonly unlink: (path: string) => undefined | Code
  readonly names: (path: string) => ReadonlyArray<string> | Code
}

const attempt = <A>(call: () => A): A | Code => {
  try {
    return call()
  } catch (error) {
    return (error as { readonly code?: string }).code ?? "EIO"
  }
}

const markOf = ({ ctimeNs, dev, ino, mtimeNs, size }: fs.BigIntStats): string =>
  [size, dev, ino, mtimeNs, ctimeNs].join(":")

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants

const ownerOnly = 0o600

export const labCalls = (audit: AuditCalls = auditCalls()): LabCalls => ({
  ...audit,
  openToRead: (path) => attempt(() => fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)),
  createNew: (path) => attempt(() => fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, ownerOnly)),
  state: (descriptor) =>
    attempt(() => {
      const stats = fs.fstatSync(descriptor, { bigint: true })
      return { group: Number(stats.gid), mark: markOf(stats) }
    }),
  markAt: (path) => attempt(() => ({ mark: markOf(fs.lstatSync(path, { bigint: true })) })),
  setMode: (descriptor, mode) => attempt(() => fs.fchmodSync(descriptor, mode) as undefined),
  // The owner stays: files of another owner are refused.
  setGroup: (descriptor, group) =>
    attempt(() => fs.fchownSync(descriptor, process.geteuid?.() ?? -1, group) as undefined),
  rename: (from, to) => attempt(() => fs.renameSync(from, to) as undefined),
  unlink: (path) => attempt(() => fs.unlinkSync(path) as undefined),
  names: (path) => attempt(() => fs.readdirSync(path))
})

export type { Code, FileFacts }
