/**
 * The audit of a Hermes home: JSON lines that are only ever appended, each on stable storage before its call goes on.
 * (core `AuditLog`; seed 004 "Audit and operations")
 *
 * Everything is checked on the open descriptor under the lock, for each record. A record that was not written whole is
 * cut off again where the system lets us; where it does not, the next call finds the file torn and blocks.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog, AuditRefused } from "@memory-bridge/core/guard/AuditLog"
import { type KeptRecord, lineOf } from "@memory-bridge/core/guard/AuditRecord"
import { maxAuditBytes, maxLineBytes } from "@memory-bridge/core/guard/AuditReport"
import { auditFileOf } from "@memory-bridge/core/guard/Installation"
import { type AuditCalls, auditCalls, type FileFacts, isCode } from "./AuditCalls.ts"
import {
  begunFile,
  failed,
  fileFault,
  isRefusal,
  openDirectories,
  ownFile,
  type Refusal,
  refuse
} from "./AuditPlace.ts"

export interface AuditOptions {
  /** Whether each record carries the hash of the line before it. */
  readonly chain: boolean
}

const lineFeed = 0x0a
const hashOf = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

/** How a file ends: its size, and its last line without the line feed. */
interface End {
  readonly size: number
  readonly line: Uint8Array
}

/** `known`: how it ended after the last record from here. At another size somebody else has written, and it is read. */
const endOf = (calls: AuditCalls, descriptor: number, size: number, known: End | undefined): End | Refusal => {
  if (known?.size === size) return known
  if (size === 0) return { size, line: new Uint8Array() }
  // With the line feed of the line before it, so that a longer last line is seen to be none of ours.
  const tail = new Uint8Array(Math.min(size, maxLineBytes + 1))
  const count = calls.read(descriptor, tail, size - tail.length)
  if (isCode(count) || count !== tail.length) return refuse("storage", "file")
  if (tail[tail.length - 1] !== lineFeed) return refuse("torn", "file")
  const start = tail.lastIndexOf(lineFeed, tail.length - 2) + 1
  if (start === 0 && size > tail.length) return refuse("torn", "file")
  return { size, line: tail.subarray(start, tail.length - 1) }
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

/** Writes and syncs a whole line or, as far as the system lets us, writes nothing. */
const writeLine = (calls: AuditCalls, descriptor: number, size: number, text: string): End | Refusal => {
  const bytes = Buffer.from(`${text}\n`)
  if (calls.write(descriptor, bytes) !== bytes.length) {
    calls.truncate(descriptor, size)
    return refuse("storage", "file")
  }
  if (calls.sync(descriptor) !== "synced") return refuse("storage", "file")
  return { size: size + bytes.length, line: bytes.subarray(0, -1) }
}

interface Place {
  readonly file: number
  readonly path: string
  /** Those on the way, where they are open. */
  readonly directories: ReadonlyArray<number>
}

/** `empty`: the directories have to be synced before there is a first record, and are not open. */
const appendLocked = (
  calls: AuditCalls,
  { directories, file, path }: Place,
  known: End | undefined,
  record: KeptRecord,
  { chain }: AuditOptions
): End | Refusal | "empty" => {
  const facts = lockedFacts(calls, file, path)
  if (isRefusal(facts)) return facts
  if (facts.size + maxLineBytes > maxAuditBytes) return refuse("full", "file")
  const end = endOf(calls, file, facts.size, known)
  if (isRefusal(end)) return end
  // Of an empty file nobody knows whether its name, and the names on the way, were ever made durable. Before the first
  // record, so that a file with a record is known to have a lasting name.
  if (end.size === 0 && directories.length === 0) return "empty"
  for (const directory of end.size === 0 ? directories : []) {
    if (calls.sync(directory) !== "synced") return refuse("storage", "directory")
  }
  return writeLine(calls, file, end.size, lineOf(chain ? { ...record, previous: hashOf(end.line) } : record))
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

/** The first record of a file. */
const begin = (calls: AuditCalls, home: string, record: KeptRecord, options: AuditOptions): Refusal | undefined => {
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
    const appended = appendLocked(calls, { file: hold(file), path, directories }, undefined, record, options)
    if (appended === "empty") return refuse("storage", "file")
    return isRefusal(appended) ? appended : undefined
  } finally {
    for (const descriptor of held) calls.close(descriptor)
  }
}

export interface AuditFile {
  /** Appends one record, or says why it could not. */
  readonly append: (home: string, record: KeptRecord) => Refusal | undefined
  readonly close: () => void
}

/** A file that is open between two records, and how it ended after the last. */
interface Kept extends Place {
  readonly home: string
  readonly end: End | undefined
}

/**
 * Keeps the file of the last home open, because opening and closing it makes each sync a quarter slower (measured on
 * ext4: 127 to 157 microseconds). The file is checked again for each record, and so is that its name still leads to it;
 * after a refusal, and when it was moved away, all is opened and checked anew.
 */
export const auditFile = (calls: AuditCalls, options: AuditOptions): AuditFile => {
  let kept: Kept | undefined

  const close = (): void => {
    if (kept !== undefined) calls.close(kept.file)
    kept = undefined
  }

  /** Afterwards the file is closed, and the lock given back with it, or open without a lock. */
  const appendKept = (now: Kept, record: KeptRecord): Refusal | undefined | "empty" => {
    const appended = appendLocked(calls, now, now.end, record, options)
    const failed = appended === "empty" || isRefusal(appended)
    kept = failed ? now : { ...now, end: appended }
    if (failed || calls.unlock(now.file) !== "unlocked") close()
    return failed ? appended : undefined
  }

  const appendOpened = (home: string, record: KeptRecord): Refusal | undefined => {
    const file = begunFile(calls, home)
    if (isRefusal(file)) return file
    if (file !== "not_begun") {
      const place = { file, path: auditFileOf(home), directories: [] }
      const appended = appendKept({ ...place, home, end: undefined }, record)
      if (appended !== "empty") return appended
    }
    return begin(calls, home, record, options)
  }

  return {
    append: (home, record) => {
      if (kept?.home !== home) close()
      if (kept === undefined) return appendOpened(home, record)
      const appended = appendKept(kept, record)
      // What bears the name now is another file, or a new one is to be begun.
      const moved = appended === "empty" || appended?.fault === "replaced"
      return moved ? appendOpened(home, record) : appended
    },
    close
  }
}

/** With calls of the caller's own, which is how tests let them fail. */
export const layerOf = (calls: () => AuditCalls, options: AuditOptions): Layer.Layer<AuditLog> =>
  Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const file = yield* Effect.acquireRelease(
        Effect.sync(() => auditFile(calls(), options)),
        ({ close }) => Effect.sync(close)
      )
      return AuditLog.of({
        append: (home, record) =>
          Effect.suspend(() => {
            const refusal = file.append(home, record)
            return refusal === undefined ? Effect.void : Effect.fail(new AuditRefused(refusal))
          })
      })
    })
  )

export const layer = (options: AuditOptions): Layer.Layer<AuditLog> => layerOf(auditCalls, options)
