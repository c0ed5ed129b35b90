/**
 * Does a note that an answer is about to show pass the whole check, and is it what the answer says? (design.md section 8: a
 * kept text is given only behind the full trust check of the freshly opened descriptor)
 *
 * A search may choose among notes by what a glance told of them. What it chose is opened here from the root down, each
 * directory and the note judged on its own descriptor. If one of them is not what the search took it for, the search is
 * made again and opens all notes.
 */
import type { Limits } from "../policy/Limits.ts"
import { type DocumentId, segmentsOf } from "../tree/DocumentId.ts"
import type { Facts } from "../tree/Facts.ts"
import type { Walk } from "../tree/Tree.ts"
import type { Known } from "./ContentCache.ts"
import type { SearchAnswer } from "./Notes.ts"
import { openBranch, openNote, type OpenNote, type OpenRoot, readNote, type SkipReason } from "./TrustedEntry.ts"

/** A note that an answer shows, with the text that it was chosen for. */
export interface Shown {
  readonly id: DocumentId
  readonly text: string
  /** Whether it was opened in the same call. */
  readonly opened: boolean
}

/** An answer with all notes that it was made from, shown or left out for want of room. */
export interface Searched {
  readonly answer: SearchAnswer
  readonly shown: ReadonlyArray<Shown>
}

/** Opens a note by its path below an open root, which stays open. Directories on the way do not. */
export const openByPath = (walk: Walk, root: OpenRoot, path: DocumentId, maxBytes: number): OpenNote | SkipReason => {
  const segments = segmentsOf(path)
  let directory = root.handle
  const leave = () => {
    if (directory !== root.handle) walk.close(directory)
  }
  for (const name of segments.slice(0, -1)) {
    const next = openBranch(walk, root, directory, name)
    leave()
    if (typeof next === "string") return next
    directory = next
  }
  const note = openNote(walk, root, directory, segments.at(-1) ?? "", maxBytes)
  leave()
  return note
}

export const confirmed = (
  walk: Walk,
  roots: ReadonlyArray<OpenRoot>,
  limits: Limits,
  find: (facts: Facts) => Known | undefined,
  { id, opened, text }: Shown
): boolean => {
  if (opened) return true
  const root = roots.find(({ of }) => id.startsWith(of.prefix))
  if (root === undefined) return false
  const note = openByPath(walk, root, id.slice(root.of.prefix.length) as DocumentId, limits.max_file_bytes)
  if (typeof note === "string") return false
  const now = find(note.facts) ?? readNote(walk, note)
  walk.close(note.handle)
  return "text" in now && now.text === text
}
