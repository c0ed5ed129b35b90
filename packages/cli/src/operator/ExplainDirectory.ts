/**
 * Does a search enter this directory, and what is in it? (issue 7 item 3)
 *
 * The engine has no question about a directory alone, so it is walked here with the functions that a search walks with:
 * `servedBy` and `mayEnter` on the names, `openRoot` to the root, `openBranch` from there on.
 */
import { NoteRefused, RootRefused } from "@memory-bridge/core/notes/Notes"
import { isRefused, openBranch, openRoot } from "@memory-bridge/core/notes/TrustedEntry"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import type { Root } from "@memory-bridge/core/policy/Roots"
import { servedBy } from "@memory-bridge/core/tree/ServedName"
import { isFault, type Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import { namesText, passed, quoted, refusedBy, type Step, treeSteps } from "./ExplainSteps.ts"
import type { Place } from "./Locate.ts"
import { below, type Seen, watched } from "./Steps.ts"

/** Whether the path leads to a directory, as far as it can be opened. */
export const isDirectory = (walk: Walk, of: Root, names: ReadonlyArray<string>): boolean => {
  if (names.length === 0) return true
  const root = openRoot(walk, of)
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

/** What the names decide; the last step refuses where one does. */
const byName = (policy: Policy, root: Root, names: ReadonlyArray<string>): DirectoryVerdict => {
  const paths = names.map((_, depth) => names.slice(0, depth + 1).join("/"))
  const idOf = (path: string) => root.prefix + path
  const whole = idOf(names.join("/"))
  const { max_depth: most } = policy.limits
  const refused = (steps: ReadonlyArray<Step>, last: Step, path: string, pattern?: string): DirectoryVerdict => {
    const place = { path: below(root.root, path), part: "directory" } as const
    return {
      steps: [...steps, last],
      refusal: {
        error: new NoteRefused({ rule: last.rule as "too_deep" }),
        place: pattern === undefined ? place : { ...place, pattern }
      }
    }
  }
  // A note counts as one more, and the root has none.
  const depth = `its notes are ${names.length + 1} of at most ${most} (limits.max_depth)`
  if (names.length >= most) return refused([], refusedBy("depth", whole, "too_deep", depth), names.join("/"))
  const first = names.length === 0 ? [] : [passed("depth", whole, depth)]
  const odd = paths.find((_, index) => !servedBy[root.names](names[index]!))
  if (odd !== undefined) return refused(first, refusedBy("names", idOf(odd), "odd_name"), odd)
  const second = names.length === 0 ? [] : [...first, passed("names", whole, namesText(root))]
  const closed = paths.find((path) => !root.rules.mayEnter(path))
  if (closed !== undefined) {
    const pattern = root.rules.closedBy(closed)
    const last =
      pattern === undefined
        ? refusedBy("patterns", idOf(closed), "no_allow", "no allow pattern can match below it")
        : refusedBy("patterns", idOf(closed), "denied", `deny leaves nothing of it: ${quoted([pattern])}`)
    return refused(second, last, closed, pattern)
  }
  const subject = names.length === 0 ? root.root : whole
  return { steps: [...second, passed("patterns", subject, "an allow pattern may match below it")], refusal: undefined }
}

export const judgeDirectory = Effect.fnUntraced(function* (
  tree: Tree["Service"],
  policy: Policy,
  of: Root,
  names: ReadonlyArray<string>,
  user: number
): Effect.fn.Return<DirectoryVerdict> {
  const named = byName(policy, of, names)
  if (named.refusal !== undefined) return named
  const seen: Array<Seen> = []
  const verdict = (error: NoteRefused | RootRefused | undefined): DirectoryVerdict => ({
    steps: [...named.steps, ...treeSteps(seen, policy.limits, of, undefined, user, error?.rule)],
    refusal:
      error === undefined ? undefined : { error, place: { path: seen.at(-1)?.path ?? of.root, part: "directory" } }
  })
  return yield* Effect.scoped(
    Effect.map(watched(tree, seen).walk, (walk) => {
      const root = openRoot(walk, of)
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
