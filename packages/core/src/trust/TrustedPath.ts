/**
 * Walks an absolute path from `/` and holds every component to the trust rule. (seed 000: "Root and policy paths are
 * traversed from an open filesystem-root descriptor, one component at a time")
 *
 * The string is judged first: only a canonical absolute path can be walked, so that what the operator wrote is what is
 * opened. No link is followed, so a symlinked home, policy directory or root is refused here.
 */
import { type DirectoryHandle, type Fault, faults, isFault, type Walk } from "../tree/Tree.ts"
import { distrustAncestor, distrustRoot, nobodyElse, trustRefusals, type Writers } from "./Trust.ts"

export const pathRules = ["not_absolute", "not_canonical", ...faults, ...trustRefusals] as const
export type PathRule = (typeof pathRules)[number]

/** Which component broke which rule. `component` is an absolute path: for the operator alone. */
export interface PathRefusal {
  readonly component: string
  readonly rule: PathRule
}

/** The names of a canonical absolute path, or the rule that the string breaks. `/` has none. */
export const components = (path: string): ReadonlyArray<string> | "not_absolute" | "not_canonical" => {
  if (!path.startsWith("/")) return "not_absolute"
  if (path === "/") return []
  const names = path.slice(1).split("/")
  return names.some((name) => name === "" || name === "." || name === ".." || name.includes("\0"))
    ? "not_canonical"
    : names
}

/** `last`: who may write to it, where the path ends with it. */
const judge = (walk: Walk, handle: DirectoryHandle, path: string, last: Writers | undefined): PathRule | undefined => {
  const facts = walk.facts(handle)
  if (isFault(facts)) return facts
  if (facts.kind !== "directory") return "not_directory"
  const acl = walk.acl(handle)
  return last === undefined ? distrustAncestor(path, facts, acl, walk.user) : distrustRoot(facts, acl, walk.user, last)
}

/**
 * Opens the directory at `path`. On a refusal nothing of the path stays open. `writers` may write to that directory; on
 * the way to it nobody else ever may.
 */
export const openTrustedDirectory = (
  walk: Walk,
  path: string,
  writers: Writers = nobodyElse
): DirectoryHandle | PathRefusal => {
  const names = components(path)
  if (typeof names === "string") return { component: path, rule: names }
  let current = walk.root()
  let reached = "/"
  for (let depth = 0; ; depth++) {
    if (isFault(current)) return { component: reached, rule: current }
    const rule = judge(walk, current, reached, depth === names.length ? writers : undefined)
    if (rule !== undefined) {
      walk.close(current)
      return { component: reached, rule }
    }
    const name = names[depth]
    if (name === undefined) return current
    const next: DirectoryHandle | Fault = walk.directory(current, name, "across")
    walk.close(current)
    current = next
    reached = reached === "/" ? `/${name}` : `${reached}/${name}`
  }
}
