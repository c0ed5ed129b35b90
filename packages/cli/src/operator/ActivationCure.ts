/**
 * Why a policy was not activated, and the one thing to do about it. (issue 5 item 4 "refused with the cure")
 *
 * A row for every reason that the core knows; a new reason without one does not type-check. Like those in `Cure.ts`, a
 * cure only takes rights away or asks the operator to decide.
 */
import type { ActivationReason, ActivationRefused, ActivationSubject } from "@memory-bridge/core/lab/ActivationPlace"
import { auditDirectoryOf, auditFileOf, pluginDataOf } from "@memory-bridge/core/guard/Installation"
import { backupDirectoryOf } from "@memory-bridge/platform-posix/lab/BackupFiles"
import { configFileOf } from "@memory-bridge/platform-posix/lab/ConfigFile"
import type { EditReason } from "../config/YamlSource.ts"
import type { Cure } from "./Cure.ts"
import { quote } from "./Quote.ts"

/** The path that a refusal speaks of; "" where it is about none. */
export const placeOf = (home: string, subject: ActivationSubject): string => {
  switch (subject) {
    case "home":
      return home
    case "config":
      return configFileOf(home)
    case "plugin_data":
      return pluginDataOf(home)
    case "directory":
      return auditDirectoryOf(home)
    case "backups":
      return backupDirectoryOf(home)
    case "audit":
      return auditFileOf(home)
    case "review":
    case "host":
      return ""
  }
}

type Row = Cure | ((path: string) => Cure)

const again = "look at the review once more, and type what it says now"

const rows: Readonly<Record<Exclude<ActivationReason, "file_unsupported">, Row>> = {
  unknown_fingerprint: { meaning: "is not the fingerprint of the policy that was reviewed", cure: again },
  wrong_count: { meaning: "is not the number of weakened classes that the review found", cure: again },
  stale_review: { meaning: "was made against another policy than the active one", cure: again },
  policy_invalid: { meaning: "is no policy", cure: "check it: memory-bridge guardian check CALL --policy FILE" },
  no_backup: { meaning: "is not there, or is not whole", cure: "see which there are: memory-bridge guardian status" },
  link: (path) => ({
    meaning: "is a symbolic link, and links are never followed",
    cure: `name the home that this prints: realpath ${quote(path)}`
  }),
  not_directory: (path) => ({ meaning: "is not a directory", cure: `see what this is: ls -ld ${quote(path)}` }),
  not_regular: (path) => ({ meaning: "is not a regular file", cure: `see what this is: ls -ld ${quote(path)}` }),
  hard_link: (path) => ({
    meaning: "has a second name (a hard link) that may be writable elsewhere",
    cure: `cp -p ${quote(path)} ${quote(`${path}.own`)} && mv ${quote(`${path}.own`)} ${quote(path)}`
  }),
  foreign_owner: (path) => ({
    meaning: "belongs to another user",
    cure: `run this as the user that Hermes runs under; see who owns it: ls -ld ${quote(path)}`
  }),
  open_to_others: (path) => ({ meaning: "can be written, or read, by others", cure: `chmod go-rwx ${quote(path)}` }),
  changed: { meaning: "was changed by somebody else meanwhile", cure: again },
  locked: { meaning: "is in use by another activation", cure: "wait for that one to end, then try again" },
  not_permitted: (path) => ({ meaning: "may not be changed by you", cure: `see whose it is: ls -ld ${quote(path)}` }),
  read_only: (path) => ({
    meaning: "is on a file system that is read-only",
    cure: `see which: findmnt -T ${quote(path)}`
  }),
  storage: (path) => ({
    meaning: "could not be written: no room, or the disk fails",
    cure: `see the room left: df -h ${quote(path)}`
  }),
  too_large: (path) => ({ meaning: "is larger than this program reads", cure: `see its size: ls -l ${quote(path)}` }),
  host_refused: {
    meaning: "did not take or give the settings",
    cure: "see the host's log; or stop Hermes and use memory-bridge guardian activate outside of it"
  },
  not_read_back: (path) => ({
    meaning: "says something else after writing; the guard decides by what stands there",
    cure: `look at it: ${path === "" ? "memory-bridge guardian status" : `less ${quote(path)}`}`
  }),
  audit_unavailable: {
    meaning: "could not take the record, so nothing was changed",
    cure: "see what is wrong with it: memory-bridge guardian audit verify"
  }
}

const fileMeanings: Readonly<Record<EditReason, string>> = {
  too_large: "it is too large",
  not_utf8: "it is not UTF-8",
  not_yaml: "it is not valid YAML",
  several_documents: "it holds several documents",
  odd_line_break: "it holds a character that only some readers take for a line break",
  duplicate_key: "a key comes twice",
  merge_key: "a merge key (<<) stands on the way to the guard's settings",
  alias: "an alias stands on the way to the guard's settings",
  tag: "a tag stands on the way to the guard's settings",
  odd_key: "a key on the way to the guard's settings is written in an unusual way",
  not_mapping: "a key on the way to the guard's settings holds no mapping",
  not_list: "a list was expected",
  shared_anchor: "what would change is used by an alias in another place",
  ambiguous: "readers of YAML 1.1 and 1.2 disagree about a value; quote it",
  path_unsupported: "the key cannot be written",
  value_unsupported: "a value has no plain form",
  not_verified: "no change to it would read back as meant"
}

export const activationCure = ({ detail, line, reason, subject }: ActivationRefused, home: string): Cure => {
  const path = placeOf(home, subject)
  if (reason === "file_unsupported") {
    const meaning = Object.hasOwn(fileMeanings, detail) ? fileMeanings[detail as EditReason] : "it is unusual"
    return {
      meaning: `cannot be edited safely: ${meaning}${line === 0 ? "" : ` (line ${line})`}`,
      cure: `correct that place by hand, then try again: ${quote(path)}`
    }
  }
  const row = rows[reason]
  return typeof row === "function" ? row(path) : row
}

/** Every reason with a row of its own, for tests. */
export const activationCures = Object.keys(rows)
