/**
 * The way down from an open root: each directory and note is opened relative to its open parent and judged on its own
 * descriptor before anything in it is used. (seed 000 "Filesystem safety", design.md section 5)
 */
import { noAcl } from "../tree/Acl.ts"
import { type Facts, sameMount, unchanged } from "../tree/Facts.ts"
import type { Seen } from "../tree/Stamp.ts"
import { type DirectoryHandle, faults, type FileHandle, isFault, type Walk } from "../tree/Tree.ts"
import type { Root } from "../policy/Roots.ts"
import { distrust, trustRefusals, type Writers } from "../trust/Trust.ts"
import { openTrustedDirectory, type PathRefusal } from "../trust/TrustedPath.ts"

/** Why an entry below the root is passed over. The agent never learns it. */
export const skipReasons = [
  "not_file",
  "hard_link",
  "too_large",
  "changed",
  "not_utf8",
  "binary",
  ...faults,
  ...trustRefusals
] as const
export type SkipReason = (typeof skipReasons)[number]

/** A root that passed the trust rule, with the mount that everything below must be on. */
export interface OpenRoot {
  readonly handle: DirectoryHandle
  readonly facts: Facts
  /** What the policy says of it. */
  readonly of: Root
  readonly writers: Writers
}

/** Walks to a root and opens it. */
export const openRoot = (walk: Walk, of: Root): OpenRoot | PathRefusal => {
  const writers: Writers = { groups: of.trust.groups, groupBitsAreMask: walk.groupBitsAreMask }
  const handle = openTrustedDirectory(walk, of.root, writers)
  if (typeof handle === "object") return handle
  const facts = walk.facts(handle)
  return isFault(facts) ? { component: of.root, rule: facts } : { handle, facts, of, writers }
}

/** Whether what was asked for was refused on the way to it. */
export const isRefused = (root: OpenRoot | PathRefusal): root is PathRefusal => "rule" in root

/** A directory below the root that passed the trust rule. */
export interface OpenBranch {
  readonly handle: DirectoryHandle
  readonly facts: Facts
}

/** Opens a directory below the root, and tells the facts that it was judged by; those of `before` if they are the same. */
export const openBranchWith = (
  walk: Walk,
  root: OpenRoot,
  parent: DirectoryHandle,
  name: string,
  before?: Seen
): OpenBranch | SkipReason => {
  const handle = walk.directory(parent, name, "within")
  if (isFault(handle)) return handle
  const facts = walk.facts(handle, before)
  const refusal = isFault(facts) ? facts : branchRefusal(walk, root, handle, facts)
  if (refusal === undefined) return { handle, facts: facts as Facts }
  walk.close(handle)
  return refusal
}

/** Opens a directory below the root. */
export const openBranch = (
  walk: Walk,
  root: OpenRoot,
  parent: DirectoryHandle,
  name: string
): DirectoryHandle | SkipReason => {
  const branch = openBranchWith(walk, root, parent, name)
  return typeof branch === "string" ? branch : branch.handle
}

const branchRefusal = (walk: Walk, root: OpenRoot, handle: DirectoryHandle, facts: Facts): SkipReason | undefined => {
  if (facts.kind !== "directory") return "not_directory"
  if (!sameMount(facts, root.facts)) return "other_device"
  return distrust(facts, walk.acl(handle), walk.user, root.writers)
}

/** A note whose descriptor passed every check that needs no content. Only `openNote` makes one. */
export interface OpenNote {
  readonly handle: FileHandle
  readonly facts: Facts
  /** Whether it has no access control list, so that its mode alone says who may write. */
  readonly unlisted: boolean
}

/** Opens a note below the root. `maxBytes` is the policy's `max_file_bytes`. */
export const openNote = (
  walk: Walk,
  root: OpenRoot,
  parent: DirectoryHandle,
  name: string,
  maxBytes: number
): OpenNote | SkipReason => {
  const handle = walk.file(parent, name, "within")
  if (isFault(handle)) return handle
  const note = judged(walk, root, handle, maxBytes)
  if (typeof note === "string") walk.close(handle)
  return note
}

const judged = (walk: Walk, root: OpenRoot, handle: FileHandle, maxBytes: number): OpenNote | SkipReason => {
  const facts = walk.facts(handle)
  if (isFault(facts)) return facts
  const refusal = factsRefusal(root, facts, maxBytes)
  if (refusal !== undefined) return refusal
  const acl = walk.acl(handle)
  return distrust(facts, acl, walk.user, root.writers) ?? { handle, facts, unlisted: acl.kind === "none" }
}

/**
 * Whether a note that was unlisted when it was last opened, and is unchanged since, would pass once more. The policy may
 * be another one by now, so all of the rule is held against what is known of it.
 */
export const wouldPass = (walk: Walk, root: OpenRoot, facts: Facts, maxBytes: number): boolean =>
  factsRefusal(root, facts, maxBytes) === undefined && distrust(facts, noAcl, walk.user, root.writers) === undefined

/** All that `wouldPass` depends on but the note: of two that are the same the answer is, too. */
export const judgedBy = ({ user }: Walk, { facts, of, writers }: OpenRoot, maxBytes: number): string =>
  [
    user,
    facts.device,
    facts.mount ?? "none",
    writers.groupBitsAreMask,
    // The root's own groups are these, see `openRoot`.
    [...writers.groups].toSorted(),
    of.trust.hardLinks,
    maxBytes
  ].join(" ")

const groupRead = 0o040

/**
 * Where only root and the running user may write, only they can have made the link. Members of a group might link what is
 * not theirs to read: of their making only a file counts that their group may read anyway.
 */
const mayBeLinked = ({ trust }: Root, { group, mode }: Facts): boolean =>
  trust.hardLinks && (trust.groups.size === 0 || (trust.groups.has(group) && (mode & groupRead) !== 0))

const factsRefusal = (root: OpenRoot, facts: Facts, maxBytes: number): SkipReason | undefined => {
  if (facts.kind !== "file") return "not_file"
  // Another name of the file may be writable, or lie outside the root.
  if (facts.links !== 1 && !mayBeLinked(root.of, facts)) return "hard_link"
  if (!sameMount(facts, root.facts)) return "other_device"
  return facts.size > maxBytes ? "too_large" : undefined
}

/** What reading a note gave, and the bytes to charge for it. */
export type NoteText =
  | { readonly consumed: number; readonly text: string }
  | { readonly consumed: number; readonly skipped: SkipReason }

export const textIn = (reading: NoteText): string | undefined => ("text" in reading ? reading.text : undefined)

/** The text of a note that was opened once more, if it is as it was. Closes it. */
export const readUnchanged = (walk: Walk, note: OpenNote | SkipReason, facts: Facts): string | undefined => {
  if (typeof note === "string") return undefined
  const text = unchanged(note.facts, facts) ? textIn(readNote(walk, note)) : undefined
  walk.close(note.handle)
  return text
}

/** Reads an open note whole. It must not change while it is read, be valid UTF-8 and hold no NUL. */
export const readNote = (walk: Walk, note: OpenNote): NoteText => {
  const reading = walk.read(note.handle, note.facts.size)
  const { consumed } = reading
  if (!("text" in reading)) return { consumed, skipped: reading.refused }
  const after = walk.facts(note.handle)
  if (isFault(after)) return { consumed, skipped: after }
  if (!unchanged(note.facts, after)) return { consumed, skipped: "changed" }
  if (reading.text.includes("\0")) return { consumed, skipped: "binary" }
  return { consumed, text: reading.text.startsWith("\ufeff") ? reading.text.slice(1) : reading.text }
}
