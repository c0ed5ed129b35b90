/**
 * Nothing that an earlier call saw outlives a change: there is no index, and remembered text stands behind the full
 * check of the file as it is now. (design.md section 8, case 65)
 */
import { assert, describe, it } from "@effect/vitest"
import { chmodSync, linkSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isRoot, without } from "../support/Capabilities.ts"
import { giveAway, ids, makeWorld, type World } from "../support/World.ts"

const changes: ReadonlyArray<readonly [what: string, change: (world: World, note: string) => void, served: boolean]> = [
  ["deleted", (_, note) => rmSync(note), false],
  ["moved away", ({ base }, note) => renameSync(note, join(base, "elsewhere.md")), false],
  ["rewritten at the same length", (_, note) => writeFileSync(note, "nothing"), false],
  [
    "rewritten at the same length with its old times",
    (_, note) => {
      writeFileSync(note, "nothing")
      utimesSync(note, 1, 1)
    },
    false
  ],
  [
    "replaced by another file",
    (_, note) => {
      writeFileSync(`${note}.new`, "nothing", { mode: 0o600 })
      renameSync(`${note}.new`, note)
    },
    false
  ],
  [
    "replaced by a link",
    ({ base, write }, note) => {
      rmSync(note)
      symlinkSync(write(join(base, "outside.md"), "needles"), note)
    },
    false
  ],
  ["given a second name", ({ base }, note) => linkSync(note, join(base, "second.md")), false],
  ["made writable by all", (_, note) => chmodSync(note, 0o606), false],
  ["denied", ({ policy }) => policy({ deny: ["note.md"] }), false],
  ["left alone", () => {}, true]
]

const check = (change: (world: World, note: string) => void, served: boolean) => {
  const world = makeWorld()
  try {
    const note = world.write(join(world.root, "note.md"), "needles")
    assert.deepStrictEqual(ids(world.search("needles")), ["note.md"])
    change(world, note)
    assert.deepStrictEqual(ids(world.search("needles")), served ? ["note.md"] : [])
    const answer = world.read("note.md")
    assert.strictEqual(answer.ok && "content" in answer && answer.content.includes("needles"), served)
  } finally {
    world.dispose()
  }
}

describe("between two calls a note that was", () => {
  it.each(changes)("%s is served as it is now", (_, change, served) => check(change, served))

  it.skipIf(!isRoot)(`given to another user is no longer served${without(isRoot, "root")}`, () =>
    check((_, note) => giveAway(note), false)
  )
})
