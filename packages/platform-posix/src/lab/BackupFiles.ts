/**
 * Backups of former policies: one file each, the owner's alone, below the guard's own data. (core `Backups`; seed 004
 * "owner-only policy backups")
 *
 * A backup is written beside its place and renamed, so there is never half of one under its name. Whoever lists, saves or
 * removes holds the lock of the home, which the kernel gives back when the process dies.
 */
import { auditDirectoryOf } from "@memory-bridge/core/guard/Installation"
import {
  type ActivationReason,
  type ActivationRefused,
  activationReasons,
  Backups,
  refused
} from "@memory-bridge/core/lab/ActivationPlace"
import * as Backup from "@memory-bridge/core/lab/Backup"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { isCode } from "../guard/AuditCalls.ts"
import { openDirectories } from "../guard/AuditPlace.ts"
import { decodeUtf8 } from "../Utf8.ts"
import { type LabCalls, labCalls } from "./LabCalls.ts"
import { failure, isRefused, openPlace, readPlace, writeNew } from "./Places.ts"

export const backupDirectoryOf = (home: string): string => join(auditDirectoryOf(home), "backups")

const lockFileOf = (home: string): string => join(auditDirectoryOf(home), "activation.lock")

const reasonNames: ReadonlySet<string> = new Set(activationReasons)

/** The directories above are those of the audit, and judged by its rules. */
const openAbove = (calls: LabCalls, home: string, held: Array<number>): ActivationRefused | undefined => {
  const refusal = openDirectories(calls, home, (descriptor) => {
    held.push(descriptor)
    return descriptor
  })
  if (refusal === undefined) return undefined
  const { fault, subject } = refusal
  return refused(
    reasonNames.has(fault) ? (fault as ActivationReason) : "storage",
    subject === "file" ? "directory" : subject
  )
}

/** Gives `use` the open directory of the backups, which is made where it is missing. */
const within = <A>(
  calls: LabCalls,
  home: string,
  use: (directory: number, path: string) => A | ActivationRefused
): A | ActivationRefused => {
  const held: Array<number> = []
  try {
    const above = openAbove(calls, home, held)
    if (above !== undefined) return above
    const path = backupDirectoryOf(home)
    const made = calls.makeDirectory(path)
    if (made !== undefined && made !== "EEXIST") return failure(made, "backups")
    const directory = openPlace(calls, path, "backups", "to_all")
    if (isRefused(directory)) return directory
    held.push(directory)
    const parent = held.at(-2)
    if (made === undefined && parent !== undefined && calls.sync(parent) !== "synced")
      return refused("storage", "backups")
    return use(directory, path)
  } finally {
    for (const descriptor of held) calls.close(descriptor)
  }
}

const backupIn = (calls: LabCalls, directory: string, name: string): Backup.Kept => {
  const read = readPlace(calls, join(directory, name), "backups", "to_all", Backup.maxBackupBytes)
  if (read === undefined || isRefused(read)) return { name, backup: undefined }
  const text = decodeUtf8(Buffer.from(read.bytes), 0, read.bytes.length)
  return { name, backup: text === undefined ? undefined : Backup.fromText(name, text) }
}

const listIn = (calls: LabCalls, directory: string): ReadonlyArray<Backup.Kept> | ActivationRefused => {
  const names = calls.names(directory)
  if (typeof names === "string") return failure(names, "backups")
  return names
    .filter(Backup.isName)
    .toSorted()
    .map((name) => backupIn(calls, directory, name))
}

/** What is kept, for somebody who only looks: nothing is made, and no lock is taken. */
export const look = (calls: LabCalls, home: string): ReadonlyArray<Backup.Kept> | ActivationRefused => {
  const path = backupDirectoryOf(home)
  if (calls.factsAt(path) === "ENOENT") return []
  const directory = openPlace(calls, path, "backups", "to_all")
  if (isRefused(directory)) return directory
  calls.close(directory)
  return listIn(calls, path)
}

const save = (calls: LabCalls, home: string, backup: Backup.Backup): ActivationRefused | undefined =>
  within(calls, home, (directory, path) => {
    const bytes = new TextEncoder().encode(Backup.textOf(backup))
    if (bytes.length > Backup.maxBackupBytes) return refused("too_large", "backups")
    const place = join(path, Backup.nameOf(backup))
    const beside = join(path, ".new")
    const fault = writeNew(calls, beside, bytes, undefined, "backups")
    if (fault !== undefined) return fault
    if (calls.factsAt(place) !== "ENOENT") return refused("storage", "backups", "EEXIST")
    const renamed = calls.rename(beside, place)
    if (renamed !== undefined) return failure(renamed, "backups")
    return calls.sync(directory) === "synced" ? undefined : refused("storage", "backups", "EIO")
  })

const remove = (calls: LabCalls, home: string, { name }: Backup.Kept): ActivationRefused | undefined =>
  within(calls, home, (directory, path) => {
    const gone = calls.unlink(join(path, name))
    if (gone !== undefined && gone !== "ENOENT") return failure(gone, "backups")
    return calls.sync(directory) === "synced" ? undefined : refused("storage", "backups", "EIO")
  })

/** The lock is the open descriptor. */
const lock = (calls: LabCalls, home: string): number | ActivationRefused =>
  within(calls, home, () => {
    const path = lockFileOf(home)
    let file = calls.openFile(path)
    if (file === "ENOENT") {
      file = calls.createFile(path)
      if (file === "EEXIST") file = calls.openFile(path)
    }
    if (isCode(file)) return failure(file, "directory")
    const taken = calls.lock(file)
    if (taken === "locked") return file
    calls.close(file)
    return taken === "taken" ? refused("locked", "directory") : refused("storage", "directory")
  })

const settled = <A>(attempt: () => A | ActivationRefused): Effect.Effect<A, ActivationRefused> =>
  Effect.suspend(() => {
    const result = attempt()
    return isRefused(result) ? Effect.fail(result) : Effect.succeed(result)
  })

/** With calls of the caller's own, which is how tests let them fail. */
export const layerOf = (home: string, calls: LabCalls): Layer.Layer<Backups> =>
  Layer.succeed(
    Backups,
    Backups.of({
      alone: Effect.asVoid(
        Effect.acquireRelease(
          settled(() => lock(calls, home)),
          (file) => Effect.sync(() => void calls.close(file))
        )
      ),
      list: settled(() => within(calls, home, (_, path) => listIn(calls, path))),
      save: (backup) => settled(() => save(calls, home, backup)),
      remove: (kept) => settled(() => remove(calls, home, kept))
    })
  )

export const layer = (home: string): Layer.Layer<Backups> => Layer.suspend(() => layerOf(home, labCalls()))
