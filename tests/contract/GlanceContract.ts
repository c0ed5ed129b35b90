/** What a tree tells of an entry that it has not opened, and of what its directories list. (core `Walk.glance`) */
import { unchanged } from "@memory-bridge/core/tree/Facts"
import { type Seen, seenAs } from "@memory-bridge/core/tree/Stamp"
import type { DirectoryHandle, Walk } from "@memory-bridge/core/tree/Tree"
import { assert, describe, it } from "@effect/vitest"
import { needs, withinWorld } from "./Case.ts"
import { dir, file, link } from "./Drawing.ts"
import { got } from "./Walking.ts"
import type { Lacks, MakeWorld } from "./World.ts"

/** What an entry of a directory was when it was opened. */
const seenOpen = (walk: Walk, parent: DirectoryHandle, name: string, kind: "directory" | "file" = "file"): Seen => {
  const handle = got(walk[kind](parent, name, "across"))
  const facts = got(walk.facts(handle))
  walk.close(handle)
  return seenAs(facts)
}

export const glanceContract = (name: string, makeWorld: MakeWorld, lacks: Lacks): void => {
  const within = withinWorld(makeWorld)
  const needsMounts = needs(lacks.mounts ?? lacks.glance)

  describe(`${name}: at a glance`, () => {
    it.effect("no entry is what another was", () =>
      within({ "a.md": file("four", { mode: 0o640, links: 2 }), "b.md": "four", sub: {} }, (walk, top) => {
        const a = seenOpen(walk, top, "a.md")
        for (const other of ["b.md", "sub"]) assert.isFalse(walk.glance(top, other, a.stamp, 0), other)
      })
    )

    it.effect("a link is not followed, and what is no name of an entry tells nothing", () =>
      within({ "a.md": "", "b.md": link("a.md"), sub: { "c.md": "" } }, (walk, top) => {
        const { stamp } = seenOpen(walk, top, "a.md")
        for (const named of ["b.md", "none", "", ".", "..", "sub/../a.md", "a.md\0", "\ud800"])
          assert.isFalse(walk.glance(top, named, stamp, 0), named)
        const sub = seenOpen(walk, top, "sub", "directory")
        for (const named of ["sub/.", "sub/"]) assert.isFalse(walk.glance(top, named, sub.stamp, 0), named)
      })
    )

    it.effect("a handle that was closed tells nothing", () =>
      within({ sub: { "a.md": "" } }, (walk, top) => {
        const sub = got(walk.directory(top, "sub", "within"))
        const { stamp } = seenOpen(walk, sub, "a.md")
        // Asked for last of all, and its descriptor's number given to another: whoever remembers it would see that.
        assert.isObject(walk.facts(sub))
        walk.close(sub)
        got(walk.root())
        assert.strictEqual(walk.facts(sub), "io")
        assert.isFalse(walk.glance(sub, "a.md", stamp, 0))
      })
    )

    needsMounts("on a file system that promises it, every change shows", () =>
      within({ t: dir({ "a.md": "four", "b.md": "" }, { device: 2n }) }, (walk, top, world) => {
        const t = got(walk.directory(top, "t", "across"))
        const stamps = new Int32Array(60)
        stamps.set(seenOpen(walk, t, "a.md").stamp, 20)
        assert.isTrue(walk.glance(t, "a.md", stamps, 20))
        world.write("t/a.md", "longer than four")
        assert.isFalse(walk.glance(t, "a.md", stamps, 20))

        const listed = got(walk.facts(t))
        assert.isTrue(got(walk.list(t, 10)).lasting)
        world.put("t/c.md", "")
        const more = got(walk.facts(t))
        assert.isFalse(unchanged(listed, more))
        world.remove("t/b.md")
        assert.isFalse(unchanged(more, got(walk.facts(t))))
      })
    )

    needsMounts("what is kept of each fact is compared", () =>
      within({ t: dir({ "a.md": "four", sub: dir({}, { mount: 3n }) }, { device: 2n }) }, (walk, top) => {
        const t = got(walk.directory(top, "t", "across"))
        for (const { facts, stamp } of [seenOpen(walk, t, "a.md"), seenOpen(walk, t, "sub", "directory")]) {
          const named = facts.kind === "file" ? "a.md" : "sub"
          assert.isTrue(walk.glance(t, named, stamp, 0))
          for (let at = 0; at < stamp.length; at++) {
            const other = stamp.with(at, stamp[at]! ^ 1)
            assert.isFalse(walk.glance(t, named, other, 0), `${named}, word ${at}`)
          }
        }
      })
    )
  })

  describe(`${name}: facts beside those of before`, () => {
    it.effect("are the very ones where nothing differs, or as good as they", () =>
      within({ "a.md": "four" }, (walk, top) => {
        const handle = got(walk.file(top, "a.md", "within"))
        const before = seenAs(got(walk.facts(handle)))
        assert.deepStrictEqual(walk.facts(handle, before), before.facts)
      })
    )

    it.effect("are others after a change", () =>
      within({ "a.md": "four" }, (walk, top, world) => {
        const handle = got(walk.file(top, "a.md", "within"))
        const before = seenAs(got(walk.facts(handle)))
        world.write("a.md", "longer than four")
        const after = got(walk.facts(handle, before))
        assert.deepStrictEqual(after, walk.facts(handle))
        assert.notStrictEqual(after.size, before.facts.size)
      })
    )
  })
}
