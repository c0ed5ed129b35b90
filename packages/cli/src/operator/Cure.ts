/**
 * What a reason code means, and the one thing to do about it. (seed 000 "Filesystem safety", "Install and configure")
 *
 * A table with a row for every rule that the core can name; a new rule without a row does not type-check. A cure only
 * ever takes rights away or asks the operator to decide; none is recursive, and none touches a system directory.
 */
import type { ScanRefused } from "@memory-bridge/core/notes/Notes"
import type { SkipReason } from "@memory-bridge/core/notes/TrustedEntry"
import { ceilingOf } from "@memory-bridge/core/policy/Limits"
import type { PathRule } from "@memory-bridge/core/trust/TrustedPath"
import { quote, show } from "./Quote.ts"

/** What the component was expected to be. */
export type Part = "directory" | "policy" | "note"

/** The refused component. `path` is absolute but for the rule `not_absolute`. */
export interface Component {
  readonly part: Part
  readonly path: string
}

/** A rule about a component of a path. */
export type ComponentRule = PathRule | SkipReason

/** A rule that is decided on the name of a document alone. */
export type NameRule = "too_deep" | "odd_name" | "not_markdown" | "denied" | "no_allow"

export type ScanRule = ScanRefused["reason"]

export interface Cure {
  /** The rule in words; reads on after "it". */
  readonly meaning: string
  /** A command that can be pasted, or a sentence. */
  readonly cure: string
}

interface Row {
  readonly meaning: string
  readonly cure: (component: Component) => string
}

/** Directories of the system, whose rights are not for us to change: these themselves, */
const systemDirectories: ReadonlySet<string> = new Set(
  "/ /home /media /mnt /opt /private /private/tmp /private/var /private/var/tmp /run /run/user /srv /tmp /var /var/tmp".split(
    " "
  )
)
/** and these with all below them. */
const systemTrees = "/bin /boot /dev /etc /lib /lib32 /lib64 /proc /sbin /sys /usr".split(" ")

const isSystem = (path: string): boolean =>
  systemDirectories.has(path) || systemTrees.some((tree) => path === tree || path.startsWith(`${tree}/`))

/** A command about the component, or for a system directory the advice to move away from it. */
export const command =
  (text: (quoted: string) => string): Row["cure"] =>
  ({ part, path }) =>
    isSystem(path)
      ? `leave ${show(path)} as it is and keep the ${part === "policy" ? "policy" : "notes"} below a directory of your own`
      : text(quote(path))

const advice =
  (text: string): Row["cure"] =>
  () =>
    text

const tighten = command((path) => `chmod go-w ${path}`)
// Removing the list alone would bring back what its mask had masked.
const removeAcl = command((path) => `setfacl -b ${path} && chmod go-w ${path}`)
const lookAt = (advice: string) => command((path) => `${advice}; see what this is: ls -ld ${path}`)

const missing = ({ part, path }: Component): string => {
  switch (part) {
    case "policy":
      return `put a policy there and make it yours alone: chmod 600 ${quote(path)}`
    case "note":
      return "give an id as a search prints it"
    case "directory":
      return `correct the path, or make the directory: mkdir -m 700 ${quote(path)}`
  }
}

