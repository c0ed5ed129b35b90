/**
 * Why is this note served, or why not? Step by step, as the engine decides. (issue 7 item 3)
 *
 * The engine's own programs run over a watched tree: `PolicyStore` loads the policy, `Notes` reads the note and searches
 * the root. The steps are what the tree was asked for and what the refusal names; the verdict is theirs.
 */
import { Notes, type NoteRefused, type RootRefused, type ScanRefused } from "@memory-bridge/core/notes/Notes"
import { readRequest } from "@memory-bridge/core/notes/Request"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import type { DocumentId } from "@memory-bridge/core/tree/DocumentId"
import { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { exitCodes } from "../Exit.ts"
import { type Survey, survey } from "./doctor/Survey.ts"
import { isDirectory, judgeDirectory } from "./ExplainDirectory.ts"
import {
  type Check,
  isNameRule,
  nameSteps,
  passed,
  policySteps,
  refusedBy,
  runStep,
  step,
  type Step,
  treeSteps
} from "./ExplainSteps.ts"
import { type Explanation, explain as explainRefusal } from "./Explanation.ts"
import type { Place } from "./Locate.ts"
import { show } from "./Quote.ts"
import { below, type Seen, userOf, watchedNotes, watchedPolicies } from "./Steps.ts"

export type { Check, Step }

/**
 * What a search does with the note: `reached`, it is read and matched; `left_out`, the search stops at a limit before it;
 * `refused`, the search as a whole has no answer; `never`, the note is refused.
 */
export type InSearch = "reached" | "left_out" | "refused" | "never"

export interface Explained {
  readonly kind: "note" | "directory" | "unknown"
  readonly id: string
  /** Absolute, or "" where no policy says where the root is. */
  readonly path: string
  /** Whether the note is served by its id; for a directory, whether a search enters it. */
  readonly served: boolean
  readonly search: InSearch
  readonly steps: ReadonlyArray<Step>
  /** Of a directory that is entered. */
  readonly holds: Survey | undefined
  /** Why not, with the cure. */
  readonly refusal: Explanation | undefined
}

// ---- What is asked for.

/** Says how the argument is read; `outside` where a path leads out of the root. */
export const targetOf = (
  argument: string,
  root: string,
  resolve: (path: string) => string
): { readonly id: string } | "outside" => {
  const absolute = argument.startsWith("/") || /^\.{1,2}(?:\/|$)/.test(argument) ? resolve(argument) : undefined
  if (absolute === undefined) return { id: argument.length > 1 ? argument.replace(/\/$/, "") : argument }
  if (absolute === root) return { id: "" }
  const inside = root === "/" ? "/" : `${root}/`
  return absolute.startsWith(inside) ? { id: absolute.slice(inside.length) } : "outside"
}

type ReadRefusal = RootRefused | ScanRefused | NoteRefused

const ruleOf = (refusal: ReadRefusal): string => (refusal._tag === "ScanRefused" ? refusal.reason : refusal.rule)

const placeOf = (policy: Policy, id: DocumentId, path: string, seen: ReadonlyArray<Seen>, rule: string): Place => {
  const last = seen.at(-1)
  if (isNameRule(rule)) {
    const [pattern] = policy.rules.matching(id).denied
    return rule === "denied" && pattern !== undefined ? { path, part: "note", pattern } : { path, part: "note" }
  }
  return last === undefined || last.wanted === "file" ? { path, part: "note" } : { path: last.path, part: "directory" }
}

// ---- Search.

/** Asks the engine's own search, for any word, and looks whether it came to the note. */
const inSearch = Effect.fnUntraced(function* (tree: Tree["Service"], policy: Policy, path: string) {
  const seen: Array<Seen> = []
  const asked = yield* Effect.result(
    Notes.use((notes) => notes.search(policy, { query: "memory", limit: 1 })).pipe(
      Effect.provide(watchedNotes(tree, seen))
    )
  )
  if (Result.isFailure(asked)) {
    const told = `no search of this root is answered: ${ruleOf(asked.failure)}`
    return { verdict: "refused", step: step("search", policy.root, "told", told) } as const
  }
  const reached = seen.some((entry) => entry.path === path && entry.reading !== undefined && "text" in entry.reading)
  if (reached) return { verdict: "reached", step: passed("search", path, "a search reads it") } as const
  const told = "a search stops before it: limits.max_entries, or the bytes of one search, are used up"
  return { verdict: "left_out", step: step("search", path, "told", told) } as const
})

// ---- All of it.

export interface Question {
  /** An id, or a path. */
  readonly argument: string
  readonly policyPath: string
  /** Makes a path absolute. */
  readonly resolve: (path: string) => string
}

const refusedWhole = (id: string, steps: ReadonlyArray<Step>, refusal: Explanation): Explained => ({
  kind: "unknown",
  id,
  path: "",
  served: false,
  search: "never",
  steps,
  holds: undefined,
  refusal
})

const outside = (argument: string, root: string): Explanation => ({
  headline: "The path is not below the memory root, so nothing of it is served.",
  details: [
    ["component", show(argument)],
    ["cure", `name a note below ${show(root)}; if a link leads there, name what it leads to`]
  ],
  exitCode: exitCodes.notFound
})

const explainDirectory = Effect.fnUntraced(function* (
  tree: Tree["Service"],
  policy: Policy,
  names: ReadonlyArray<string>,
  {
    before,
    policyPath,
    user
  }: { readonly before: ReadonlyArray<Step>; readonly policyPath: string; readonly user: number }
): Effect.fn.Return<Explained> {
  const { refusal, steps } = yield* judgeDirectory(tree, policy, names, user)
  const id = names.join("/")
  const path = id === "" ? policy.root : below(policy.root, id)
  const common = { kind: "directory", id, path, steps: [...before, ...steps] } as const
  if (refusal === undefined) {
    const holds = yield* survey(policy, id).pipe(Effect.provideService(Tree, tree))
    return { ...common, served: true, search: "reached", holds, refusal: undefined }
  }
  const circumstances = { policyPath, root: policy.root, place: refusal.place }
  const why = explainRefusal(refusal.error, circumstances)
  return { ...common, served: false, search: "never", holds: undefined, refusal: why }
})

const explainNote = Effect.fnUntraced(function* (
  tree: Tree["Service"],
  policy: Policy,
  id: DocumentId,
  {
    before,
    policyPath,
    user
  }: { readonly before: ReadonlyArray<Step>; readonly policyPath: string; readonly user: number }
): Effect.fn.Return<Explained> {
  const path = below(policy.root, id)
  const seen: Array<Seen> = []
  const answer = yield* Effect.result(
    Notes.use((notes) => notes.read(policy, id)).pipe(Effect.provide(watchedNotes(tree, seen)))
  )
  const rule = Result.isFailure(answer) ? ruleOf(answer.failure) : undefined
  const steps = [
    passed("id", id, "a relative path"),
    ...before,
    ...nameSteps(policy, id, rule ?? ""),
    ...treeSteps(seen, policy, path, user, rule)
  ]
  const common = { kind: "note", id, path, holds: undefined } as const
  if (Result.isFailure(answer)) {
    const place = placeOf(policy, id, path, seen, ruleOf(answer.failure))
    const refusal = explainRefusal(answer.failure, { policyPath, root: policy.root, place })
    return { ...common, served: false, search: "never", steps, refusal }
  }
  const search = yield* inSearch(tree, policy, path)
  return { ...common, served: true, search: search.verdict, steps: [...steps, search.step], refusal: undefined }
})

export const explain = Effect.fnUntraced(function* ({ argument, policyPath, resolve }: Question) {
  const tree = yield* Tree
  const user = yield* userOf(tree)
  const seen: Array<Seen> = []
  const loaded = yield* Effect.result(
    PolicyStore.use((policies) => policies.load(policyPath)).pipe(Effect.provide(watchedPolicies(tree, seen)))
  )
  if (Result.isFailure(loaded)) {
    const steps = policySteps(seen, user, policyPath, loaded.failure)
    return refusedWhole(argument, steps, explainRefusal(loaded.failure, { policyPath, root: "" }))
  }
  const policy = loaded.success
  const before = [...policySteps(seen, user, policyPath, undefined), runStep(policy)]
  const target = targetOf(argument, policy.root, resolve)
  if (target === "outside") {
    const steps = [refusedBy("id", argument, "outside", `not below ${policy.root}`)]
    return refusedWhole(argument, steps, outside(argument, policy.root))
  }
  const { id } = target
  const request = readRequest({ id })
  if (id !== "" && Result.isFailure(request)) {
    const steps = [refusedBy("id", id, "invalid_request", request.failure.hint)]
    return refusedWhole(id, steps, explainRefusal(request.failure, { policyPath, root: policy.root }))
  }
  const names = id === "" ? [] : id.split("/")
  const given = { before, policyPath, user }
  const directory = yield* Effect.scoped(Effect.map(tree.walk, (walk) => isDirectory(walk, policy, names)))
  return directory || Result.isFailure(request)
    ? yield* explainDirectory(tree, policy, names, given)
    : yield* explainNote(tree, policy, request.success, given)
})
