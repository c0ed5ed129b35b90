/**
 * `explain` and the surveys of `init`, `policy check` and `doctor` say what the engine does, for arbitrary trees and
 * policies. (issue 7: "tools, MCP tools, MCP resources, CLI and explain agree on every file")
 */
import { assert, describe, it } from "@effect/vitest"
import { ScanCeilings } from "@memory-bridge/core/budget/ScanBudget"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import { Notes } from "@memory-bridge/core/notes/Notes"
import * as AccessRules from "@memory-bridge/core/policy/AccessRules"
import { decode, defects, type Policy } from "@memory-bridge/core/policy/Policy"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { rootsOf } from "@memory-bridge/core/policy/Roots"
import { Tree } from "@memory-bridge/core/tree/Tree"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { explain, type Explained, targetOf } from "memory-bridge/operator/Explain"
import { survey } from "memory-bridge/operator/doctor/Survey"
import { type Seen, watchedNotes } from "memory-bridge/operator/Steps"
import { chmodSync, chownSync, linkSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { asThing, type Drawing, kindOf } from "../contract/Drawing.ts"
import type { MemoryTree } from "../contract/MemoryTree.ts"
import { decided } from "../property/Generators.ts"
import { type Case, caseFrom, reading, searching, treeOf } from "../property/Worlds.ts"
import { isLinux, isRoot } from "../support/Capabilities.ts"
import { makeWorld } from "../support/World.ts"

const policyPath = "/h/plugin-data/memory-bridge/policy.json"

const filesOf = (drawing: Drawing, path = ""): ReadonlyArray<string> =>
  Object.entries(drawing).flatMap(([name, drawn]) => {
    const thing = asThing(drawn)
    const here = path === "" ? name : `${path}/${name}`
    return kindOf(thing) === "directory" ? [here].concat(filesOf(thing.below, here)) : [here]
  })

const idsOf = ({ notes }: Case): ReadonlyArray<string> => [
  ...new Set([...filesOf(notes), "missing.md", "private/x.md", "d//a.md", "d\\a.md"])
]

const explainAll = ({ ceilings }: Case, tree: MemoryTree, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (argument) => explain({ argument, policyPath, resolve: (path) => path })).pipe(
    Effect.provide(Layer.mergeAll(Notes.layer, PolicyStore.layer).pipe(Layer.provideMerge(tree.layer))),
    Effect.provideService(ScanCeilings, ceilings)
  )

const policyOf = ({ allow, deny, limits }: Case): Policy =>
  Result.getOrThrow(decode(JSON.stringify({ version: 1, root: "/v", allow, deny, limits })))

/** Of the engine's search for the case's words: the notes that it read. */
const readBySearch = (given: Case, tree: MemoryTree) =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const system = yield* Tree
    const asked = yield* Effect.result(
      Notes.use((notes) => notes.search(policyOf(given), { query: given.query, limit: given.limit })).pipe(
        Effect.provide(watchedNotes(system, seen))
      )
    )
    const read = seen.filter(
      ({ reading }) => reading !== undefined && "text" in reading && !reading.text.includes("\0")
    )
    return { failed: Result.isFailure(asked), read: read.map(({ path }) => path.slice("/v/".length)) }
  }).pipe(Effect.provide(tree.layer), Effect.provideService(ScanCeilings, given.ceilings))

const cases = decided(caseFrom)

const decidesOnce = ({ served, steps }: Explained, id: string) => {
  const deciding = steps.filter(({ decides }) => decides)
  assert.strictEqual(deciding.length, served ? 0 : 1, id)
  if (!served) assert.notStrictEqual(deciding[0]!.rule, "", id)
}

describe("for every tree and policy", () => {
  it.effect.prop(
    "explain says of every file what read does with it, and one step decides",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const ids = idsOf(given)
        const explained = yield* explainAll(given, treeOf(given), ids)
        const reads: ReadonlyArray<PublicAnswer> = yield* reading(given, ids)
        for (const [index, each] of explained.entries()) {
          const id = ids[index]!
          decidesOnce(each, id)
          if (each.kind === "directory") assert.isFalse(reads[index]!.ok, id)
          else assert.strictEqual(each.served, reads[index]!.ok, id)
        }
      }),
    { arbitrary: { runs: 150, seed: 7_001, size: 60 } }
  )

  it.effect.prop(
    "explain and the survey say of every file whether a search comes to it",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const ids = filesOf(given.notes)
        const { failed, read } = yield* readBySearch(given, treeOf(given))
        for (const { id, kind, search } of yield* explainAll(given, treeOf(given), ids)) {
          if (kind === "directory" || search === "never") assert.notInclude(read, id)
          else if (failed) assert.strictEqual(search, "refused", id)
          else assert.strictEqual(search === "reached", read.includes(id), id)
        }
        const found = yield* survey(policyOf(given)).pipe(
          Effect.provide(treeOf(given).layer),
          Effect.provideService(ScanCeilings, given.ceilings)
        )
        assert.strictEqual(found.stopped !== undefined, failed)
        if (!failed) assert.deepStrictEqual<ReadonlyArray<string>>(found.served, read)
      }),
    { arbitrary: { runs: 150, seed: 7_002, size: 60 } }
  )

  it.effect.prop(
    "a search's results are surveyed as served, and opens nothing that is denied",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const tree = treeOf(given)
        const found = yield* survey(policyOf(given)).pipe(
          Effect.provide(tree.layer),
          Effect.provideService(ScanCeilings, given.ceilings)
        )
        const answer = yield* searching(given)
        if (answer.ok && "results" in answer) {
          for (const { id } of answer.results) assert.isTrue(found.served.includes(id), id)
        }
        const { rules } = policyOf(given)
        for (const line of tree.log.filter((line) => line.startsWith("read /v/"))) {
          assert.isTrue(rules.permits(line.slice("read /v/".length)), line)
        }
        assert.strictEqual(tree.held(), 0)
      }),
    { arbitrary: { runs: 100, seed: 7_003, size: 60 } }
  )

  it.effect.prop(
    "the patterns that are told are those that decide",
    [cases],
    ([given]) =>
      Effect.sync(() => {
        const rules = AccessRules.make(given.allow, given.deny)
        for (const id of filesOf(given.notes)) {
          const { allowed, denied } = rules.matching(id)
          const expected =
            denied[0] === undefined
              ? allowed[0] === undefined
                ? { verdict: "no_allow" }
                : { verdict: "allowed", pattern: allowed[0] }
              : { verdict: "denied", pattern: denied[0] }
          assert.deepStrictEqual<unknown>(rules.decide(id), expected)
          if (rules.closedBy(id) !== undefined) assert.isFalse(rules.mayEnter(id))
        }
      }),
    { arbitrary: { runs: 100, seed: 7_004, size: 40 } }
  )
})

