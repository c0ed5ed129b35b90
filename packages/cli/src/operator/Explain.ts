/**
 * Why is this note served, or why not? Step by step, as the engine decides. (issue 7 item 3)
 *
 * The engine's own programs run over a watched tree: `PolicyStore` loads the policy, `Notes` reads the note and searches
 * the root. The steps are what the tree was asked for and what the refusal names; the verdict is theirs.
 */
import { NoteRefused, Notes, type RootRefused, type ScanRefused } from "@memory-bridge/core/notes/Notes"
import { readRequest } from "@memory-bridge/core/notes/Request"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { type Root, rootsOf } from "@memory-bridge/core/policy/Roots"
import { type DocumentId, parse } from "@memory-bridge/core/tree/DocumentId"
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
  settingSteps,
  step,
  type Step,
  treeSteps
} from "./ExplainSteps.ts"
import { type Explanation, explain as explainRefusal } from "./Explanation.ts"
import { type Place, refusedRoot } from "./Locate.ts"
import { groupNames, rootName } from "./PolicySettings.ts"
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

/** A note or directory by its root and its path there; "" is the root itself. */
export interface Target {
  readonly root: Root
  readonly path: string
}

/** Says how the argument is read; `outside` where a path leads out of every root, `no_root` where an id names none. */
export const targetOf = (
  argument: string,
  roots: ReadonlyArray<Root>,
  resolve: (path: string) => string
): Target | "outside" | "no_root" => {
  const absolute = argument.startsWith("/") || /^\.{1,2}(?:\/|$)/.test(argument) ? resolve(argument) : undefined
  if (absolute === undefined) {
    const root = roots.find(({ prefix }) => argument.startsWith(prefix))
    if (root === undefined) return "no_root"
    const path = argument.slice(root.prefix.length)
    return { root, path: path.length > 1 ? path.replace(/\/$/, "") : path }
  }
  const root = roots.find((each) => absolute === each.root || absolute.startsWith(below(each.root, "")))
  if (root === undefined) return "outside"
  return { root, path: absolute === root.root ? "" : absolute.slice(below(root.root, "").length) }
}

type ReadRefusal = RootRefused | ScanRefused | NoteRefused

const ruleOf = (refusal: ReadRefusal): string => (refusal._tag === "ScanRefused" ? refusal.reason : refusal.rule)

/** What a refusal of a note speaks of: the last thing that was opened, or the note. */
const partOf = (root: Root, inRoot: DocumentId, path: string, seen: ReadonlyArray<Seen>, rule: string): Place => {
  const last = seen.at(-1)
  if (isNameRule(rule)) {
    const [pattern] = root.rules.matching(inRoot).denied
    return rule === "denied" && pattern !== undefined ? { path, part: "note", pattern } : { path, part: "note" }
  }
  return last === undefined || last.wanted === "file" ? { path, part: "note" } : { path: last.path, part: "directory" }
}

// ---- Search.

/** Asks the engine's own search, for any word; what it opened, or the step that says why it has no answer. */
const searched = Effect.fnUntraced(function* (tree: Tree["Service"], policy: Policy) {
  const seen: Array<Seen> = []
  const asked = yield* Effect.result(
    Notes.use((notes) => notes.search(policy, { query: "memory", limit: 1 })).pipe(
      Effect.provide(watchedNotes(tree, seen))
    )
  )
  if (Result.isSuccess(asked)) return seen
  const root = yield* refusedRoot(policy, asked.failure).pipe(Effect.provideService(Tree, tree))
  const why =
    root.prefix === ""
      ? "no search of this root is answered"
      : `no search is answered, because of the root ${rootName(root)}`
  return step("search", root.root, "told", `${why}: ${ruleOf(asked.failure)}`)
})

