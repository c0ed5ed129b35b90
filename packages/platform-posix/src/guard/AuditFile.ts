/**
 * The audit of a Hermes home: JSON lines that are only ever appended, each on stable storage before its call goes on.
 * (core `AuditLog`; seed 004 "Audit and operations")
 *
 * The file and the directories that the guard makes are the owner's alone, links are not followed, and everything is
 * checked on the open descriptor under the lock. A record that was not written whole is cut off again where the system
 * lets us; where it does not, the next call finds the file torn and blocks.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog, type AuditFault, AuditRefused } from "@memory-bridge/core/guard/AuditLog"
import { type AuditRecord, lineOf } from "@memory-bridge/core/guard/AuditRecord"
import { maxAuditBytes, maxLineBytes } from "@memory-bridge/core/guard/AuditReport"
import { auditDirectoryOf, auditFileOf, pluginDataOf } from "@memory-bridge/core/guard/Installation"
import { type AuditCalls, auditCalls, type Code, type FileFacts, isCode } from "./AuditCalls.ts"

export interface AuditOptions {
  /** Whether each record carries the hash of the line before it. */
  readonly chain: boolean
}

export interface Refusal {
  readonly fault: AuditFault
  readonly subject: AuditRefused["subject"]
}

type Subject = Refusal["subject"]

const refuse = (fault: AuditFault, subject: Subject): Refusal => ({ fault, subject })

const isRefusal = <A>(result: A | Refusal): result is Refusal =>
  typeof result === "object" && result !== null && "fault" in result

const faults: ReadonlyMap<Code, AuditFault> = new Map([
  ["ELOOP", "link"],
  ["ENOTDIR", "not_directory"],
  ["EISDIR", "not_regular"],
  ["ENXIO", "not_regular"]
])

const failed = (code: Code, subject: Subject): Refusal => refuse(faults.get(code) ?? "storage", subject)

const groupOrOtherWrite = 0o022
const otherWrite = 0o002
const groupOrOther = 0o077

/** Hermes may have made the outer directory with a mode of its own; nobody but its owner's group may write there. */
const directoryFault = (facts: FileFacts, user: number, subject: Subject): AuditFault | undefined => {
  if (facts.kind !== "directory") return "not_directory"
  if (facts.owner !== user && (subject === "directory" || facts.owner !== 0)) return "foreign_owner"
  return (facts.mode & (subject === "directory" ? groupOrOtherWrite : otherWrite)) === 0 ? undefined : "open_to_others"
}

export const fileFault = (facts: FileFacts, user: number): AuditFault | undefined => {
  if (facts.kind !== "file") return facts.kind === "link" ? "link" : "not_regular"
  if (facts.links !== 1) return "hard_link"
  if (facts.owner !== user) return "foreign_owner"
  return (facts.mode & groupOrOther) === 0 ? undefined : "open_to_others"
}

/** Opens a directory that is ours, and makes it first where it is missing. */
const ownDirectory = (calls: AuditCalls, path: string, subject: Subject): number | Refusal => {
  let opened = calls.openDirectory(path, "own")
  if (opened === "ENOENT") {
    const made = calls.makeDirectory(path)
    if (made !== undefined && made !== "EEXIST") return failed(made, subject)
    opened = calls.openDirectory(path, "own")
  }
  return isCode(opened) ? failed(opened, subject) : opened
}

const ownFile = (calls: AuditCalls, path: string): number | Refusal => {
  let opened = calls.openFile(path)
  if (opened === "ENOENT") {
    opened = calls.createFile(path)
    // Another process has made it in between.
    if (opened === "EEXIST") opened = calls.openFile(path)
  }
  return isCode(opened) ? failed(opened, "file") : opened
}

const lineFeed = 0x0a
const hashOf = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

/** The last line without its line feed, or that it is not whole. */
const lastLine = (calls: AuditCalls, descriptor: number, size: number): Uint8Array | Refusal => {
  if (size === 0) return new Uint8Array()
  // With the line feed of the line before it, so that a longer last line is seen to be none of ours.
  const tail = new Uint8Array(Math.min(size, maxLineBytes + 1))
  const count = calls.read(descriptor, tail, size - tail.length)
  if (isCode(count) || count !== tail.length) return refuse("storage", "file")
  if (tail[tail.length - 1] !== lineFeed) return refuse("torn", "file")
  const start = tail.lastIndexOf(lineFeed, tail.length - 2) + 1
  return start === 0 && size > tail.length ? refuse("torn", "file") : tail.subarray(start, tail.length - 1)
}

