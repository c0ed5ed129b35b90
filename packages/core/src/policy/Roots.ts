/**
 * The roots of a policy: which folders there are, and what of each is served to whom may write it. (design.md section 7)
 *
 * Version 1 has one root without a name. Version 2 may give a root more names and more writers, and may have several,
 * each with a name that its ids begin with: `team:projects/a.md`. No served name holds a colon, so that an id has one
 * meaning. Roots may not lie in one another: a deny of the one would not hold for what the other serves.
 */
import * as Schema from "effect/Schema"
import { type DocumentId, parse } from "../tree/DocumentId.ts"
import { type NameSet, nameSets } from "../tree/ServedName.ts"
import { components } from "../trust/TrustedPath.ts"
import type { AccessRules } from "./AccessRules.ts"
import { foldWidely, maxPatterns, patternDefect } from "./Pattern.ts"

/** Whom a root trusts beside root and the running user, and with what. */
export interface RootTrust {
  /** Ids of groups whose members may write. */
  readonly groups: ReadonlySet<number>
  /** Groups whose ids are still to be found, each with its place in the file. Until then nobody of them may write. */
  readonly unresolved: ReadonlyArray<{ readonly key: string; readonly name: string }>
  /** Whether a note may have more than one name. */
  readonly hardLinks: boolean
}

export interface Root {
  /** What its ids begin with: "" for a root without a name, else the name and a colon. */
  readonly prefix: string
  /** Canonical absolute path. */
  readonly root: string
  readonly rules: AccessRules
  readonly names: NameSet
  readonly trust: RootTrust
}

/** What has roots: one of its own, or several with names, in the order of their ids. */
export interface Rooted extends Root {
  /** Empty where it is itself the only root; else it serves nothing of its own. */
  readonly named: ReadonlyArray<Root>
}

export const rootsOf = (policy: Rooted): ReadonlyArray<Root> => (policy.named.length === 0 ? [policy] : policy.named)

/** The root that an id speaks of, and the path within it; `undefined` where there is no such root or path. */
export const placeOf = (
  policy: Rooted,
  id: DocumentId
): { readonly root: Root; readonly path: DocumentId } | undefined => {
  if (policy.named.length === 0) return { root: policy, path: id }
  const root = policy.named.find(({ prefix }) => id.startsWith(prefix))
  const path = root === undefined ? undefined : parse(id.slice(root.prefix.length))
  return root === undefined || typeof path !== "string" ? undefined : { root, path }
}

const RootPath = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((root: string) => {
      const names = components(root)
      return typeof names === "string" ? `is ${names}: give the canonical absolute path` : undefined
    })
  )
)

const OnePattern = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((pattern: string) => {
      const defect = patternDefect(pattern)
      return defect === undefined ? undefined : `pattern refused: ${defect}`
    })
  )
)

const Patterns = Schema.Array(OnePattern).pipe(Schema.check(Schema.isMaxLength(maxPatterns)))

/** The keys of a root in every version. */
export const rootFields = { root: RootPath, allow: Patterns, deny: Schema.optionalKey(Patterns) } as const

/** What Linux shows for every group that it cannot map: accepting it would accept strangers. */
const unmappedGroup = 65_534
/** From here on ids stand for nobody on one system or the other. */
const noGroups = 0xffffff00

/** Whether a number is the id of one group. */
export const isGroupId = (id: number): boolean =>
  Number.isInteger(id) && id >= 0 && id < noGroups && id !== unmappedGroup

const maxGroups = 16
const maxGroupName = 255

const Group = Schema.Union([Schema.Number, Schema.String]).pipe(
  Schema.check(
    Schema.makeFilter((group: number | string) =>
      typeof group === "string"
        ? /^[^\p{C}:,]+$/u.test(group) && group.length <= maxGroupName && !/^[0-9]+$/.test(group)
          ? undefined
          : "must be the name of a group, or its id as a number"
        : isGroupId(group)
          ? undefined
          : "must be the id of a group that this system maps"
    )
  )
)

const trustField = Schema.Struct({
  groups: Schema.optionalKey(Schema.Array(Group).pipe(Schema.check(Schema.isMaxLength(maxGroups)))),
  hard_links: Schema.optionalKey(Schema.Boolean)
})

/** The keys of a root in version 2. */
export const rootFields2 = {
  ...rootFields,
  names: Schema.optionalKey(Schema.Literals(nameSets)),
  trust: Schema.optionalKey(trustField)
} as const

export const NamedRoots = Schema.Record(Schema.String, Schema.Struct(rootFields2))

/** The `trust` object as it stands in the file at `key`, every key of which may be left out. */
export const trustOf = (given: typeof trustField.Type, key: string): RootTrust => {
  const groups = given.groups ?? []
  return {
    groups: new Set(groups.filter((group) => typeof group === "number")),
    unresolved: groups.flatMap((name, index) =>
      typeof name === "string" ? [{ key: `${key}.groups[${index}]`, name }] : []
    ),
    hardLinks: given.hard_links ?? false
  }
}

export const maxRoots = 16
const rootName = /^[a-z][a-z0-9-]{0,31}$/

/** What is wrong with the names of roots. Looked at before anything else: some names an object treats specially. */
export const rootNamesDefect = (roots: object): string | undefined => {
  const names = Object.keys(roots)
  return names.length === 0 || names.length > maxRoots
    ? `must name 1 to ${maxRoots} roots`
    : names.every((name) => rootName.test(name))
      ? undefined
      : "must be named by small letters, digits and hyphens, a letter first, at most 32 characters"
}

/** A root that lies in another or is the same, whatever the volume thinks of case and Unicode form. */
export const nestedRoot = (roots: ReadonlyArray<Root>): Root | undefined => {
  const below = roots.map(({ root }) => foldWidely(root === "/" ? root : `${root}/`))
  return roots.find((_, index) => below.some((other, at) => at !== index && below[index]!.startsWith(other)))
}
