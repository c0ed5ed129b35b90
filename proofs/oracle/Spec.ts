/**
 * Random trees for the kernel oracle: a root with a note and a home with its policy, both below ancestors, with owners,
 * modes, sticky bits and access control lists that are mostly in order and in some places are not.
 *
 * What is drawn is biased to the edge of the rule: lists whose mask takes back what they grant, groups that have no member
 * among those who attack, sticky directories, defaults that the entries below inherit.
 */
import { maxPolicyBytes } from "@memory-bridge/core/policy/Policy"
import type { Random } from "../../tests/guard/support/Random.ts"

/** As in the attribute: tag, permissions, id. */
export type Ace = readonly [tag: number, permissions: number, id: number]

export interface Entry {
  readonly kind: "directory" | "file"
  /** Below the base; "" is the base itself, which stands already. */
  readonly at: string
  readonly owner: number
  readonly group: number
  readonly mode: number
  readonly acl: ReadonlyArray<Ace> | null
  /** Whether the mode is set after the list, and so changes its mask. */
  readonly modeLast: boolean
  readonly default: ReadonlyArray<Ace> | null
  /** Keeps mode and list as its directory's default gave them. */
  readonly inherits: boolean
  readonly content: string
}

/** A tree, and whom the engine runs as. */
export interface Spec {
  readonly user: number
  /** Directories before what they hold. */
  readonly entries: ReadonlyArray<Entry>
  readonly root: string
  readonly home: string
  readonly id: string
}

export interface Identity {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly groups: ReadonlyArray<number>
}

export const owner = 40_001
export const ownersGroup = 42_000
/** Nobody who attacks has this id or is in this group. */
const absent = 49_001

export const identities: ReadonlyArray<Identity> = [
  { name: "stranger", uid: 41_001, gid: 41_001, groups: [] },
  { name: "member of one group", uid: 41_002, gid: 41_002, groups: [42_001] },
  { name: "member of the owner's group", uid: 41_003, gid: ownersGroup, groups: [] },
  { name: "member of two groups", uid: 41_004, gid: 41_004, groups: [42_001, 42_002] },
  { name: "member of root's group", uid: 41_005, gid: 0, groups: [] },
  // Attacks where the engine runs as root.
  { name: "another owner", uid: owner, gid: ownersGroup, groups: [] }
]

export const attackersOf = ({ user }: Spec): ReadonlyArray<string> =>
  identities.filter(({ uid }) => uid !== user).map(({ name }) => name)

const [USER_OBJ, USER, GROUP_OBJ, GROUP, MASK, OTHER] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20] as const
const noId = 0xffff_ffff

const directoryModes = [
  0o700, 0o755, 0o750, 0o711, 0o770, 0o775, 0o777, 0o1777, 0o1770, 0o1775, 0o2775, 0o707, 0o703, 0o733, 0o1733, 0o720,
  0o557, 0o1702
]
const fileModes = [0o600, 0o644, 0o640, 0o660, 0o664, 0o666, 0o606, 0o602, 0o620, 0o444, 0o400, 0o4755, 0o2660, 0o622]

const users = [41_001, 41_002, 41_004, absent, owner, 0]
const groups = [42_001, 42_002, ownersGroup, absent, 0]

const permissions = (random: Random): number => random.pick([0, 1, 4, 5, 5, 2, 3, 6, 7, 7])

const list = (random: Random): ReadonlyArray<Ace> => {
  const named = (tag: number, from: ReadonlyArray<number>, most: number): ReadonlyArray<Ace> =>
    random.list(most, () => [tag, permissions(random), random.pick(from)] as const)
  const ofUsers = named(USER, users, 3)
  const ofGroups = named(GROUP, groups, 2)
  const masked = ofUsers.length + ofGroups.length > 0 || random.chance(0.3)
  return [
    [USER_OBJ, random.chance(0.9) ? 7 : permissions(random), noId],
    ...ofUsers,
    [GROUP_OBJ, random.pick([0, 4, 5, 5, 7]), noId],
    ...ofGroups,
    ...(masked ? [[MASK, random.pick([7, 7, 5, 4, 0, 3]), noId] as const] : []),
    [OTHER, random.pick([0, 0, 4, 5, 5, 5, 7, 2]), noId]
  ]
}

/** As an operator who took care has it. */
const inOrder = (kind: Entry["kind"], at: string, user: number, random: Random, content: string): Entry => {
  const directory = kind === "directory"
  const roots = user === 0 || (directory && random.chance(0.15))
  return {
    kind,
    at,
    owner: roots ? 0 : user,
    group: user === 0 ? 0 : random.pick([ownersGroup, ownersGroup, absent, 42_001]),
    // The walk opens directories for reading, so root's own have to be readable for all.
    mode: random.pick(directory ? (roots ? [0o755, 0o1755] : [0o755, 0o755, 0o711, 0o700]) : [0o600, 0o644, 0o640]),
    acl: null,
    modeLast: false,
    default: null,
    inherits: false,
    content
  }
}

