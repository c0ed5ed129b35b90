/** How long a handle means something, and that nothing stays open. (core `Walk`, `Tree.walk`) */
import { type FileHandle, isFault, Tree } from "@memory-bridge/core/tree/Tree"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { needs, withinWorld } from "./Case.ts"
import { dir, link, socket } from "./Drawing.ts"
import { descend, got } from "./Walking.ts"
import type { Lacks, MakeWorld } from "./World.ts"

export const handleContract = (name: string, makeWorld: MakeWorld, lacks: Lacks): void => {
  const within = withinWorld(makeWorld)
  const needsMounts = needs(lacks.mounts)

  describe(`${name}: handles`, () => {
    it.effect("the end of the scope closes whatever is still open", () =>
      Effect.gen(function* () {
        const world = yield* makeWorld({ sub: { "a.md": "" }, "b.md": "" })
        const { held } = world
        const before = held()
        yield* Effect.gen(function* () {
          const walk = yield* (yield* Tree).walk
          const top = descend(walk, world.at)
          const sub = got(walk.directory(top, "sub", "within"))
          got(walk.file(sub, "a.md", "within"))
          got(walk.file(top, "b.md", "within"))
          assert.isAtLeast(held(), before + 4)
        }).pipe(Effect.scoped, Effect.provide(world.layer))
        assert.strictEqual(held(), before)
      })
    )

    it.effect("a refusal holds nothing", () =>
      within({ "a.md": "", "to-file": link("a.md"), sock: socket() }, (walk, top, world) => {
        const before = world.held()
        for (const named of ["none", "to-file", "sock", "..", "a.md/x"]) {
          assert.isTrue(isFault(walk.file(top, named, "within")))
          assert.isTrue(isFault(walk.directory(top, named, "within")))
        }
        assert.strictEqual(world.held(), before)
      })
    )

    needsMounts("a refusal at a mount point holds nothing", () =>
      within({ bound: dir({}, { mount: 2n }) }, (walk, top, world) => {
        const before = world.held()
        assert.strictEqual(walk.directory(top, "bound", "within"), "other_device")
        assert.strictEqual(world.held(), before)
      })
    )

    it.effect("closing twice is harmless to what was opened in between", () =>
      within({ "a.md": "first", "b.md": "second" }, (walk, top) => {
        const first = got(walk.file(top, "a.md", "within"))
        walk.close(first)
        const second = got(walk.file(top, "b.md", "within"))
        walk.close(first)
        assert.deepStrictEqual(walk.read(second, 6), { consumed: 6, text: "second" })
      })
    )

    it.effect("a closed handle means nothing, never the entry that came after it", () =>
      within({ "a.md": "first", "b.md": "second", sub: {} }, (walk, top) => {
        const first = got(walk.file(top, "a.md", "within"))
        const sub = got(walk.directory(top, "sub", "within"))
        walk.close(first)
        walk.close(sub)
        const second: FileHandle = got(walk.file(top, "b.md", "within"))
        assert.notStrictEqual(first, second)
        assert.strictEqual(walk.facts(first), "io")
        assert.deepStrictEqual(walk.read(first, 6), { consumed: 0, refused: "io" })
        assert.deepStrictEqual(walk.acl(first), { kind: "refused", reason: "acl_unreadable" })
        assert.strictEqual(walk.list(sub, 10), "io")
        assert.strictEqual(walk.file(sub, "a.md", "within"), "io")
        assert.strictEqual(walk.directory(sub, "a", "across"), "io")
      })
    )

    it.effect("a handle of one walk means nothing to another", () =>
      Effect.gen(function* () {
        const world = yield* makeWorld({ "a.md": "" })
        yield* Effect.gen(function* () {
          const tree = yield* Tree
          const one = yield* tree.walk
          const other = yield* tree.walk
          const top = descend(one, world.at)
          descend(other, world.at)
          assert.strictEqual(other.facts(top), "io")
          assert.strictEqual(other.file(top, "a.md", "within"), "io")
        }).pipe(Effect.scoped, Effect.provide(world.layer))
      })
    )

    it.effect("an open file survives its name", () =>
      within({ "a.md": "still here" }, (walk, top, world) => {
        const note = got(walk.file(top, "a.md", "within"))
        world.remove("a.md")
        assert.strictEqual(walk.file(top, "a.md", "within"), "missing")
        world.put("a.md", "other file")
        assert.deepStrictEqual(walk.read(note, 10), { consumed: 10, text: "still here" })
      })
    )

    it.effect("a link that takes a listed file's place is refused when it is opened", () =>
      within({ "a.md": "", "secret.md": "secret" }, (walk, top, world) => {
        assert.strictEqual(got(walk.list(top, 10)).raw, 2)
        world.remove("a.md")
        world.put("a.md", link("secret.md"))
        assert.strictEqual(walk.file(top, "a.md", "within"), "link")
      })
    )
  })
}
