/** Seed 000 "Filesystem safety": paths are walked from `/`, every component held to the trust rule. */
import { assert, describe, it } from "@effect/vitest"
import type { AclReading } from "@memory-bridge/core/tree/Acl"
import { Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import { components, openTrustedDirectory } from "@memory-bridge/core/trust/TrustedPath"
import * as Effect from "effect/Effect"
import { type As, dir, type Drawing, fifo, file, link, type MemoryTree, memoryTree, socket } from "./given/Trees.ts"
import { stranger, user } from "./given/Facts.ts"

const walking = <A>(tree: MemoryTree, use: (walk: Walk) => A) =>
  Effect.gen(function* () {
    const { walk } = yield* Tree
    return use(yield* walk)
  }).pipe(Effect.scoped, Effect.provide(tree.layer))

/** The outcome of opening a path: "opened", or the component and its broken rule. */
const outcome = (tree: MemoryTree, path: string) =>
  walking(tree, (walk) => {
    const opened = openTrustedDirectory(walk, path)
    assert.strictEqual(tree.held(), typeof opened === "object" ? 0 : 1, "handles left open")
    return typeof opened === "object" ? `${opened.component}: ${opened.rule}` : "opened"
  })

const writer: AclReading = { kind: "entries", entries: [{ subject: { kind: "user", id: stranger }, write: true }] }

describe("only a canonical absolute path has components", () => {
  it.each<readonly [string, ReadonlyArray<string> | string]>([
    ["/", []],
    ["/a", ["a"]],
    ["/a/b.c/d e", ["a", "b.c", "d e"]],
    ["/...", ["..."]],
    ["", "not_absolute"],
    ["a", "not_absolute"],
    ["./a", "not_absolute"],
    ["~/a", "not_absolute"],
    ["//", "not_canonical"],
    ["/a/", "not_canonical"],
    ["/a//b", "not_canonical"],
    ["/.", "not_canonical"],
    ["/..", "not_canonical"],
    ["/a/./b", "not_canonical"],
    ["/a/../b", "not_canonical"],
    ["/a/..", "not_canonical"],
    ["/a\0", "not_canonical"],
    ["/a\0/b", "not_canonical"]
  ])("%j: %j", (path, expected) => {
    assert.deepStrictEqual(components(path), expected as never)
  })

  it.effect("no other string makes the walk open anything", () =>
    Effect.gen(function* () {
      for (const path of ["", "v", "/v/", "/v/../v", "/v/./w", "//v", "/v\0"]) {
        const tree = memoryTree({ v: { w: {} } })
        assert.match(yield* outcome(tree, path), /: not_(absolute|canonical)$/)
        assert.deepStrictEqual(tree.log, [])
      }
    })
  )
})

describe("the walk goes from / down, one name at a time", () => {
  it.effect("each component is opened in its parent and asked for its access control list", () =>
    Effect.gen(function* () {
      const tree = memoryTree({ a: { b: { c: {} } } })
      assert.strictEqual(yield* outcome(tree, "/a/b/c"), "opened")
      assert.deepStrictEqual(tree.log, [
        "acl /",
        "open /a",
        "acl /a",
        "open /a/b",
        "acl /a/b",
        "open /a/b/c",
        "acl /a/b/c"
      ])
    })
  )

  it.effect("/ itself can be opened, and is judged", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(memoryTree({}), "/"), "opened")
      assert.strictEqual(yield* outcome(memoryTree(dir({}, { mode: 0o777 })), "/"), "/: world_writable")
    })
  )

  it.effect("mounts may be crossed on the way", () =>
    Effect.gen(function* () {
      const tree = memoryTree({ a: dir({ b: dir({ c: {} }, { mount: 9n }) }, { device: 5n }) })
      assert.strictEqual(yield* outcome(tree, "/a/b/c"), "opened")
    })
  )

  it.effect("nothing beyond the first refused component is opened", () =>
    Effect.gen(function* () {
      const tree = memoryTree({ a: dir({ b: { c: {} } }, { mode: 0o777 }) })
      assert.strictEqual(yield* outcome(tree, "/a/b/c"), "/a: world_writable")
      assert.notInclude(tree.log.join("\n"), "/a/b")
    })
  )
})

/** `/a/b/c`, of which the directory at this depth is like that. */
const treeWith = (like: As, depth: number) => {
  const of = (here: number, below: Drawing) => (here === depth ? dir(below, like) : dir(below))
  return memoryTree(of(0, { a: of(1, { b: of(2, { c: of(3, {}) }) }) }))
}

