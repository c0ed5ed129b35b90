/** What the tree in memory offers beyond the contract: faults, hooks, a log. Tests of the core rely on these. */
import { noAcl } from "@memory-bridge/core/tree/Acl"
import { sameMount } from "@memory-bridge/core/tree/Facts"
import { Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dir, file, link, type MemoryTree, memoryTree } from "./MemoryTree.ts"
import { descend, got } from "./Walking.ts"

const walking = (tree: MemoryTree, look: (walk: Walk) => void) =>
  Effect.gen(function* () {
    look(yield* (yield* Tree).walk)
  }).pipe(Effect.scoped, Effect.provide(tree.layer))

describe("a drawn tree", () => {
  it.effect("belongs to the user but for its root, which belongs to root", () => {
    const tree = memoryTree({ home: { "a.md": "" } }, { user: 501 })
    return walking(tree, (walk) => {
      assert.strictEqual(got(walk.facts(got(walk.root()))).owner, 0)
      const home = descend(walk, ["home"])
      assert.strictEqual(got(walk.facts(home)).owner, 501)
      assert.strictEqual(got(walk.facts(home)).mode, 0o755)
      assert.deepStrictEqual(walk.acl(home), noAcl)
      assert.strictEqual(got(walk.facts(got(walk.file(home, "a.md", "within")))).mode, 0o644)
    })
  })

  it.effect("may say everything of its root as well", () =>
    walking(memoryTree(dir({}, { owner: 7, mode: 0o777, mount: "unknown" })), (walk) => {
      const facts = got(walk.facts(got(walk.root())))
      assert.strictEqual(facts.owner, 7)
      assert.strictEqual(facts.mode, 0o777)
      assert.isUndefined(facts.mount)
    })
  )

  it.effect("passes device and mount on to what lies below", () =>
    walking(memoryTree({ a: dir({ b: { c: {} } }, { device: 9n }), d: {} }), (walk) => {
      const inner = got(walk.facts(descend(walk, ["a", "b", "c"])))
      assert.strictEqual(inner.device, 9n)
      assert.isTrue(sameMount(inner, got(walk.facts(descend(walk, ["a"])))))
      assert.isFalse(sameMount(inner, got(walk.facts(descend(walk, ["d"])))))
    })
  )

  it.effect("fails where it was told to", () => {
    const tree = memoryTree({
      shut: file("", { fails: { open: "not_permitted" } }),
      blank: file("", { fails: { facts: "io" } }),
      torn: file("torn", { fails: { read: "io", readAfter: 3 } }),
      sub: dir({}, { fails: { list: "exhausted" } })
    })
    return walking(tree, (walk) => {
      const top = got(walk.root())
      assert.strictEqual(walk.file(top, "shut", "within"), "not_permitted")
      assert.strictEqual(walk.facts(got(walk.file(top, "blank", "within"))), "io")
      assert.deepStrictEqual(walk.read(got(walk.file(top, "torn", "within")), 4), { consumed: 3, refused: "io" })
      assert.strictEqual(walk.list(got(walk.directory(top, "sub", "within")), 9), "exhausted")
    })
  })

  it.effect("may be changed in the middle of a walk", () => {
    const tree: MemoryTree = memoryTree({
      notes: dir(
        { "a.md": "a", "b.md": file("b", { after: { facts: () => tree.edit("/notes/b.md", { content: "bb" }) } }) },
        {
          after: { list: () => tree.put("/notes/a.md", link("/etc/shadow")) }
        }
      )
    })
    return walking(tree, (walk) => {
      const notes = descend(walk, ["notes"])
      assert.strictEqual(got(walk.list(notes, 9)).entries[0]?.kind, "file")
      assert.strictEqual(walk.file(notes, "a.md", "within"), "link")
      const note = got(walk.file(notes, "b.md", "within"))
      const { size } = got(walk.facts(note))
      assert.deepStrictEqual(walk.read(note, size), { consumed: 2, refused: "changed" })
    })
  })

  it.effect("logs what was asked, refusals too", () => {
    const tree = memoryTree({ notes: { "a.md": "a", out: link() } })
    return walking(tree, (walk) => {
      const notes = descend(walk, ["notes"])
      walk.list(notes, 9)
      const note = got(walk.file(notes, "a.md", "within"))
      walk.acl(note)
      walk.read(note, 1)
      walk.file(notes, "out", "within")
      walk.file(notes, "none", "within")
      assert.deepStrictEqual(tree.log, [
        "open /notes",
        "list /notes",
        "open /notes/a.md",
        "acl /notes/a.md",
        "read /notes/a.md",
        "open /notes/out",
        "open /notes/none"
      ])
      assert.strictEqual(tree.held(), 3)
    })
  })
})
