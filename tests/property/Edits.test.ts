/**
 * Whatever is done to notes, folders and policy, an engine that remembers answers as one that has just begun. Over a tree
 * in memory, where every time stamp is told; `tests/real/Edits.test.ts` does the same on a disk. (design.md section 8,
 * case 65; issue 8 "Tests that must exist")
 */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dir, file, type MemoryTree, memoryTree } from "../contract/MemoryTree.ts"
import { assertTried, begin, type Disk, editsFrom, follow, type Tally } from "./Edits.ts"
import { decided } from "./Generators.ts"
import { signals } from "./Worlds.ts"

const policyPath = "/h/plugin-data/memory-bridge/policy.json"

const treeOf = (): MemoryTree => memoryTree({ h: { "plugin-data": { "memory-bridge": { "policy.json": "" } } }, v: {} })

const diskOf = (tree: MemoryTree): Disk => {
  const at = (path: string) => `/v/${path}`
  return {
    write: (path, text) => {
      if (tree.has(at(path))) tree.edit(at(path), { content: text })
      else tree.put(at(path), text)
    },
    quietly: (path, text) => tree.edit(at(path), { content: text, modified: tree.modified(at(path)) }),
    replace: (path, text) => tree.put(at(path), file(text, { modified: tree.modified(at(path)) })),
    chmod: (path, mode) => tree.edit(at(path), { mode }),
    secondName: (path) => tree.edit(at(path), { links: 2 }),
    makeFolder: (path) => tree.put(at(path), dir({})),
    remove: (path) => tree.remove(at(path)),
    move: (from, to) => tree.move(at(from), at(to)),
    policy: (text) => tree.edit(policyPath, { content: text })
  }
}

/** Later than all that is drawn, so that whatever may be kept is kept. */
const later = () => Date.UTC(2024, 0)

const tally: Tally = { results: 0, changed: new Map() }

describe("an engine that remembers", () => {
  it.effect.prop(
    "answers after every edit as one that has just begun",
    [decided(editsFrom)],
    ([edits]) =>
      Effect.sync(() => {
        const tree = treeOf()
        const engine = () => begin(tree.layer, signals, later)
        const policy = (keys: object) => JSON.stringify({ root: "/v", ...keys })
        follow(edits, diskOf(tree), policy, { kept: engine(), fresh: (question) => engine()(question) }, tally)
      }),
    { arbitrary: { runs: 80, seed: 65, size: 60 } }
  )

  it("and every kind of edit changed answers", () => assertTried(tally))
})
