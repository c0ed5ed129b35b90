/**
 * What a policy has that is not the default, a line each: for `explain`, `doctor` and `policy check`. (design.md section 7;
 * issue 8 "each with its own line in doctor and explain")
 */
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { type Root, rootsOf } from "@memory-bridge/core/policy/Roots"
import { type FileHandle, isFault, type Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import { openTrustedDirectory } from "@memory-bridge/core/trust/TrustedPath"
import * as Effect from "effect/Effect"

export const settingKinds = ["root", "served_names", "groups", "hard_links", "ranking"] as const
export type SettingKind = (typeof settingKinds)[number]

export interface Setting {
  readonly kind: SettingKind
  /** As it stands in the file. */
  readonly key: string
  readonly text: string
}

/** Names of groups by their ids, for showing alone. */
export type GroupNames = ReadonlyMap<number, string>

const maxGroupFileBytes = 4 * 1024 * 1024

const textIn = (walk: Walk, file: FileHandle): string => {
  const facts = walk.facts(file)
  if (isFault(facts) || facts.kind !== "file" || facts.size > maxGroupFileBytes) return ""
  const reading = walk.read(file, facts.size)
  return "text" in reading ? reading.text : ""
}

const namesIn = (walk: Walk): GroupNames => {
  const directory = openTrustedDirectory(walk, "/etc")
  if (typeof directory === "object") return new Map()
  const file = walk.file(directory, "group", "across")
  const lines = isFault(file) ? [] : textIn(walk, file).split("\n")
  return new Map(
    lines.toReversed().flatMap((line) => {
      const [name = "", , id = ""] = line.split(":")
      return name !== "" && /^[0-9]{1,10}$/.test(id) ? [[Number(id), name] as const] : []
    })
  )
}

/** What `/etc/group` calls the groups of a policy. A group of another directory service has its id alone. */
export const groupNames = (tree: Tree["Service"], policy: Policy): Effect.Effect<GroupNames> =>
  rootsOf(policy).some(({ trust }) => trust.groups.size > 0)
    ? Effect.scoped(Effect.map(tree.walk, namesIn))
    : Effect.succeed(new Map<number, string>())

/** What a root is called, "" where it has no name. */
export const rootName = ({ prefix }: Root): string => prefix.slice(0, -1)

const keyIn = ({ prefix }: Root, key: string): string => (prefix === "" ? key : `roots.${prefix.slice(0, -1)}.${key}`)

const groupText = (id: number, names: GroupNames): string => {
  const name = names.get(id)
  return name === undefined ? String(id) : `${name} (${id})`
}

/** Of one root. */
export const rootSettings = (root: Root, names: GroupNames): ReadonlyArray<Setting> => {
  const groups = [...root.trust.groups].toSorted((one, other) => one - other).map((id) => groupText(id, names))
  const setting = (kind: SettingKind, key: string, text: string): Setting => ({ kind, key: keyIn(root, key), text })
  return [
    ...(root.names === "portable"
      ? []
      : [setting("served_names", "names", `${root.names}, names of every script, with spaces and emoji, are served`)]),
    ...(groups.length === 0
      ? []
      : [setting("groups", "trust.groups", `members may write what is served: ${groups.join(", ")}`)]),
    ...(root.trust.hardLinks
      ? [
          setting(
            "hard_links",
            "trust.hard_links",
            "on, a note may have several names and is served under each that is permitted"
          )
        ]
      : [])
  ]
}

/** Which roots there are, where they have names, and what is set for all of them. */
export const commonSettings = (policy: Policy): ReadonlyArray<Setting> => [
  ...policy.named.map((root): Setting => ({
    kind: "root",
    key: `roots.${rootName(root)}`,
    text: `${root.root}, its ids begin with ${root.prefix}`
  })),
  ...(policy.version === 2 && policy.ranking === "path"
    ? [{ kind: "ranking", key: "ranking", text: "path, results come as in version 1" } as const]
    : [])
]

export const policySettings = (policy: Policy, names: GroupNames): ReadonlyArray<Setting> => [
  ...commonSettings(policy),
  ...rootsOf(policy).flatMap((root) => rootSettings(root, names))
]