/** Under the lock: what the file is, and that its name still leads to it. */
const lockedFacts = (calls: AuditCalls, descriptor: number, path: string): FileFacts | Refusal => {
  const lock = calls.lock(descriptor)
  if (lock !== "locked") return refuse(lock === "taken" ? "locked" : "storage", "file")
  const facts = calls.facts(descriptor)
  const named = calls.factsAt(path)
  if (isCode(facts)) return failed(facts, "file")
  if (isCode(named) || named.id !== facts.id) return refuse("replaced", "file")
  const fault = fileFault(facts, calls.user())
  return fault === undefined ? facts : refuse(fault, "file")
}

/** Writes and syncs all of it or, as far as the system lets us, writes nothing. */
const writeWhole = (calls: AuditCalls, descriptor: number, size: number, bytes: Uint8Array): Refusal | undefined => {
  const count = calls.write(descriptor, bytes)
  if (count === bytes.length) return calls.sync(descriptor) === "synced" ? undefined : refuse("storage", "file")
  calls.truncate(descriptor, size)
  return refuse("storage", "file")
}

const appendLocked = (
  calls: AuditCalls,
  file: number,
  path: string,
  directories: ReadonlyArray<number>,
  record: AuditRecord,
  { chain }: AuditOptions
): Refusal | undefined => {
  const facts = lockedFacts(calls, file, path)
  if (isRefusal(facts)) return facts
  if (facts.size + maxLineBytes > maxAuditBytes) return refuse("full", "file")
  const before = lastLine(calls, file, facts.size)
  if (isRefusal(before)) return before
  const line = lineOf(chain ? { ...record, previous: hashOf(before) } : record)
  // Of an empty file nobody knows whether its name, and the names on the way, were ever made durable. Before the first
  // record, so that a file with a record is known to have a lasting name.
  for (const directory of facts.size === 0 ? directories : []) {
    if (calls.sync(directory) !== "synced") return refuse("storage", "directory")
  }
  return writeWhole(calls, file, facts.size, Buffer.from(`${line}\n`))
}

/**
 * Opens the directories on the way to the audit file, and makes the guard's own where they are missing. Every
 * descriptor goes to `hold`, also on a refusal; the last is the audit directory's.
 */
const openDirectories = (
  calls: AuditCalls,
  home: string,
  hold: (descriptor: number) => number
): Refusal | undefined => {
  const homeDirectory = calls.openDirectory(home, "any")
  if (isCode(homeDirectory)) return failed(homeDirectory, "home")
  hold(homeDirectory)
  for (const [path, subject] of [
    [pluginDataOf(home), "plugin_data"],
    [auditDirectoryOf(home), "directory"]
  ] as const) {
    const directory = ownDirectory(calls, path, subject)
    if (isRefusal(directory)) return directory
    const facts = calls.facts(hold(directory))
    if (isCode(facts)) return failed(facts, subject)
    const fault = directoryFault(facts, calls.user(), subject)
    if (fault !== undefined) return refuse(fault, subject)
  }
  return undefined
}

/**
 * A descriptor of the audit directory of a home, which is made where it is missing; `undefined` where it cannot be had.
 * For a process that is about to give up writing everywhere else.
 */
export const openDirectory = (home: string, calls: AuditCalls = auditCalls()): number | undefined => {
  const held: Array<number> = []
  const refusal = openDirectories(calls, home, (descriptor) => {
    held.unshift(descriptor)
    return descriptor
  })
  const [directory, ...others] = held
  for (const descriptor of others) calls.close(descriptor)
  if (refusal === undefined || directory === undefined) return directory
  calls.close(directory)
  return undefined
}

/** Appends one record, or says why it could not. Every descriptor is closed again, and the lock with it. */
export const append = (
  calls: AuditCalls,
  home: string,
  record: AuditRecord,
  options: AuditOptions
): Refusal | undefined => {
  const held: Array<number> = []
  const hold = (descriptor: number): number => {
    held.unshift(descriptor)
    return descriptor
  }
  try {
    const refusal = openDirectories(calls, home, hold)
    if (refusal !== undefined) return refusal
    const directories = [...held]
    const path = auditFileOf(home)
    const file = ownFile(calls, path)
    if (isRefusal(file)) return file
    return appendLocked(calls, hold(file), path, directories, record, options)
  } finally {
    for (const descriptor of held) calls.close(descriptor)
  }
}

/** With calls of the caller's own, which is how tests let them fail. */
export const layerOf = (calls: AuditCalls, options: AuditOptions): Layer.Layer<AuditLog> =>
  Layer.succeed(
    AuditLog,
    AuditLog.of({
      append: (home, record) =>
        Effect.suspend(() => {
          const refusal = append(calls, home, record, options)
          return refusal === undefined ? Effect.void : Effect.fail(new AuditRefused(refusal))
        })
    })
  )

export const layer = (options: AuditOptions): Layer.Layer<AuditLog> =>
  Layer.suspend(() => layerOf(auditCalls(), options))