const rows: Readonly<Record<ComponentRule, Row>> = {
  not_absolute: { meaning: "is not an absolute path", cure: advice("write the whole path, from / on") },
  not_canonical: {
    meaning: "has an empty part, a . or a .. in it",
    cure: command((path) => `write the path that this prints: realpath ${path}`)
  },
  not_directory: { meaning: "is not a directory", cure: lookAt("name a directory") },
  not_file: { meaning: "is not a regular file", cure: lookAt("put a plain file there") },
  missing: { meaning: "is not there", cure: missing },
  link: {
    meaning: "is a symbolic link, and links are never followed",
    cure: ({ part, path }) =>
      part === "directory"
        ? `make it a real directory instead of a link, or write the path that this prints: realpath ${quote(path)}`
        : `put the file itself in its place; the link leads to what this prints: realpath ${quote(path)}`
  },
  special: { meaning: "is a device, a socket or a pipe", cure: lookAt("put a plain file or directory there") },
  foreign_owner: {
    meaning: "belongs to another user",
    cure: command((path) => `if it is yours to take: sudo chown "$(id -un)" ${path}`)
  },
  group_writable: { meaning: "can be written by its group", cure: tighten },
  world_writable: { meaning: "can be written by everybody", cure: tighten },
  acl_user_writes: { meaning: "has an access control list that lets another user write", cure: removeAcl },
  acl_group_writes: { meaning: "has an access control list that lets a group write", cure: removeAcl },
  acl_everyone_writes: { meaning: "has an access control list that lets everybody write", cure: removeAcl },
  acl_malformed: { meaning: "has an access control list that breaks its own format", cure: removeAcl },
  acl_unmapped_id: { meaning: "has an access control list that names an unknown user or group", cure: removeAcl },
  acl_foreign: {
    meaning: "has an NFSv4 access control list, which is not interpreted",
    cure: advice("move it to a local file system, such as ext4, xfs or btrfs")
  },
  acl_unsupported: {
    meaning: "is on a file system that cannot tell its access control lists",
    cure: advice("move it to a local file system, such as ext4, xfs or btrfs")
  },
  acl_unreadable: {
    meaning: "has an access control list that the system would not read",
    cure: command((path) => `getfacl ${path}`)
  },
  not_permitted: { meaning: "may not be opened by you", cure: command((path) => `chmod u+rX ${path}`) },
  other_device: {
    meaning: "is on another mount than the memory root",
    cure: command((path) => `move it onto the root's own file system, not a mount: findmnt -T ${path}`)
  },
  name_too_long: { meaning: "is too long for the file system", cure: advice("give it a shorter name") },
  exhausted: {
    meaning: "could not be opened: no descriptors or memory left",
    cure: advice("close other programs, or raise the limit that this prints: ulimit -n")
  },
  io: { meaning: "could not be read: the system gave no usable answer", cure: lookAt("check the disk") },
  hard_link: {
    meaning: "has a second name (a hard link) that may be writable elsewhere",
    cure: ({ path }) => `cp -p ${quote(path)} ${quote(`${path}.own`)} && mv ${quote(`${path}.own`)} ${quote(path)}`
  },
  too_large: {
    meaning: "is larger than limits.max_file_bytes allows",
    cure: advice(`split it, or raise limits.max_file_bytes (at most ${ceilingOf("max_file_bytes")}) in the policy`)
  },
  changed: { meaning: "changed while it was read", cure: advice("run the command again") },
  not_utf8: {
    meaning: "is not UTF-8 text",
    cure: command((path) => `save it as UTF-8; this tells what it is: file -i ${path}`)
  },
  binary: { meaning: "holds a NUL byte, so it is not text", cure: advice("keep only text in .md files") }
}

const nameRows: Readonly<Record<NameRule, Cure>> = {
  too_deep: {
    meaning: "lies deeper than limits.max_depth allows",
    cure: `move it up, or raise limits.max_depth (at most ${ceilingOf("max_depth")}) in the policy`
  },
  odd_name: {
    meaning: "has a hidden name, or one with characters other than A-Z a-z 0-9 . _ -",
    cure: "rename it"
  },
  not_markdown: { meaning: "does not end in .md", cure: "rename it, if it is Markdown" },
  denied: { meaning: "matches a deny pattern", cure: "take the pattern out of deny, if the note may be served" },
  no_allow: { meaning: "matches no allow pattern", cure: "add a pattern to allow, if the note may be served" }
}

const scanRows: Readonly<Record<ScanRule, Row>> = {
  raw_entries: {
    meaning: "holds more directory entries than one search may look at",
    cure: advice("point the policy at a smaller folder, or move out of it what is not notes")
  },
  exhausted: rows.exhausted,
  root_unlistable: { meaning: "cannot be listed", cure: command((path) => `chmod u+rX ${path}`) }
}

const unknown: Cure = {
  meaning: "breaks a rule that this version has no words for",
  cure: "report this code as a bug"
}

const isComponentRule = (rule: string): rule is ComponentRule => Object.hasOwn(rows, rule)
export const isNameRule = (rule: string): rule is NameRule => Object.hasOwn(nameRows, rule)

/** Every rule with a row, for tests and documentation. */
export const componentRules = Object.keys(rows) as ReadonlyArray<ComponentRule>
export const nameRules = Object.keys(nameRows) as ReadonlyArray<NameRule>
export const scanRules = Object.keys(scanRows) as ReadonlyArray<ScanRule>

/** The cure for a rule about a component. The core hands rules over as text; one without a row is said to have none. */
export const cureFor = (rule: string, component: Component): Cure => {
  if (isNameRule(rule)) return nameRows[rule]
  return isComponentRule(rule) ? { meaning: rows[rule].meaning, cure: rows[rule].cure(component) } : unknown
}

/** The cure for a search that has no answer as a whole. */
export const cureForScan = (rule: ScanRule, root: string): Cure => ({
  meaning: scanRows[rule].meaning,
  cure: scanRows[rule].cure({ part: "directory", path: root })
})
