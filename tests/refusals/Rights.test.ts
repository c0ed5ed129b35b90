/**
 * Rights that come and go, or that lie outside of what a mode says, in both versions. (cases/notes.md 10, 12, 24, 49)
 */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { chmodSync, linkSync, mkdirSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { hasSetfacl, isLinux, isRoot, without } from "../support/Capabilities.ts"
import { ids, makeWorld, setfacl, type World } from "../support/World.ts"

const versions = [{ version: 1 }, { version: 2, ranking: "path" }, { version: 2, ranking: "relevance" }] as const

const withNote = (policy: object, test: (world: World, note: string) => void): void => {
  const world = makeWorld()
  try {
    world.policy({ ...policy })
    test(world, world.write(join(world.root, "n.md"), "needle\n"))
  } finally {
    world.dispose()
  }
}

/** Search and read agree, and say which. */
const served = (world: World, id = "n.md"): boolean => {
  const found = ids(world.search("needle", 10)).includes(id)
  assert.strictEqual(world.read(id).ok, found, id)
  return found
}

describe.each(versions)("under %j", (policy) => {
  it.skipIf(!hasSetfacl)(
    `a list whose mask is shut still counts, and is seen when it opens (24)${without(hasSetfacl, "setfacl")}`,
    () =>
      withNote(policy, (world, note) => {
        assert.isTrue(served(world))
        setfacl("u:1234:rw", note)
        assert.isFalse(served(world))
        chmodSync(note, 0o600)
        assert.isFalse(served(world), "one chmod would give the right back")
        chmodSync(note, 0o660)
        assert.isFalse(served(world))
        execFileSync("setfacl", ["-b", note])
        chmodSync(note, 0o640)
        assert.isTrue(served(world))
        setfacl("u:1234:r", note)
        assert.isTrue(served(world), "who may only read it cannot change what is served")
      })
  )

  it("a second name takes a note away, and gives it back when it is gone (10)", () =>
    withNote(policy, (world, note) => {
      assert.isTrue(served(world))
      linkSync(note, join(world.base, "second"))
      assert.isFalse(served(world))
      rmSync(join(world.base, "second"))
      assert.isTrue(served(world))
    }))

  it("a name longer than a file system or an id takes is refused, never let through (12)", () =>
    withNote(policy, (world) => {
      const deep = Array.from({ length: 14 }, () => "d".repeat(30)).join("/")
      for (const id of [`${"x".repeat(253)}.md`, `${deep}/n.md`, `${deep}/${"y".repeat(300)}.md`, "z".repeat(5_000)]) {
        assert.isFalse(world.read(id).ok, id.slice(0, 40))
      }
      mkdirSync(join(world.root, deep), { recursive: true, mode: 0o700 })
      world.write(join(world.root, deep, "n.md"), "needle\n")
      assert.isFalse(served(world, `${deep}/n.md`), "deeper than max_depth")
    }))

  it.skipIf(!isLinux || !isRoot)(
    `what has no end or none in reach is refused at once, and costs no memory (49)${without(isLinux && isRoot, "root on Linux")}`,
    () =>
      withNote(policy, (world) => {
        world.write(join(world.root, "sparse.md"), "needle\n")
        truncateSync(join(world.root, "sparse.md"), 3 * 1024 ** 3)
        execFileSync("mkfifo", ["-m", "600", join(world.root, "pipe.md")])
        execFileSync("mknod", ["-m", "600", join(world.root, "zero.md"), "c", "1", "5"])
        served(world)
        const before = process.memoryUsage().rss
        for (let i = 0; i < 20; i++) {
          assert.isTrue(served(world))
          for (const id of ["sparse.md", "pipe.md", "zero.md"]) assert.isFalse(served(world, id), id)
        }
        assert.isBelow(process.memoryUsage().rss - before, 256 * 1024 ** 2)
      })
  )
})