/** Of a served note, by its absolute path. */
const inSearch = Effect.fnUntraced(function* (tree: Tree["Service"], policy: Policy, path: string) {
  const seen = yield* searched(tree, policy)
  if ("check" in seen) return { verdict: "refused", step: seen } as const
  // A note that was read under another of its names is opened again, and its text is known.
  const reached = seen.some(
    ({ fault, path: opened, reading, wanted }) =>
      opened === path && wanted === "file" && fault === undefined && (reading === undefined || "text" in reading)
  )
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

const outside = (argument: string, roots: ReadonlyArray<Root>): Explained => {
  const folders = roots.map(({ root }) => show(root)).join(" or ")
  return refusedWhole(argument, [refusedBy("id", argument, "outside", `not below ${folders}`)], {
    headline: "The path is not below the memory root, so nothing of it is served.",
    details: [
      ["component", show(argument)],
      ["cure", `name a note below ${folders}; if a link leads there, name what it leads to`]
    ],
    exitCode: exitCodes.notFound
  })
}

/** An id that names no root, or no path in one. */
const nowhere = (id: string, policy: Policy, policyPath: string, before: ReadonlyArray<Step>): Explained => {
  const prefixes = policy.named.map(({ prefix }) => prefix)
  const why = `an id begins with a root's name and goes on with a path in it: ${prefixes.join(", ")}`
  const place: Place = { path: id, part: "note" }
  const circumstances = { policyPath, root: undefined, place, prefixes }
  return refusedWhole(
    id,
    [...before, refusedBy("root", id, "no_allow", why)],
    explainRefusal(new NoteRefused({ rule: "no_allow" }), circumstances)
  )
}

interface Known {
  readonly tree: Tree["Service"]
  readonly policy: Policy
  readonly policyPath: string
  readonly user: number
  readonly before: ReadonlyArray<Step>
}

const explainDirectory = Effect.fnUntraced(function* (
  { before, policy, policyPath, tree, user }: Known,
  { path: inRoot, root }: Target
): Effect.fn.Return<Explained> {
  const names = inRoot === "" ? [] : inRoot.split("/")
  const { refusal, steps } = yield* judgeDirectory(tree, policy, root, names, user)
  const path = inRoot === "" ? root.root : below(root.root, inRoot)
  const common = { kind: "directory", id: root.prefix + inRoot, path } as const
  const all = [...before, ...steps]
  if (refusal === undefined) {
    const holds = yield* survey(policy, { root, path: inRoot }).pipe(Effect.provideService(Tree, tree))
    const seen = yield* searched(tree, policy)
    const entered = { ...common, served: true, holds, refusal: undefined } as const
    return "check" in seen
      ? { ...entered, search: "refused", steps: [...all, seen] }
      : { ...entered, search: "reached", steps: all }
  }
  const why = explainRefusal(refusal.error, { policyPath, root, place: refusal.place })
  return { ...common, served: false, search: "never", steps: all, holds: undefined, refusal: why }
})

const explainNote = Effect.fnUntraced(function* (
  { before, policy, policyPath, tree, user }: Known,
  root: Root,
  inRoot: DocumentId,
  id: DocumentId
): Effect.fn.Return<Explained> {
  const path = below(root.root, inRoot)
  const seen: Array<Seen> = []
  const answer = yield* Effect.result(
    Notes.use((notes) => notes.read(policy, id)).pipe(Effect.provide(watchedNotes(tree, seen)))
  )
  const rule = Result.isFailure(answer) ? ruleOf(answer.failure) : undefined
  const steps = [
    passed("id", id, "a relative path"),
    ...before,
    ...nameSteps(policy.limits, root, inRoot, rule ?? ""),
    ...treeSteps(seen, policy.limits, root, path, user, rule)
  ]
  const common = { kind: "note", id, path, holds: undefined } as const
  if (Result.isFailure(answer)) {
    const place = partOf(root, inRoot, path, seen, ruleOf(answer.failure))
    const refusal = explainRefusal(answer.failure, { policyPath, root, place })
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
    return refusedWhole(argument, steps, explainRefusal(loaded.failure, { policyPath, root: undefined }))
  }
  const policy = loaded.success
  const groups = yield* groupNames(tree, policy)
  const before = (root: Root | undefined) => [
    ...policySteps(seen, user, policyPath, undefined),
    runStep(policy),
    ...settingSteps(policy, root, groups)
  ]
  const target = targetOf(argument, rootsOf(policy), resolve)
  if (target === "outside") return outside(argument, rootsOf(policy))
  const id = target === "no_root" ? argument : target.root.prefix + target.path
  const request = readRequest({ id })
  const isRoot = target !== "no_root" && target.path === ""
  if (!isRoot && Result.isFailure(request)) {
    const steps = [refusedBy("id", id, "invalid_request", request.failure.hint)]
    return refusedWhole(id, steps, explainRefusal(request.failure, { policyPath, root: undefined }))
  }
  if (target === "no_root") return nowhere(id, policy, policyPath, before(undefined))
  const known: Known = { tree, policy, policyPath, user, before: before(target.root) }
  const { path, root } = target
  const inRoot = parse(path)
  if (typeof inRoot !== "string") {
    return isRoot ? yield* explainDirectory(known, target) : nowhere(id, policy, policyPath, before(root))
  }
  const directory = yield* Effect.scoped(Effect.map(tree.walk, (walk) => isDirectory(walk, root, inRoot.split("/"))))
  return directory || Result.isFailure(request)
    ? yield* explainDirectory(known, target)
    : yield* explainNote(known, root, inRoot, request.success)
})
