/** Arbitrary policies of version 2 over arbitrary trees: several roots, names of every script, accepted groups, linked notes. */
import type { ScanCeilings } from "@memory-bridge/core/budget/ScanBudget"
import type { Limits } from "@memory-bridge/core/policy/Limits"
import { type As, dir, type Drawing, type Drawn, file, link } from "../contract/Drawing.ts"
import { type MemoryTree, memoryTree } from "../contract/MemoryTree.ts"
import type { Dice } from "../property/Generators.ts"

export interface RootCase {
  /** "" in a policy of one root. */
  readonly name: string
  /** Below `/`. */
  readonly folder: string
  readonly keys: object
  readonly notes: Drawing
  readonly as: As
}

export interface VersionTwo {
  readonly roots: ReadonlyArray<RootCase>
  readonly ranking: "path" | "relevance"
  readonly limits: Partial<Limits>
  readonly ceilings: ScanCeilings
}

const team = 7

const fileNames = [
  "a.md",
  "A.md",
  "b.md",
  "caf\u00e9.md",
  "cafe\u0301.md",
  "a b.md",
  "\u65e5\u672c.md",
  "\u{1f468}\u200d\u{1f33e}.md",
  "x\u200b.md",
  "\u202ea.md",
  ".h.md",
  "a:b.md",
  "secret.md",
  "stra\u00dfe.md",
  "STRASSE.md",
  "x.txt",
  "x .md"
]
const twins = ["a.md", "A.md", "caf\u00e9.md", "cafe\u0301.md"]
const folderNames = ["d", "D", "\u00e9", "e\u0301", "my notes", "private", ".git", "x.", "\u200b", "team:d"]

const grants = (id: number) => ({
  kind: "entries" as const,
  entries: [{ subject: { kind: "group" as const, id }, write: true }]
})

/** What a group, or a link, makes of a file or directory: taken by some roots and not by others. */
const turns: ReadonlyArray<As> = [
  { mode: 0o664, group: team },
  { owner: 1234, group: team, mode: 0o664 },
  { owner: 1234, group: 8 },
  { mode: 0o664, group: 8 },
  { mode: 0o666, group: team },
  { links: 2 },
  { links: 2, group: team, mode: 0o640 },
  { links: 2, group: team, mode: 0o600 },
  { links: 2, inode: 1_000_077n },
  { links: 2, inode: 1_000_077n },
  { links: 3, inode: 1_000_078n, group: team, mode: 0o664 },
  { acl: grants(team) },
  { acl: grants(8) },
  { acl: grants(team), mode: 0o664 },
  { mount: 9n },
  { size: 3 },
  { fails: { read: "io" } }
]

const fileFrom = (dice: Dice): Drawn => {
  const text = dice.pick(["needle hay\n", "# Needle\n\nmore\n", "hay", ""])
  if (dice.chance(50)) return text
  const as = dice.pick(turns)
  // One file has one text, under each of its names.
  return dice.chance(90) ? file(as.inode === undefined ? text : "needle of two names\n", as) : link("a.md")
}

const drawingFrom = (dice: Dice, depth = 0): Drawing =>
  Object.fromEntries([
    ...(depth > 2
      ? []
      : dice.times(0, 2, () => {
          const below = drawingFrom(dice, depth + 1)
          return [dice.pick(folderNames), dir(below, dice.chance(75) ? {} : dice.pick(turns.slice(0, 5)))] as const
        })),
    ...dice.times(1, 6, () => [dice.pick(dice.chance(60) ? fileNames : twins), fileFrom(dice)] as const)
  ])

const patterns = [
  "**",
  "**/*.md",
  "d/**",
  "my notes/**",
  "**/cafe\u0301.md",
  "**/caf\u00c9*",
  "**/private/**",
  "**/strasse*"
]

const rootAs: ReadonlyArray<As> = [
  {},
  {},
  {},
  {},
  { mode: 0o775, group: team },
  { mode: 0o2770, group: team },
  { mode: 0o777 },
  { owner: 1234, group: team },
  { fails: { list: "io" } }
]

const rootFrom = (dice: Dice, name: string, index: number): RootCase => ({
  name,
  folder: `r${index}`,
  keys: {
    allow: [...(dice.chance(70) ? ["**"] : []), dice.pick(patterns)],
    deny: dice.times(0, 2, () => dice.pick(patterns.slice(2))),
    ...(dice.chance(60) ? { names: dice.pick(["unicode", "unicode", "portable"]) } : {}),
    ...(dice.chance(60)
      ? { trust: { ...(dice.chance(60) ? { groups: [team] } : {}), ...(dice.chance(70) ? { hard_links: true } : {}) } }
      : {})
  },
  notes: drawingFrom(dice),
  as: dice.pick(rootAs)
})

export const versionTwoFrom = (dice: Dice): VersionTwo => {
  const names = dice.pick([[""], ["team"], ["team", "own"], ["own", "team", "zed"]])
  return {
    roots: names.map((name, index) => rootFrom(dice, name, index)),
    ranking: dice.pick(["relevance", "path"]),
    limits: {
      max_depth: dice.pick([8, 8, 1, 2, 3]),
      max_entries: dice.pick([2_000, 2_000, 2_000, 1, 4])
    },
    ceilings: {
      rawEntries: dice.pick([50_000, 50_000, 50_000, 12]),
      bytes: dice.pick([16_777_216, 16_777_216, 40])
    }
  }
}

export const policyOf = ({ limits, ranking, roots }: VersionTwo): string => {
  const placed = roots.map(({ folder, keys, name }) => [name, { root: `/${folder}`, ...keys }] as const)
  const [first] = placed
  const where = first?.[0] === "" ? first[1] : { roots: Object.fromEntries(placed) }
  return JSON.stringify({ version: 2, ranking, limits, ...where })
}

export const treeOf = (given: VersionTwo): MemoryTree =>
  memoryTree({
    h: { "plugin-data": { "memory-bridge": { "policy.json": file(policyOf(given), { mode: 0o600 }) } } },
    ...Object.fromEntries(given.roots.map(({ as, folder, notes }) => [folder, dir(notes, as)]))
  })

export const prefixOf = ({ name }: RootCase): string => (name === "" ? "" : `${name}:`)