describe("a target", () => {
  it.each([
    ["a.md", "a.md"],
    ["d/", "d"],
    ["/v/d/a.md", "d/a.md"],
    ["/v", ""],
    ["./d/a.md", "d/a.md"],
    ["..", "outside"],
    ["/v-evil/a.md", "outside"],
    ["/etc/passwd", "outside"]
  ])("%s is %s", (argument, expected) => {
    const roots = rootsOf(Result.getOrThrow(decode('{"version": 1, "root": "/v", "allow": []}')))
    const target = targetOf(argument, roots, (path) => resolve("/v", path))
    assert.strictEqual(typeof target === "string" ? target : target.path, expected)
  })
})

describe("everything that is wrong with a policy", () => {
  it("is named, and only where it is refused", () => {
    assert.deepStrictEqual(defects('{"version": 1, "root": "/v", "allow": []}'), [])
    const keys = defects('{"version": 3, "root": "v", "allow": ["a?"], "more": 1}').map(({ key }) => key)
    assert.includeMembers([...keys], ["version", "root", "allow[0]", "more"])
    assert.strictEqual(defects("{").length, 1)
    assert.strictEqual(defects('{"version": 1, "version": 1, "root": "/v", "allow": []}')[0]!.rule, "duplicate_key")
    assert.strictEqual(
      defects('{"version": 1, "root": "/v", "allow": [], "limits": {"default_results": 5, "max_results": 1}}').length,
      1
    )
  })
})

const real = isLinux && isRoot

describe.skipIf(!real)(`on a real file system${real ? "" : " (skipped: needs root on Linux)"}`, () => {
  it.effect("explain names the component, the rule and the step that refuse", () =>
    Effect.gen(function* () {
      const world = yield* Effect.acquireRelease(
        Effect.sync(() => makeWorld()),
        ({ dispose }) => Effect.sync(dispose)
      )
      world.policy({ allow: ["**/*.md"], deny: ["secret/**"] })
      for (const name of ["ok.md", "open/a.md", "foreign.md", "shared.md", "secret/x.md", "two.md"]) {
        world.write(join(world.root, name), "garden\n")
      }
      world.write(join(world.root, "bytes.md"), new Uint8Array([110, 255]))
      chmodSync(join(world.root, "open"), 0o777)
      chmodSync(join(world.root, "shared.md"), 0o664)
      chownSync(join(world.root, "foreign.md"), 1234, 1234)
      linkSync(join(world.root, "two.md"), join(world.root, "three.md"))
      symlinkSync("ok.md", join(world.root, "link.md"))
      const expected = {
        "ok.md": undefined,
        "open/a.md": ["directory", "world_writable"],
        "shared.md": ["trust", "group_writable"],
        "foreign.md": ["trust", "foreign_owner"],
        "three.md": ["links", "hard_link"],
        "link.md": ["kind", "link"],
        "bytes.md": ["content", "not_utf8"],
        "secret/x.md": ["patterns", "denied"],
        "none.md": ["kind", "missing"]
      }
      for (const [id, step] of Object.entries(expected)) {
        const explained = yield* explain({ argument: join(world.root, id), policyPath: world.policyFile, resolve })
        const deciding = explained.steps.find(({ decides }) => decides)
        assert.deepStrictEqual(deciding === undefined ? undefined : [deciding.check, deciding.rule], step, id)
        assert.strictEqual(explained.served, world.read(id).ok, id)
        assert.isTrue(
          explained.steps.some(({ check }) => check === "policy_file"),
          "the way to the policy is told"
        )
      }
    }).pipe(Effect.provide(Layer.mergeAll(Notes.layer, PolicyStore.layer).pipe(Layer.provideMerge(LinuxTree.layer))))
  )
})
