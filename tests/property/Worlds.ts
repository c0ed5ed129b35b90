/** Arbitrary trees of notes with policies over them, and the bridge to ask. */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { ScanCeilings } from "@memory-bridge/core/budget/ScanBudget"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import type { Limits } from "@memory-bridge/core/policy/Limits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { type As, dir, type Drawing, type Drawn, fifo, file, link } from "../contract/Drawing.ts"
import { type MemoryTree, memoryTree } from "../contract/MemoryTree.ts"
import { versionBeside } from "../support/PolicyVersion.ts"
import type { Dice } from "./Generators.ts"

export interface Case {
  readonly notes: Drawing
  readonly allow: ReadonlyArray<string>
  readonly deny: ReadonlyArray<string>
  readonly limits: Partial<Limits>
  readonly ceilings: ScanCeilings
  readonly query: string
  readonly limit: number
}

/** A word that only notes hold which the policy may deny; no answer about others may contain it. */
export const words = ["needle", "hay", "garden", "blue", "İ", "caf\u00e9"]
const fileNames = ["a.md", "b.md", "c.md", "A.md", "secret.md", "x.txt", ".h.md", "a b.md", "a.MD", "n.md"]
const folderNames = ["d", "e", "private", "Private", ".git", "a.md"]

const faults: ReadonlyArray<As> = [
  { mode: 0o666 },
  { owner: 1234 },
  { links: 2 },
  { mount: 9n },
  { size: 3 },
  { acl: { kind: "refused", reason: "acl_foreign" } },
  { fails: { open: "not_permitted" } },
  { fails: { read: "io", readAfter: 5 } }
]

const textFrom = ({ pick, times }: Dice): string => {
  const heading = pick(["", "# Title of it\n", "## garden\n\n"])
  return heading + times(0, 12, () => pick(words)).join(pick([" ", "\n", ", "]))
}

const fileFrom = (dice: Dice): Drawn =>
  dice.chance(85)
    ? textFrom(dice)
    : dice.pick<Drawn>([
        file(textFrom(dice), dice.pick(faults)),
        `${textFrom(dice)}\0`,
        file(new Uint8Array([110, 255])),
        link("/h/plugin-data"),
        fifo()
      ])

export const drawingFrom = (dice: Dice, depth = 0): Drawing => {
  const files = dice.times(1, 6, () => [dice.pick(fileNames), fileFrom(dice)] as const)
  const folders =
    depth > 3
      ? []
      : dice.times(
          0,
          2,
          () =>
            [
              dice.pick(folderNames),
              dir(drawingFrom(dice, depth + 1), dice.chance(90) ? {} : dice.pick(faults))
            ] as const
        )
  return Object.fromEntries([...folders, ...files])
}

const patterns = [
  "**",
  "**/*.md",
  "*.md",
  "d/**",
  "**/a.md",
  "**/private/**",
  "e/*",
  "**/secret*",
  "d/e/**",
  "n.md",
  "**/n.md"
]

export const caseFrom = (dice: Dice): Case => ({
  notes: drawingFrom(dice),
  allow: [...(dice.chance(60) ? ["**/*.md"] : []), ...dice.times(1, 2, () => dice.pick(patterns))],
  deny: dice.times(0, 2, () => dice.pick(patterns.slice(4))),
  limits: {
    max_depth: dice.pick([8, 8, 1, 2, 3]),
    max_entries: dice.pick([2_000, 2_000, 2_000, 1, 3, 6]),
    max_file_bytes: dice.pick([262_144, 262_144, 262_144, 40]),
    ...dice.pick([
      {},
      { max_results: 3, default_results: 1 },
      { total_chars: 60, snippet_chars: 20 },
      { snippet_chars: 9 }
    ])
  },
  ceilings: {
    rawEntries: dice.pick([50_000, 50_000, 50_000, 8]),
    bytes: dice.pick([16_777_216, 16_777_216, 16_777_216, 1, 50, 200])
  },
  query: dice.times(1, 2, () => dice.pick(words)).join(" "),
  limit: 1 + dice.below(10)
})

/** `version`: other keys of the policy than those of the version that the suite runs in. */
export const treeOf = ({ allow, deny, limits, notes }: Case, version: object = versionBeside()): MemoryTree =>
  memoryTree({
    h: {
      "plugin-data": {
        "memory-bridge": { "policy.json": JSON.stringify({ root: "/v", allow, deny, limits, ...version }) }
      }
    },
    v: notes
  })

const value = (of: unknown) => ({ state: "value", value: of })
/** An ordinary call of the profile `/h`. */
export const signals = {
  get_hermes_home: value("/h"),
  get_hermes_home_override: value(null),
  current_secret_scope_home: value(null),
  is_multiplex_active: value(false),
  is_delegated_child_process_context: value(false),
  cron_session: value(""),
  cron_execution: value(false),
  plugin_host_process: false
}

const silent = Logger.layer([])

/** Calls in one process over a tree, under the ceilings of the case. */
export const asking = <A>(given: Case, tree: MemoryTree, use: (bridge: typeof Bridge.Service) => Effect.Effect<A>) =>
  Effect.flatMap(Bridge, use).pipe(
    Effect.provide(Bridge.layer.pipe(Layer.provide(tree.layer), Layer.provideMerge(silent))),
    Effect.provideService(ScanCeilings, given.ceilings)
  )

export const searching = (given: Case, tree = treeOf(given)): Effect.Effect<PublicAnswer> =>
  asking(given, tree, ({ search }) => search(signals, { query: given.query, limit: given.limit }))

export const reading = (given: Case, ids: ReadonlyArray<string>, tree = treeOf(given)) =>
  asking(given, tree, ({ read }) => Effect.forEach(ids, (id) => read(signals, { id })))

export const resultsOf = (answer: PublicAnswer) => (answer.ok && "results" in answer ? answer.results : [])
