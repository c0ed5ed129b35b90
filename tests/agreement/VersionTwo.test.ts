/**
 * `explain` and the survey say what the engine does under policies of version 2 as well: several roots, names of every
 * script, accepted groups, linked notes. (issue 8; design.md section 7)
 */
import { assert, describe, it } from "@effect/vitest"
import { ScanCeilings } from "@memory-bridge/core/budget/ScanBudget"
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { isRefused, openRoot } from "@memory-bridge/core/notes/TrustedEntry"
import { decode } from "@memory-bridge/core/policy/Policy"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { rootsOf } from "@memory-bridge/core/policy/Roots"
import type { DocumentId } from "@memory-bridge/core/tree/DocumentId"
import { Tree } from "@memory-bridge/core/tree/Tree"
import { Catalogue } from "@memory-bridge/mcp-server/Catalogue"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import { explain, targetOf } from "memory-bridge/operator/Explain"
import { survey } from "memory-bridge/operator/doctor/Survey"
import { type Seen, watchedNotes } from "memory-bridge/operator/Steps"
import { resolve } from "node:path"
import { asThing, type Drawing, file, kindOf } from "../contract/Drawing.ts"
import type { MemoryTree } from "../contract/MemoryTree.ts"
import { decided } from "../property/Generators.ts"
import { signals } from "../property/Worlds.ts"
import { policyOf, prefixOf, treeOf, type VersionTwo, versionTwoFrom } from "./Roots.ts"

const policyPath = "/h/plugin-data/memory-bridge/policy.json"

const pathsIn = (drawing: Drawing, path = ""): ReadonlyArray<string> =>
  Object.entries(drawing).flatMap(([name, drawn]) => {
    const thing = asThing(drawn)
    const here = path === "" ? name : `${path}/${name}`
    return kindOf(thing) === "directory" ? [here].concat(pathsIn(thing.below, here)) : [here]
  })

const idsOf = ({ roots }: VersionTwo): ReadonlyArray<string> => [
  ...roots.flatMap((root) => pathsIn(root.notes).map((path) => prefixOf(root) + path)),
  "a.md",
  "none:a.md",
  "team:",
  "team:/a.md",
  "own:team:a.md",
  "team:missing.md",
  "team:../r1/a.md"
]

/** Everything of the product over one tree; long after the notes were written, so that texts are remembered. */
const over = <A, E>(
  given: VersionTwo,
  tree: MemoryTree,
  program: Effect.Effect<A, E, Tree | Notes | PolicyStore | Bridge | Catalogue>
) =>
  Effect.andThen(TestClock.adjust("30000 days"), program).pipe(
    Effect.provide(
      Layer.mergeAll(
        Notes.layer,
        PolicyStore.layer,
        Bridge.layer,
        Catalogue.layerNoDeps.pipe(Layer.provide(PolicyStore.layer))
      ).pipe(Layer.provideMerge(tree.layer), Layer.provideMerge(Logger.layer([])))
    ),
    Effect.provideService(ScanCeilings, given.ceilings)
  )

const explained = (id: string) => explain({ argument: id, policyPath, resolve: (path) => path })
/** All notes that are listed as resources, page by page. */
const listed = Catalogue.use(
  Effect.fnUntraced(function* ({ list }) {
    const notes: Array<DocumentId> = []
    for (;;) {
      const page = yield* list(signals, notes.at(-1))
      if (!page.ok) return page
      notes.push(...page.notes.map(({ id }) => id))
      if (!page.more) return { ok: true as const, notes }
    }
  })
)

const readable = (id: string) =>
  Effect.map(
    Bridge.use(({ read }) => read(signals, { id })),
    ({ ok }) => ok
  )

/** What the engine's search of any word opens and can read, in its order; nothing where it has no answer. */
const comesTo = (given: VersionTwo, query: string) =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const tree = yield* Tree
    const asked = yield* Effect.result(
      Notes.use((notes) => notes.search(policyIn(given), { query, limit: 10 })).pipe(
        Effect.provide(watchedNotes(tree, seen))
      )
    )
    if (Result.isFailure(asked)) return undefined
    const paths = new Set(seen.filter(({ wanted }) => wanted === "file").map(({ path }) => path))
    const ids = Array.from(paths, (path) => {
      const root = given.roots.find(({ folder }) => path.startsWith(`/${folder}/`))!
      return prefixOf(root) + path.slice(root.folder.length + 2)
    })
    const found = new Set(yield* Effect.filter(ids, readable))
    for (const { id } of asked.success.results) assert.isTrue(found.has(id), id)
    return [...found]
  })

const policyIn = (given: VersionTwo) => Result.getOrThrow(decode(policyOf(given)))

const cases = decided(versionTwoFrom)
const settings = (seed: number, runs = 150) => ({ arbitrary: { runs, seed, size: 60 } })

/** How often a property met what it is about; one that never does says nothing. */
const met = {
  served: 0,
  left: 0,
  directories: 0,
  refused: 0,
  listed: 0,
  linked: 0,
  twins: 0,
  not_composed: 0,
  no_setgid: 0
}

