/**
 * The place of the audit: which directories lead to it, what they and the file must be, and how they are opened.
 * (seed 004 "Audit and operations", core `AuditLog`)
 *
 * What the guard makes is the owner's alone; what it finds must not be open to others. Only the home itself may be a
 * link: the host named it.
 */
import type { AuditFault, AuditRefused } from "@memory-bridge/core/guard/AuditLog"
import { auditDirectoryOf, auditFileOf, pluginDataOf } from "@memory-bridge/core/guard/Installation"
import { type AuditCalls, type Code, type FileFacts, isCode } from "./AuditCalls.ts"

export interface Refusal {
  readonly fault: AuditFault
  readonly subject: AuditRefused["subject"]
}

type Subject = Refusal["subject"]

export const refuse = (fault: AuditFault, subject: Subject): Refusal => ({ fault, subject })

export const isRefusal = <A>(result: A | Refusal): result is Refusal =>
  typeof result === "object" && result !== null && "fault" in result

const faults: ReadonlyMap<Code, AuditFault> = new Map([
  ["ELOOP", "link"],
  ["ENOTDIR", "not_directory"],
  ["EISDIR", "not_regular"],
  ["ENXIO", "not_regular"],
  // What macOS says of a socket.
  ["EOPNOTSUPP", "not_regular"]
])

export const failed = (code: Code, subject: Subject): Refusal => refuse(faults.get(code) ?? "storage", subject)

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

/** Opens the file, and makes it where it is missing. */
export const ownFile = (calls: AuditCalls, path: string): number | Refusal => {
  let opened = calls.openFile(path)
  if (opened === "ENOENT") {
    opened = calls.createFile(path)
    // Another process has made it in between.
    if (opened === "EEXIST") opened = calls.openFile(path)
  }
  return isCode(opened) ? failed(opened, "file") : opened
}

const directoriesOf = (home: string): ReadonlyArray<readonly [path: string, subject: Subject]> => [
  [pluginDataOf(home), "plugin_data"],
  [auditDirectoryOf(home), "directory"]
]

/** Looks at the directories of a file that was begun before. Nothing of them needs to be synced, so none is opened. */
const directoriesFault = (calls: AuditCalls, home: string): Refusal | "not_begun" | undefined => {
  for (const [path, subject] of directoriesOf(home)) {
    const facts = calls.factsAt(path)
    if (facts === "ENOENT") return "not_begun"
    if (isCode(facts)) return failed(facts, subject)
    const fault = directoryFault(facts, calls.user(), subject)
    if (fault !== undefined) return refuse(fault, subject)
  }
  return undefined
}

/** Opens a file that was begun before. */
export const begunFile = (calls: AuditCalls, home: string): number | Refusal | "not_begun" => {
  const fault = directoriesFault(calls, home)
  if (fault !== undefined) return fault
  const file = calls.openFile(auditFileOf(home))
  if (file === "ENOENT") return "not_begun"
  return isCode(file) ? failed(file, "file") : file
}

/**
 * Opens the directories on the way to the audit file, and makes the guard's own where they are missing. Every
 * descriptor goes to `hold`, also on a refusal; the last is the audit directory's.
 */
export const openDirectories = (
  calls: AuditCalls,
  home: string,
  hold: (descriptor: number) => number
): Refusal | undefined => {
  const homeDirectory = calls.openDirectory(home, "any")
  if (isCode(homeDirectory)) return failed(homeDirectory, "home")
  hold(homeDirectory)
  for (const [path, subject] of directoriesOf(home)) {
    const directory = ownDirectory(calls, path, subject)
    if (isRefusal(directory)) return directory
    const facts = calls.facts(hold(directory))
    if (isCode(facts)) return failed(facts, subject)
    const fault = directoryFault(facts, calls.user(), subject)
    if (fault !== undefined) return refuse(fault, subject)
  }
  return undefined
}