const outOfOrder = (entry: Entry, random: Random): Entry => {
  const directory = entry.kind === "directory"
  const usual = random.pick(directory ? directoryModes : fileModes)
  return {
    ...entry,
    owner: random.chance(0.7) ? entry.owner : random.pick(users),
    group: random.chance(0.4) ? entry.group : random.pick(groups),
    mode: random.chance(0.45) ? entry.mode : random.chance(0.85) ? usual : random.int(0o10000),
    acl: random.chance(0.5) ? list(random) : null,
    modeLast: random.chance(0.35),
    default: directory && random.chance(0.25) ? list(random) : null
  }
}

const chain = (random: Random, under: string, most: number, letter: string): Array<string> => {
  const paths: Array<string> = []
  let path = under
  for (let left = random.int(most + 1); left > 0; left--) {
    path = `${path}/${letter}${paths.length + 1}`
    paths.push(path)
  }
  return paths
}

/** What the note says. */
export const noteText = "# Note\n\nA needle.\n"

const policyText = (root: string): string => {
  const text = JSON.stringify({ version: 1, root, allow: ["**"] })
  if (text.length > maxPolicyBytes) throw new Error("the policy is too large")
  return text
}

const inheriting = (entry: Entry): Entry => ({ ...entry, inherits: true, acl: null })

/** Some of those whose directory has a default list. */
const inheritsIn = (entries: ReadonlyArray<Entry>, { at }: Entry, random: Random): boolean => {
  const above = entries.find((one) => one.kind === "directory" && one.at === at.replace(/\/[^/]*$/, ""))
  return at !== "" && above !== undefined && above.default !== null && random.chance(0.6)
}

/** `top`: the base may itself be out of order, since nobody else uses it. */
export const draw = (random: Random, base: string, top: boolean): Spec => {
  const user = random.chance(0.12) ? 0 : owner
  const shared = chain(random, "", 1, "a")
  const ancestors = chain(random, shared.at(-1) ?? "", 2, "r")
  const isTop = top && random.chance(0.04)
  const root = isTop ? "" : `${ancestors.at(-1) ?? shared.at(-1) ?? ""}/root`
  const branches = chain(random, root, 2, "s")
  const note = `${branches.at(-1) ?? root}/note.md`
  const homes = [...chain(random, shared.at(-1) ?? "", 1, "h")]
  const home = `${homes.at(-1) ?? shared.at(-1) ?? ""}/home`
  const data = [`${home}/plugin-data`, `${home}/plugin-data/memory-bridge`]

  const directories = [...shared, ...(isTop ? [] : [...ancestors, root]), ...branches, ...homes, home, ...data]
  const entries = [
    ...(top ? [{ ...inOrder("directory", "", 0, random, ""), mode: 0o1777 }] : []),
    ...directories.map((at) => inOrder("directory", at, user, random, "")),
    inOrder("file", note, user, random, noteText),
    inOrder("file", `${data[1]}/policy.json`, user, random, policyText(`${base}${root}`))
  ]
  for (let count = random.pick([0, 1, 1, 1, 1, 2, 2, 3, 5]); count > 0; count--) {
    const at = random.int(entries.length)
    entries[at] = outOfOrder(entries[at]!, random)
  }
  const drawn = { user, root: `${base}${root}`, home: `${base}${home}`, id: note.slice(root.length + 1) }
  return { ...drawn, entries: entries.map((entry) => (inheritsIn(entries, entry, random) ? inheriting(entry) : entry)) }
}

const withLess = (entry: Entry, key: "acl" | "default"): ReadonlyArray<Entry> => {
  const all = entry[key] ?? []
  const less: Array<Entry> = []
  for (const [index, [tag]] of all.entries()) {
    if (tag === USER || tag === GROUP) less.push({ ...entry, [key]: all.toSpliced(index, 1) })
  }
  return less
}

/** Entries that say the same with less out of order, each in one respect. */
export const simpler = (entry: Entry, user: number): ReadonlyArray<Entry> => {
  const usual = { owner: user, group: user === 0 ? 0 : ownersGroup, mode: entry.kind === "directory" ? 0o755 : 0o644 }
  const all: ReadonlyArray<Entry> = [
    { ...entry, ...usual, acl: null, default: null, inherits: false, modeLast: false },
    { ...entry, acl: null },
    { ...entry, default: null },
    { ...entry, inherits: false },
    { ...entry, modeLast: false },
    { ...entry, owner: usual.owner },
    { ...entry, group: usual.group },
    { ...entry, mode: usual.mode },
    ...withLess(entry, "acl"),
    ...withLess(entry, "default")
  ]
  return all.filter((one) => JSON.stringify(one) !== JSON.stringify(entry))
}
