/**
 * Which id does a group have that a policy names? What `/etc/group` says, read anew on every call under the trust rule,
 * like the policy itself. (design.md section 7 "trust.groups")
 *
 * The file must be root's. A name that is not there, or there twice with different ids, refuses the policy: a group that
 * another directory service knows is given by its id. So is every group on macOS, where `/etc` is a link.
 */
import * as Result from "effect/Result"
import { unchanged } from "../tree/Facts.ts"
import { type FileHandle, isFault, type Walk } from "../tree/Tree.ts"
import { distrust } from "../trust/Trust.ts"
import { openTrustedDirectory } from "../trust/TrustedPath.ts"
import type { Policy, PolicyDefect } from "./Policy.ts"
import { isGroupId, type Root, rootsOf } from "./Roots.ts"

const directory = "/etc"
const name = "group"
/** Bytes. */
const maxFileBytes = 4 * 1024 * 1024

const root = 0

/** The text of the file, or `undefined` where it cannot be trusted or read whole. */
const groupFile = (walk: Walk): string | undefined => {
  const parent = openTrustedDirectory(walk, directory)
  if (typeof parent === "object") return undefined
  const file = walk.file(parent, name, "across")
  walk.close(parent)
  if (isFault(file)) return undefined
  const text = trustedText(walk, file)
  walk.close(file)
  return text
}

const trustedText = (walk: Walk, file: FileHandle): string | undefined => {
  const facts = walk.facts(file)
  if (isFault(facts) || facts.kind !== "file" || facts.size > maxFileBytes) return undefined
  // Nobody but root: whoever runs this must not be able to say who is in which group.
  if (distrust(facts, walk.acl(file), root) !== undefined) return undefined
  const reading = walk.read(file, facts.size)
  const after = walk.facts(file)
  return "text" in reading && !isFault(after) && unchanged(facts, after) ? reading.text : undefined
}

/** The id that the file gives to a name, if it gives exactly one. */
export const groupId = (text: string, wanted: string): number | undefined => {
  const ids = new Set<number>()
  for (const line of text.split("\n")) {
    const [group, , id = ""] = line.split(":")
    if (group === wanted) ids.add(/^(?:0|[1-9][0-9]{0,9})$/.test(id) ? Number(id) : -1)
  }
  const [only] = ids
  return ids.size === 1 && only !== undefined && isGroupId(only) ? only : undefined
}

const resolved = (found: Root, text: string | undefined): Result.Result<Root, PolicyDefect> => {
  const groups = new Set(found.trust.groups)
  for (const { key, name: wanted } of found.trust.unresolved) {
    const id = text === undefined ? undefined : groupId(text, wanted)
    if (id === undefined) {
      const rule = text === undefined ? "names a group, and the group file cannot be trusted" : "names no known group"
      return Result.fail({ key, rule })
    }
    groups.add(id)
  }
  return Result.succeed({ ...found, trust: { ...found.trust, groups, unresolved: [] } })
}

/** The policy with the ids of all groups that it names, or the first that has none. */
export const resolveGroups = (walk: Walk, policy: Policy): Result.Result<Policy, PolicyDefect> => {
  if (rootsOf(policy).every(({ trust }) => trust.unresolved.length === 0)) return Result.succeed(policy)
  const text = groupFile(walk)
  if (policy.named.length === 0) return Result.map(resolved(policy, text), (own) => ({ ...policy, ...own }))
  return Result.map(Result.all(policy.named.map((each) => resolved(each, text))), (named) => ({ ...policy, named }))
}
