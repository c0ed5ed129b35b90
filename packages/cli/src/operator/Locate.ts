/**
 * Which component of a note's path was refused? (design.md section 1: the operator must be able to find out why)
 *
 * The core answers a refused read with its rule alone. For the operator the directories on the way are walked once
 * more, to name the one that the rule speaks of. Nothing is decided here: where the second walk finds nothing to
 * refuse, the rule speaks of the note itself.
 */
import { isRefused, openBranch, openRoot } from "@memory-bridge/core/notes/TrustedEntry"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { placeOf, type Root } from "@memory-bridge/core/policy/Roots"
import { type DocumentId, segmentsOf } from "@memory-bridge/core/tree/DocumentId"
import { Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import { isNameRule } from "./Cure.ts"

/** The component of a note's path that a rule speaks of. */
export interface Place {
  /** Absolute. */
  readonly path: string
  readonly part: "directory" | "note"
  /** The deny pattern that decided, where one did. */
  readonly pattern?: string
}

const below = (parent: string, name: string): string => (parent === "/" ? `/${name}` : `${parent}/${name}`)

/** The first directory on the way that is refused, if any. */
const refusedDirectory = (walk: Walk, of: Root, id: DocumentId): string | undefined => {
  const root = openRoot(walk, of)
  if (isRefused(root)) return undefined
  let directory = root.handle
  let path = of.root
  for (const name of segmentsOf(id).slice(0, -1)) {
    path = below(path, name)
    const next = openBranch(walk, root, directory, name)
    if (typeof next === "string") return path
    directory = next
  }
  return undefined
}

/** For a read of `id` that was refused by `rule`. */
export const locate = Effect.fnUntraced(function* (policy: Policy, id: DocumentId, rule: string) {
  const found = placeOf(policy, id)
  if (found === undefined) return { path: id, part: "note" } satisfies Place
  const note: Place = { path: below(found.root.root, found.path), part: "note" }
  if (isNameRule(rule)) {
    const decision = found.root.rules.decide(found.path)
    return decision.verdict === "denied" && rule === "denied" ? { ...note, pattern: decision.pattern } : note
  }
  const tree = yield* Tree
  const directory = refusedDirectory(yield* tree.walk, found.root, found.path)
  return directory === undefined ? note : ({ path: directory, part: "directory" } satisfies Place)
}, Effect.scoped)
