/**
 * Does a note that an answer is about to show pass the whole check, and is it what the answer says? (design.md section 8: a
 * kept text is given only behind the full trust check of the freshly opened descriptor)
 *
 * A search may choose among notes by what a glance told of them. What it chose is opened here from the root down, each
 * directory and the note judged on its own descriptor. If one of them is not what the search took it for, the search is
 * made again and opens all notes.
 */
import { type DocumentId, segmentsOf } from "../tree/DocumentId.ts"
import type { Facts } from "../tree/Facts.ts"
import type { Walk } from "../tree/Tree.ts"
import type { SearchAnswer } from "./Notes.ts"
import type { SurveyInput } from "./Scan.ts"
import { openBranch, openNote, type OpenNote, type OpenRoot, readUnchanged, type SkipReason } from "./TrustedEntry.ts"

export interface Searched {
  readonly answer: SearchAnswer
  /** Whether every note that the answer was made from is what the search took it for. */
  readonly stands: boolean
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

type Place = Pick<SurveyInput, "walk" | "roots" | "limits">

/** Opens a note by the id that a scan gave it. */
export const openById = ({ limits, roots, walk }: Place, id: DocumentId): OpenNote | SkipReason => {
  const root = roots.find(({ of }) => id.startsWith(of.prefix))
  return root === undefined
    ? "missing"
    : openByPath(walk, root, id.slice(root.of.prefix.length) as DocumentId, limits.max_file_bytes)
}

/** The text of a note by its id, if it is as it was. */
export const textById = (place: Place, id: DocumentId, facts: Facts): string | undefined =>
  readUnchanged(place.walk, openById(place, id), facts)
