/**
 * Which component of a note's path was refused, and which root? (design.md section 1: the operator must be able to find out
 * why)
 *
 * The core answers a refused read with its rule alone, and a refused search with a component or a reason. For the operator
 * the way is walked once more, to name what the rule speaks of. Nothing is decided here: where the second walk finds
 * nothing to refuse, the rule speaks of the note itself, or of the first root.
 */
import type { RootRefused, ScanRefused } from "@memory-bridge/core/notes/Notes"
import { isRefused, openBranch, openRoot } from "@memory-bridge/core/notes/TrustedEntry"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { placeOf, type Root, rootsOf } from "@memory-bridge/core/policy/Roots"
import { type DocumentId, segmentsOf } from "@memory-bridge/core/tree/DocumentId"
import { Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import { isNameRule } from "./Cure.ts"
import { survey } from "./doctor/Survey.ts"
import { below } from "./Steps.ts"

/** The component of a note's path that a rule speaks of. */
export interface Place {
  /** Absolute. */
  readonly path: string
  readonly part: "directory" | "note"
  /** The deny pattern that decided, where one did. */
  readonly pattern?: string
}

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

/** Whether the directory is a root, or on the way to it. */
export const leadsTo = (directory: string, { root }: Root): boolean =>
  directory === root || root.startsWith(below(directory, ""))

/** The root that a whole answer was refused for: roots are opened in order, and the first refused one refuses. */
export const refusedRoot = Effect.fnUntraced(function* (policy: Policy, refusal: RootRefused | ScanRefused) {
  const roots = rootsOf(policy)
  const [first = policy] = roots
  if (roots.length < 2) return first
  if (refusal._tag === "RootRefused") return roots.find((root) => leadsTo(refusal.component, root)) ?? first
  const { stoppedAt } = yield* survey(policy)
  return roots.find(({ root }) => root === stoppedAt) ?? first
})