describe("for every tree and policy of version 2", () => {
  it.effect.prop(
    "explain says of every id what read does with it, and one step decides",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const ids = idsOf(given)
        const tree = treeOf(given)
        const [said, reads] = yield* over(
          given,
          tree,
          Effect.all([
            Effect.forEach(ids, explained),
            Effect.forEach(ids, (id) => Bridge.use(({ read }) => read(signals, { id })))
          ])
        )
        for (const [index, { kind, served, steps }] of said.entries()) {
          const id = ids[index]!
          const deciding = steps.filter(({ decides }) => decides)
          assert.strictEqual(deciding.length, served ? 0 : 1, id)
          assert.isTrue(served || deciding[0]!.rule !== "", id)
          if (kind === "directory") assert.isFalse(reads[index]!.ok, id)
          else assert.strictEqual(served, reads[index]!.ok, id)
          if (served) met.served++
        }
        assert.strictEqual(tree.held(), 0)
      }),
    settings(8_001)
  )

  it.effect.prop(
    "the survey and explain say what a search over everything comes to",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const tree = treeOf(given)
        const policy = policyIn(given)
        const found = yield* over(given, tree, survey(policy))
        const refused = yield* over(
          given,
          tree,
          Effect.scoped(
            Effect.map(Tree, ({ walk }) => walk).pipe(
              Effect.flatten,
              Effect.map((walk) => rootsOf(policy).some((root) => isRefused(openRoot(walk, root))))
            )
          )
        )
        const all = yield* over(given, tree, comesTo(given, "needle"))
        assert.strictEqual(refused || found.stopped !== undefined, all === undefined)
        if (all === undefined) met.refused++
        else assert.deepStrictEqual<ReadonlyArray<string>>(found.served, all)
        const reached = new Set(all)
        for (const id of idsOf(given)) {
          const { kind, search, served } = yield* over(given, tree, explained(id))
          if (kind === "directory" || !served) {
            assert.isFalse(reached.has(id), id)
            continue
          }
          assert.strictEqual(search, all === undefined ? "refused" : reached.has(id) ? "reached" : "left_out", id)
          if (search === "left_out") met.left++
        }
        for (const { count, notice } of found.noticed) met[notice] += count
        // What is not reached by a search for want of room is served by its id all the same.
        assert.isTrue((yield* over(given, tree, Effect.forEach(found.served, readable))).every((ok) => ok))
      }),
    settings(8_002, 250)
  )

  it.effect.prop(
    "what is surveyed as served is what an MCP client is listed, where no bytes are wanting",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const wide = { ...given, ceilings: { ...given.ceilings, bytes: 16_777_216 } }
        const tree = treeOf(wide)
        const all = yield* over(wide, tree, listed)
        if (all.ok) assert.deepStrictEqual((yield* over(wide, tree, survey(policyIn(given)))).served, all.notes)
      }),
    settings(8_004)
  )

  it.effect.prop(
    "a directory is said to be entered exactly where a search that goes to its end looks into it",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const wide = { ...given, ceilings: { rawEntries: 50_000, bytes: 16_777_216 } }
        const tree = treeOf(wide)
        const all = yield* over(wide, tree, listed)
        if (!all.ok || given.limits.max_entries !== 2_000) return
        const looked = new Set(tree.log.filter((line) => line.startsWith("list ")).map((line) => line.slice(5)))
        for (const root of given.roots) {
          for (const path of pathsIn(root.notes)) {
            const { kind, served } = yield* over(wide, tree, explained(prefixOf(root) + path))
            if (kind !== "directory") continue
            met.directories++
            const within = path.split("/").length < (given.limits.max_depth ?? 8)
            assert.strictEqual(served, within && looked.has(`/${root.folder}/${path}`), path)
          }
        }
        met.listed++
      }),
    settings(8_003)
  )

  it.effect.each(["relevance", "path"] as const)(
    "a linked note is reached under each of its names, though its text is read once, by %s",
    (ranking) =>
      Effect.gen(function* () {
        const twice = file("needle", { links: 2, inode: 1_000_077n })
        const given: VersionTwo = {
          roots: [
            {
              name: "",
              folder: "r0",
              keys: { allow: ["**"], trust: { hard_links: true } },
              notes: { "a.md": twice, "b.md": twice },
              as: {}
            }
          ],
          ranking,
          limits: {},
          ceilings: { rawEntries: 50_000, bytes: 16_777_216 }
        }
        for (const id of ["a.md", "b.md"]) {
          const { search, steps } = yield* over(given, treeOf(given), explained(id))
          assert.strictEqual(search, "reached", id)
          assert.isTrue(steps.some(({ check, detail }) => check === "links" && detail.startsWith("2 of any number")))
        }
      })
  )

  it("met each of what it speaks of", () => {
    for (const [what, count] of Object.entries(met)) assert.isAbove(count, 5, what)
  })
})

describe("a target among several roots", () => {
  const roots = rootsOf(
    Result.getOrThrow(
      decode('{"version": 2, "roots": {"a": {"root": "/v", "allow": []}, "b": {"root": "/w/x", "allow": []}}}')
    )
  )

  it.each([
    ["a:n.md", "a:", "n.md"],
    ["b:d/", "b:", "d"],
    ["a:", "a:", ""],
    ["/w/x/n.md", "b:", "n.md"],
    ["/v", "a:", ""],
    ["./n.md", "a:", "n.md"]
  ])("%s is in %s %s", (argument, prefix, path) => {
    const target = targetOf(argument, roots, (given) => resolve("/v", given))
    assert.deepStrictEqual(typeof target === "string" ? target : [target.root.prefix, target.path], [prefix, path])
  })

  it.each([
    ["n.md", "no_root"],
    ["c:n.md", "no_root"],
    ["/w/n.md", "outside"],
    ["/w/xy/n.md", "outside"]
  ])("%s is %s", (argument, expected) => {
    assert.deepStrictEqual<unknown>(
      targetOf(argument, roots, (given) => resolve("/v", given)),
      expected
    )
  })
})
