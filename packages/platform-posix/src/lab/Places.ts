/**
 * What a directory and a file must be before an activation reads or replaces something there. (issue 5 item 4: "foreign
 * owner, links, group-writable files: refused with the cure")
 *
 * Everything is judged on an open descriptor, and nothing is opened through a link.
 */
import {
  type ActivationReason,
  ActivationRefused,
  type ActivationSubject,
  refused
} from "@memory-bridge/core/lab/ActivationPlace"
import { isCode } from "../guard/AuditCalls.ts"
import type { Code, FileFacts, FileState, LabCalls } from "./LabCalls.ts"

const reasons: ReadonlyMap<Code, ActivationReason> = new Map([
  ["ELOOP", "link"],
  ["ENOTDIR", "not_directory"],
  ["EISDIR", "not_regular"],
  ["ENXIO", "not_regular"],
  ["EACCES", "not_permitted"],
  ["EPERM", "not_permitted"],
  ["EROFS", "read_only"]
])

export const failure = (code: Code, subject: ActivationSubject): ActivationRefused =>
  refused(reasons.get(code) ?? "storage", subject, code)

export const isRefused = (result: unknown): result is ActivationRefused => result instanceof ActivationRefused

/** Bits that nobody but the owner may have: to write, or at all. */
export type Closed = "to_write" | "to_all"

const bits: Readonly<Record<Closed, number>> = { to_write: 0o022, to_all: 0o077 }

const defect = (
  facts: FileFacts,
  kind: "directory" | "file",
  user: number,
  closed: Closed
): ActivationReason | undefined => {
  if (facts.kind === "link") return "link"
  if (facts.kind !== kind) return kind === "directory" ? "not_directory" : "not_regular"
  if (facts.owner !== user) return "foreign_owner"
  if (kind === "file" && facts.links !== 1) return "hard_link"
  return (facts.mode & bits[closed]) === 0 ? undefined : "open_to_others"
}

/** An open descriptor of a directory of ours. */
export const openPlace = (
  calls: LabCalls,
  path: string,
  subject: ActivationSubject,
  closed: Closed
): number | ActivationRefused => {
  const directory = calls.openDirectory(path, "own")
  if (isCode(directory)) {
    // The system says "not a directory" of a link too.
    const found = directory === "ENOTDIR" ? calls.factsAt(path) : directory
    return !isCode(found) && found.kind === "link" ? refused("link", subject) : failure(directory, subject)
  }
  const facts = calls.facts(directory)
  const reason = isCode(facts) ? undefined : defect(facts, "directory", calls.user(), closed)
  if (!isCode(facts) && reason === undefined) return directory
  calls.close(directory)
  return isCode(facts) ? failure(facts, subject) : refused(reason ?? "storage", subject)
}

export interface Read extends FileState {
  readonly bytes: Uint8Array
  readonly mode: number
}

const readOpen = (
  calls: LabCalls,
  file: number,
  subject: ActivationSubject,
  closed: Closed,
  maxBytes: number
): Read | ActivationRefused => {
  const facts = calls.facts(file)
  const before = calls.state(file)
  if (isCode(facts)) return failure(facts, subject)
  if (isCode(before)) return failure(before, subject)
  const reason = defect(facts, "file", calls.user(), closed)
  if (reason !== undefined) return refused(reason, subject)
  if (facts.size > maxBytes) return refused("too_large", subject)
  const bytes = new Uint8Array(facts.size)
  let length = 0
  while (length < bytes.length) {
    const count = calls.read(file, bytes.subarray(length), length)
    if (isCode(count)) return failure(count, subject)
    if (count === 0) return refused("changed", subject)
    length += count
  }
  const after = calls.state(file)
  if (isCode(after) || after.mark !== before.mark) return refused("changed", subject)
  return { ...before, bytes, mode: facts.mode }
}

/** A file of ours, whole; `undefined` where there is none. */
export const readPlace = (
  calls: LabCalls,
  path: string,
  subject: ActivationSubject,
  closed: Closed,
  maxBytes: number
): Read | ActivationRefused | undefined => {
  const file = calls.openToRead(path)
  if (file === "ENOENT") return undefined
  if (isCode(file)) return failure(file, subject)
  try {
    return readOpen(calls, file, subject, closed, maxBytes)
  } finally {
    calls.close(file)
  }
}

/** What a new file gets of the one it replaces. */
export interface Kept {
  readonly mode: number
  readonly group: number
}

/** Makes a file and has it on stable storage. What is left of an attempt that was cut off goes first. */
export const writeNew = (
  calls: LabCalls,
  path: string,
  bytes: Uint8Array,
  kept: Kept | undefined,
  subject: ActivationSubject
): ActivationRefused | undefined => {
  const gone = calls.unlink(path)
  if (gone !== undefined && gone !== "ENOENT") return failure(gone, subject)
  const file = calls.createNew(path)
  if (isCode(file)) return failure(file, subject)
  try {
    const fault = fill(calls, file, bytes, kept)
    if (fault === undefined) return undefined
    calls.unlink(path)
    return failure(fault, subject)
  } finally {
    calls.close(file)
  }
}

const fill = (calls: LabCalls, file: number, bytes: Uint8Array, kept: Kept | undefined): Code | undefined => {
  const count = calls.write(file, bytes)
  if (isCode(count)) return count
  if (count !== bytes.length) return "ENOSPC"
  if (kept !== undefined) {
    const made = calls.state(file)
    if (isCode(made)) return made
    const moved = made.group === kept.group ? undefined : calls.setGroup(file, kept.group)
    if (moved !== undefined) return moved
    // After the group, since changing that may take bits away.
    const opened = calls.setMode(file, kept.mode)
    if (opened !== undefined) return opened
  }
  return calls.sync(file) === "synced" ? undefined : "EIO"
}