describe("every component is held to the trust rule, first, middle and last", () => {
  const broken: ReadonlyArray<readonly [string, As, string]> = [
    ["a stranger's", { owner: stranger }, "foreign_owner"],
    ["writable by the group", { mode: 0o770 }, "group_writable"],
    ["writable by all", { mode: 0o707 }, "world_writable"],
    ["writable by all and sticky", { mode: 0o1777, owner: 0 }, "world_writable"],
    ["writable by an access control list", { acl: writer }, "acl_user_writes"],
    ["without a readable list", { acl: { kind: "refused", reason: "acl_unreadable" } }, "acl_unreadable"],
    ["on a file system without lists", { acl: { kind: "refused", reason: "acl_unsupported" } }, "acl_unsupported"],
    ["with a foreign list", { acl: { kind: "refused", reason: "acl_foreign" } }, "acl_foreign"],
    ["without facts", { fails: { facts: "io" } }, "io"],
    ["not to be opened", { fails: { open: "not_permitted" } }, "not_permitted"],
    ["opened when no descriptor is left", { fails: { open: "exhausted" } }, "exhausted"]
  ]

  it.effect.each(broken)("a directory %s", ([, like, rule]) =>
    Effect.gen(function* () {
      const reached = ["/", "/a", "/a/b", "/a/b/c"]
      for (const depth of [0, 1, 2, 3]) {
        const tree = treeWith(like, depth)
        // `/` is root's unless drawn otherwise.
        assert.strictEqual(yield* outcome(tree, "/a/b/c"), `${reached[depth]}: ${rule}`)
      }
    })
  )

  it.effect("what is no directory is refused for what it is", () =>
    Effect.gen(function* () {
      const things = {
        link: link("/a"),
        not_directory: file("text"),
        missing: undefined,
        fifo: fifo(),
        socket: socket()
      }
      for (const [rule, thing] of Object.entries(things)) {
        const expected = rule === "fifo" || rule === "socket" ? "not_directory" : rule
        const tree = () => memoryTree({ a: thing === undefined ? {} : { b: thing } })
        assert.strictEqual(yield* outcome(tree(), "/a/b"), `/a/b: ${expected}`)
        assert.strictEqual(yield* outcome(tree(), "/a/b/c"), `/a/b: ${expected}`)
      }
    })
  )

  it.effect("a name that no file system takes", () =>
    Effect.gen(function* () {
      assert.match(yield* outcome(memoryTree({}), `/${"a".repeat(256)}`), /: name_too_long$/)
      assert.match(yield* outcome(memoryTree({}), `/${"a/".repeat(5_000)}a`), /^\/a: missing$/)
    })
  )

  it.effect("directories of root and of the running user, readable by all, are trusted", () =>
    Effect.gen(function* () {
      const tree = memoryTree({ a: dir({ b: dir({}, { mode: 0o555, owner: user }) }, { owner: 0, mode: 0o755 }) })
      assert.strictEqual(yield* outcome(tree, "/a/b"), "opened")
    })
  )

  it.effect("root as the running user does not trust another user's directory", () =>
    Effect.gen(function* () {
      const tree = memoryTree({ a: dir({}, { owner: 1000 }) }, { user: 0 })
      assert.strictEqual(yield* outcome(tree, "/a"), "/a: foreign_owner")
    })
  )
})

describe("a system temporary directory may be on the way, and nothing else may", () => {
  const sticky = { owner: 0, mode: 0o1777 }

  it.effect("the user's own directory beneath it is fine", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(memoryTree({ tmp: dir({ mine: {} }, sticky) }), "/tmp/mine"), "opened")
      assert.strictEqual(
        yield* outcome(memoryTree({ var: { tmp: dir({ mine: {} }, sticky) } }), "/var/tmp/mine"),
        "opened"
      )
      const mac = memoryTree({ private: { tmp: dir({ x: { y: {} } }, sticky), var: { tmp: dir({ z: {} }, sticky) } } })
      assert.strictEqual(yield* outcome(mac, "/private/tmp/x/y"), "opened")
      assert.strictEqual(yield* outcome(mac, "/private/var/tmp/z"), "opened")
    })
  )

  it.effect("it is itself refused as the last component", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(memoryTree({ tmp: dir({}, sticky) }), "/tmp"), "/tmp: world_writable")
    })
  )

  it.effect("the next component's owner is checked in turn", () =>
    Effect.gen(function* () {
      const tree = memoryTree({ tmp: dir({ theirs: dir({}, { owner: stranger }) }, sticky) })
      assert.strictEqual(yield* outcome(tree, "/tmp/theirs"), "/tmp/theirs: foreign_owner")
    })
  )

  it.effect("a look-alike is refused: not sticky, not root's, one level deeper, elsewhere", () =>
    Effect.gen(function* () {
      const looks: ReadonlyArray<readonly [Drawing, string, string]> = [
        [{ tmp: dir({ a: {} }, { owner: 0, mode: 0o777 }) }, "/tmp/a", "/tmp: world_writable"],
        [{ tmp: dir({ a: {} }, { owner: user, mode: 0o1777 }) }, "/tmp/a", "/tmp: world_writable"],
        [{ tmp: dir({ a: {} }, { owner: stranger, mode: 0o1777 }) }, "/tmp/a", "/tmp: foreign_owner"],
        [{ tmp: dir({ x: dir({ a: {} }, sticky) }, sticky) }, "/tmp/x/a", "/tmp/x: world_writable"],
        [{ v: { tmp: dir({ a: {} }, sticky) } }, "/v/tmp/a", "/v/tmp: world_writable"],
        [{ dev: { shm: dir({ a: {} }, sticky) } }, "/dev/shm/a", "/dev/shm: world_writable"],
        [{ tmp: dir({ a: {} }, { ...sticky, acl: writer }) }, "/tmp/a", "/tmp: acl_user_writes"],
        [{ tmp: link("/private/tmp"), private: { tmp: dir({ a: {} }, sticky) } }, "/tmp/a", "/tmp: link"]
      ]
      for (const [drawing, path, expected] of looks) {
        assert.strictEqual(yield* outcome(memoryTree(drawing), path), expected)
      }
    })
  )
})
