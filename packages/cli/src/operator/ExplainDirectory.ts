/**
 * Does a search enter this directory, and what is in it? (issue 7 item 3)
 *
 * The engine has no question about a directory alone, so it is walked here with the functions that a search walks with:
 * `mayEnter` on the names, `openTrustedDirectory` to the root, `openBranch` from there on.
 */
import { NoteRefused, RootRefused } from "@memory-bridge/core/notes/Notes"
import { isRefused, openBranch, openRoot } from "@memory-bridge/core/notes/TrustedEntry"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { isFault, type Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import { passed, quoted, refusedBy, type Step, treeSteps } from "./ExplainSteps.ts"
import type { Place } from "./Locate.ts"
import { below, type Seen, watched } from "./Steps.ts"

/** Whether the path leads to a directory, as far as it can be opened. */
export const isDirectory = (walk: Walk, policy: Policy, names: ReadonlyArray<string>): boolean => {
  if (names.length === 0) return true
  const root = openRoot(walk, policy)
  if (isRefused(root)) return false
  let directory = root.handle
  for (const name of names) {
    const next = walk.directory(directory, name, "within")
    if (isFault(next)) return false
    directory = next
  }
  return true
}

export interface DirectoryVerdict {
  readonly steps: ReadonlyArray<Step>
  /** `undefined` where a search enters it. */
  readonly refusal: { readonly error: NoteRefused | RootRefused; readonly place: Place } | undefined
}

/** The first directory on the way that no search enters, by name. */
const closedByName = ({ root, rules }: Policy, names: ReadonlyArray<string>): DirectoryVerdict | undefined => {
  const prefixes = names.map((_, depth) => names.slice(0, depth + 1).join("/"))
  const closed = prefixes.find((prefix) => !rules.mayEnter(prefix))
  if (closed === undefined) return undefined
  const pattern = rules.closedBy(closed)
  const [rule, detail] =
    pattern === undefined
      ? (["no_allow", "no allow pattern can match below it"] as const)
      : (["denied", `deny leaves nothing of it: ${quoted([pattern])}`] as const)
  const place = { path: below(root, closed), part: "directory" } as const
  return {
    steps: [refusedBy("patterns", closed, rule, detail)],
    refusal: { error: new NoteRefused({ rule }), place: pattern === undefined ? place : { ...place, pattern } }
  }
}

export const judgeDirectory = Effect.fnUntraced(function* (
  tree: Tree["Service"],
  policy: Policy,
  names: ReadonlyArray<string>,
  user: number
): Effect.fn.Return<DirectoryVerdict> {
  const closed = closedByName(policy, names)
  if (closed !== undefined) return closed
  const id = names.join("/")
  const named = passed("patterns", id === "" ? policy.root : id, "an allow pattern may match below it")
  const seen: Array<Seen> = []
  const verdict = (error: NoteRefused | RootRefused | undefined): DirectoryVerdict => ({
    steps: [named, ...treeSteps(seen, policy, undefined, user, error?.rule)],
    refusal:
      error === undefined ? undefined : { error, place: { path: seen.at(-1)?.path ?? policy.root, part: "directory" } }
  })
  return yield* Effect.scoped(
    Effect.map(watched(tree, seen).walk, (walk) => {
      const root = openRoot(walk, policy)
      if (isRefused(root)) return verdict(new RootRefused(root))
      let directory = root.handle
      for (const name of names) {
        const next = openBranch(walk, root, directory, name)
        if (typeof next === "string") return verdict(new NoteRefused({ rule: next }))
        directory = next
      }
      return verdict(undefined)
    })
  )
})
