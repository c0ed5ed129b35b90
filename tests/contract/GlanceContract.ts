/** What a tree tells of an entry that it has not opened, and of what its directories list. (core `Walk.glance`) */
import { sameMount, unchanged } from "@memory-bridge/core/tree/Facts"
import { assert, describe, it } from "@effect/vitest"
import { needs, withinWorld } from "./Case.ts"
import { dir, file, link } from "./Drawing.ts"
import { got } from "./Walking.ts"
import type { Lacks, MakeWorld } from "./World.ts"

export const glanceContract = (name: string, makeWorld: MakeWorld, lacks: Lacks): void => {
  const within = withinWorld(makeWorld)
  const needsMounts = needs(lacks.mounts ?? lacks.glance)

  describe(`${name}: at a glance`, () => {
    it.effect("nothing is told that the open entry does not tell", () =>
      within({ "a.md": file("four", { mode: 0o640, links: 2 }), sub: {} }, (walk, top) => {
        for (const [named, handle] of [
          ["a.md", got(walk.file(top, "a.md", "within"))],
          ["sub", got(walk.directory(top, "sub", "within"))]
        ] as const) {
          const glance = walk.glance(top, named)
          if (glance !== undefined) assert.deepStrictEqual(glance, walk.facts(handle))
        }
      })
    )

    it.effect("a link is not followed, and what is no name of an entry tells nothing", () =>
      within({ "a.md": "", "b.md": link("a.md"), sub: { "c.md": "" } }, (walk, top) => {
        assert.include(["other", undefined], walk.glance(top, "b.md")?.kind)
        for (const named of ["none", "", ".", "..", "sub/c.md", "a.md\0", "\ud800"])
          assert.isUndefined(walk.glance(top, named), named)
      })
    )

    it.effect("a handle that was closed tells nothing", () =>
      within({ sub: { "a.md": "" } }, (walk, top) => {
        const sub = got(walk.directory(top, "sub", "within"))
        walk.close(sub)
        assert.isUndefined(walk.glance(sub, "a.md"))
      })
    )

    needsMounts("on a file system that promises it, every change shows in the facts", () =>
      within({ t: dir({ "a.md": "four", "b.md": "" }, { device: 2n }) }, (walk, top, world) => {
        const t = got(walk.directory(top, "t", "across"))
        const before = walk.glance(t, "a.md")
        if (before === undefined) return assert.fail("nothing told")
        assert.isTrue(unchanged(before, walk.glance(t, "a.md")!))
        world.write("t/a.md", "longer than four")
        assert.isFalse(unchanged(before, walk.glance(t, "a.md")!))

        const listed = got(walk.facts(t))
        assert.isTrue(got(walk.list(t, 10)).lasting)
        world.put("t/c.md", "")
        const more = got(walk.facts(t))
        assert.isFalse(unchanged(listed, more))
        world.remove("t/b.md")
        assert.isFalse(unchanged(more, got(walk.facts(t))))
      })
    )

    needsMounts("a mount point is told as what is mounted there", () =>
      within({ t: dir({ sub: dir({}, { mount: 3n }) }, { device: 2n }) }, (walk, top) => {
        const t = got(walk.directory(top, "t", "across"))
        const glance = walk.glance(t, "sub")
        assert.isDefined(glance)
        assert.isFalse(sameMount(glance!, got(walk.facts(t))))
      })
    )
  })
}
