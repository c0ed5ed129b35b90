/** Seed 000 "Filesystem safety": what is opened is judged on its own descriptor, whatever opening let through. */
import { assert, describe, it } from "@effect/vitest"
import { Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type As, dir, type Drawing, fifo, file, type MemoryTree } from "./given/Trees.ts"
import { drawn, found, ids, inWorld, nested, outcome, read, search, world, worldOver } from "./given/World.ts"

const hit = "needle"

/** A world whose system does some operations in its own way. */
const onSystem = (tree: MemoryTree, own: (inner: Walk) => Partial<Walk>) =>
  worldOver(
    tree,
    Layer.effect(
      Tree,
      Effect.map(Tree, ({ walk }) => ({ walk: Effect.map(walk, (inner): Walk => ({ ...inner, ...own(inner) })) }))
    ).pipe(Layer.provide(tree.layer))
  )

/** Opens cross every mount, as where there is no RESOLVE_NO_XDEV. */
const across = (tree: MemoryTree) =>
  onSystem(tree, (inner) => ({
    directory: (parent, name) => inner.directory(parent, name, "across"),
    file: (parent, name) => inner.file(parent, name, "across")
  }))

describe("everything below the root is on its device and mount", () => {
  const mounts = [
    ["another device", { device: 9n, mount: 1n }],
    ["another mount of the same device", { mount: 9n }],
    ["a mount that cannot be told", { mount: "unknown" }]
  ] as const
  const home = { device: 1n, mount: 1n }

  it.effect.each(mounts)("a note on %s is not read", ([, as]) =>
    Effect.gen(function* () {
      const tree = drawn({ "a.md": file(hit, as), "ok.md": hit })
      assert.strictEqual(yield* found(across(tree)), "ok.md")
      assert.strictEqual(ids(yield* inWorld(across(tree), read("a.md"))), "not_found_or_denied")
      assert.notInclude(tree.log.join("\n"), "read /v/a.md")
    })
  )

  it.effect.each(mounts)("a directory on %s is not listed, even if a note in it were back on the root's", ([, as]) =>
    Effect.gen(function* () {
      const tree = drawn({ d: dir({ "b.md": file(hit, home), e: dir({ "c.md": hit }, home) }, as), "ok.md": hit })
      assert.strictEqual(yield* found(across(tree)), "ok.md")
      const answers = yield* inWorld(across(tree), Effect.forEach(["d/b.md", "d/e/c.md"], read))
      assert.deepStrictEqual(answers.map(ids), ["not_found_or_denied", "not_found_or_denied"])
      assert.notInclude(tree.log.join("\n"), "list /v/d")
    })
  )

  it.effect.each(mounts)("a directory on %s raises no flag below the depth limit", ([, as]) =>
    Effect.gen(function* () {
      const tree = drawn({ d: dir(nested(2, { "b.md": file(hit, home) }), as) }, { limits: { max_depth: 1 } })
      assert.strictEqual(yield* found(across(tree)), "")
    })
  )

  it.effect("a root that is a mount of its own holds what is on that mount", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(world(dir({ "a.md": hit, d: { "b.md": hit } }, { device: 9n }))), "a.md d/b.md")
      assert.strictEqual(yield* found(world(dir({ "a.md": hit }, { mount: "unknown" }))), "a.md")
    })
  )
})

/** Remembers which handles were read, of any kind. */
const watched = (tree: MemoryTree, reads: Array<number>) =>
  onSystem(tree, (inner) => ({
    read: (handle, expected) => {
      if (tree.log.at(-1)?.includes("/v/") ?? false) reads.push(handle)
      return inner.read(handle, expected)
    }
  }))

describe("only a regular file is read", () => {
  it.effect("neither a FIFO nor a directory, asked for by id or swapped in after the listing", () =>
    Effect.gen(function* () {
      for (const thing of [fifo(), dir({}), fifo({ size: 6 })]) {
        const reads: Array<number> = []
        const asked = drawn({ "a.md": thing })
        assert.strictEqual(ids(yield* inWorld(watched(asked, reads), read("a.md"))), "not_found_or_denied")
        const swapped = drawn({ d: { "a.md": hit } })
        swapped.edit("/v/d", { after: { list: () => swapped.put("/v/d/a.md", thing) } })
        assert.strictEqual(yield* found(watched(swapped, reads)), "")
        assert.deepStrictEqual(reads, [])
      }
    })
  )

  it.effect("and a regular file is", () =>
    Effect.gen(function* () {
      const reads: Array<number> = []
      yield* inWorld(watched(drawn({ "a.md": hit }), reads), Effect.all([search(hit), read("a.md")]))
      assert.lengthOf(reads, 2)
    })
  )
})

/** Opens whatever bears the name as if it were a directory. */
const careless = (tree: MemoryTree) =>
  onSystem(tree, (inner) => ({
    directory: (parent, name, rule) => inner.file(parent, name, rule) as ReturnType<Walk["directory"]>
  }))

describe("only a directory is walked into", () => {
  it.effect("neither on the way to the root nor below it", () =>
    Effect.gen(function* () {
      assert.strictEqual(ids(yield* inWorld(careless(drawn(file("text"))), search(hit))), "unavailable")
      const tree = drawn({ d: { "a.md": hit } })
      tree.edit("/v", { after: { list: () => tree.put("/v/d", file("text")) } })
      assert.strictEqual(yield* found(careless(tree)), "")
      assert.notInclude(tree.log.join("\n"), "list /v/d")
      assert.strictEqual(yield* outcome({ d: { "a.md": hit } }), "d/a.md")
    })
  )
})

describe("descriptors are given back as soon as they are done with", () => {
  it.effect(
    "however many notes and directories there are, refused ones included, no more are open than it is deep",
    () =>
      Effect.gen(function* () {
        let most = 0
        const look: As = { after: { facts: () => (most = Math.max(most, tree.held())) } }
        const level = (below: Drawing): Drawing => ({
          ...below,
          ...Object.fromEntries(
            Array.from({ length: 20 }, (_, i) => [
              [`n${i}.md`, file(hit, look)],
              [`r${i}.md`, file(hit, { ...look, links: 2 })],
              [`d${i}`, dir({}, look)],
              [`u${i}`, dir({}, { ...look, mode: 0o777 })]
            ]).flat()
          )
        })
        const tree: MemoryTree = drawn(level({ d: dir(level({ e: level({}) }), look) }), { limits: { max_depth: 3 } })
        yield* found(worldOver(tree), "absent")
        // The root, `d`, `e` and what is looked at.
        assert.isAtMost(most, 4)
        most = 0
        yield* inWorld(worldOver(tree), Effect.forEach(["d/e/n1.md", "d/e/r1.md", "u1/n1.md"], read))
        // A read holds the root, what it looks at and its parent.
        assert.strictEqual(most, 3)
      })
  )
})
