/**
 * Why a home was not connected, and the one thing to do about it. (issue 7 item 4: "refused with the cure")
 *
 * A row for every reason; a new one without a row does not type-check. No cure removes anything: what stands in the way
 * is somebody's, and is moved.
 */
import type { EditReason } from "../config/YamlSource.ts"
import type { Cure } from "../operator/Cure.ts"
import { quote, show } from "../operator/Quote.ts"
import type { ConnectReason, ConnectRefused } from "./Refused.ts"

type Row = (refused: ConnectRefused) => Cure

const lookAt =
  (meaning: string): Row =>
  ({ path }) => ({ meaning, cure: `see what this is: ls -ld ${quote(path)}` })

/** The journal, and what lies about while it is at work, is nobody's to read either. */
const isPrivate = (path: string): boolean => /\/(\.memory-bridge-connect(\/.*)?|connect-journal\.json)$/.test(path)

const rows: Readonly<Record<ConnectReason, Row>> = {
  link: ({ path }) => ({
    meaning: "is a symbolic link, and links are never followed",
    cure: `put a real file or directory there, or name the home that this prints: realpath ${quote(path)}`
  }),
  not_directory: lookAt("is not a directory"),
  not_regular: lookAt("is not a regular file"),
  hard_link: ({ path }) => ({
    meaning: "has a second name (a hard link) that may be writable elsewhere",
    cure: `cp -p ${quote(path)} ${quote(`${path}.own`)} && mv ${quote(`${path}.own`)} ${quote(path)}`
  }),
  foreign_owner: ({ path }) => ({
    meaning: "belongs to another user",
    cure: `run this as the user that Hermes runs under; see who owns it: ls -ld ${quote(path)}`
  }),
  open_to_others: ({ path }) => ({
    meaning: "can be written, or read, by others",
    cure: `chmod ${isPrivate(path) ? "go-rwx" : "go-w"} ${quote(path)}`
  }),
  missing: ({ path }) => ({
    meaning: "is not there",
    cure: `name the home with --home, or start Hermes once, which makes ${quote(path)}`
  }),
  changed: () => ({ meaning: "was changed by somebody else meanwhile", cure: "run the command again" }),
  locked: () => ({
    meaning: "is being connected or disconnected by another program",
    cure: "wait for that one to end, then run the command again"
  }),
  not_permitted: lookAt("may not be changed by you"),
  read_only: ({ path }) => ({
    meaning: "is on a file system that is read-only",
    cure: `see which: findmnt -T ${quote(path)}`
  }),
  storage: ({ path }) => ({
    meaning: "could not be written: no room, or the disk fails",
    cure: `see the room left, then run the command again: df -h ${quote(path)}`
  }),
  too_large: ({ path }) => ({
    meaning: "is larger than this program reads",
    cure: `see its size: du -sh ${quote(path)}`
  }),
  file_unsupported: ({ detail, line, path }) => ({
    meaning: `cannot be edited safely: ${fileMeaning(detail)}${line === 0 ? "" : ` (line ${line})`}`,
    cure: `correct that place by hand, then run the command again: ${quote(path)}`
  }),
  not_ours: ({ detail, path }) => ({
    meaning: "was not put there by this program, and is never overwritten",
    cure: `keep it elsewhere: mv ${quote(path)} "$HOME"/${quote(`${detail}.before`)}`
  }),
  changed_by_user: ({ path }) => ({
    meaning: "was changed since this program put it there, and is never overwritten",
    cure: `keep your version elsewhere: mv ${quote(path)} "$HOME"`
  }),
  plugin_disabled: ({ detail, path }) => ({
    meaning: `has ${detail} under plugins.disabled, which always wins`,
    cure: `take it out of that list: ${quote(path)}`
  }),
  journal_invalid: ({ path }) => ({
    meaning: "is not a journal of this version, or not whole, so nothing can be undone by it",
    cure: `use the version that wrote it, or undo by hand what it says: less ${quote(path)}`
  }),
  source_missing: ({ path }) => ({
    meaning: `does not hold the built plugin ${show(path).split("/").at(-1) ?? ""}`,
    cure: "install this program again"
  }),
  native_missing: ({ detail }) => ({
    meaning: `cannot be complete here: ${detail} is not installed`,
    cure: "install this program again on this machine, without leaving optional dependencies out"
  })
}

const fileMeanings: Readonly<Record<EditReason, string>> = {
  too_large: "it is too large",
  not_utf8: "it is not UTF-8",
  not_yaml: "it is not valid YAML",
  several_documents: "it holds several documents",
  odd_line_break: "it holds a character that only some readers take for a line break",
  duplicate_key: "a key comes twice",
  merge_key: "a merge key (<<) stands on the way to a key that would change",
  alias: "an alias stands on the way to a key that would change",
  tag: "a tag stands on the way to a key that would change",
  odd_key: "a key on the way is written in an unusual way",
  not_mapping: "a key on the way holds no mapping",
  not_list: "a list was expected",
  shared_anchor: "what would change is used by an alias in another place",
  ambiguous: "readers of YAML 1.1 and 1.2 disagree about a value; quote it",
  path_unsupported: "the key cannot be written",
  value_unsupported: "a value has no plain form",
  not_verified: "no change to it would read back as meant"
}

const fileMeaning = (detail: string): string =>
  Object.hasOwn(fileMeanings, detail) ? fileMeanings[detail as EditReason] : "it is unusual"

export const cureOf = (refused: ConnectRefused): Cure => rows[refused.reason](refused)
