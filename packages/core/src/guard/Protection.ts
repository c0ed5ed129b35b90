/**
 * Does a path touch a protected root? (seed 004 "Equal paths, descendants, and ancestors of protected roots are guarded";
 * **beyond** it: by device and inode, and by place under other mounts)
 *
 * A total function over two walks. Ancestors are guarded on purpose: whoever removes, moves or copies a parent takes
 * the root along. Plain loops, because this is what a decision spends its time on.
 */
import { fold } from "../notes/Text.ts"
import { covers } from "./LiteralPath.ts"
import type { Walked } from "./Walk.ts"

/** Where the path lies, seen from the root. A path that lies in the root by one name and above it by another is in it. */
export type Relation = "equal" | "below" | "above"

type Texts = ReadonlyArray<string>

const textInside = (paths: Texts, roots: Texts): "equal" | "below" | undefined => {
  for (const root of roots) {
    for (const path of paths) if (covers(root, path)) return path === root ? "equal" : "below"
  }
  return undefined
}

const textAbove = (paths: Texts, roots: Texts): boolean => {
  for (const path of paths) {
    for (const root of roots) if (covers(path, root)) return true
  }
  return false
}

const met = ({ visited }: Walked, id: number): boolean => {
  for (const visit of visited) if (visit.id === id) return true
  return false
}

/** An entry on the way is the root itself, by whatever name, wherever the way leads from there. */
const identityInside = (walked: Walked, root: Walked): "equal" | "below" | undefined => {
  if (root.end === undefined) return undefined
  return root.end.id === walked.end?.id ? "equal" : met(walked, root.end.id) ? "below" : undefined
}

/** One spelling for all that a volume which is blind to case or Unicode form may take for the same name. */
const oneSpelling = (names: string): string => fold(names.toUpperCase())

/**
 * A root that does not exist yet has no identity, but the directory that it would be created in has: the same names
 * below the same directory, by whatever path, are the root. Which spellings will be the same is for the volume to say
 * once it exists, so all that may be are.
 */
const byFuture = (walked: Walked, root: Walked): Relation | undefined => {
  if (root.future === "") return undefined
  for (const { id, path } of walked.visited) {
    if (id !== root.anchor || !covers(path, walked.target)) continue
    const future = oneSpelling(root.future)
    const rest = oneSpelling(path === "/" ? walked.target : walked.target.slice(path.length))
    if (covers(future, rest)) return rest === future ? "equal" : "below"
    if (rest !== "" && covers(rest, future)) return "above"
  }
  return undefined
}

export const relation = (walked: Walked, root: Walked): Relation | undefined => {
  const inside =
    textInside(walked.names, root.names) ?? textInside(walked.places, root.places) ?? identityInside(walked, root)
  if (inside !== undefined) return inside
  const future = byFuture(walked, root)
  if (future !== undefined) return future
  const above =
    textAbove(walked.names, root.names) ||
    textAbove(walked.places, root.places) ||
    (walked.end !== undefined && met(root, walked.end.id))
  return above ? "above" : undefined
}
