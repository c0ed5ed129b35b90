/**
 * The promise that `Walk.glance` stands on: on these file systems whatever changes content, rights or access control list of
 * a file, or what a directory lists, changes the facts too. Run on every one of them that this machine can make.
 */
import { unchanged } from "@memory-bridge/core/tree/Facts"
import { seenAs } from "@memory-bridge/core/tree/Stamp"
import { type DirectoryHandle, Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import { layer } from "@memory-bridge/platform-linux/LinuxTree"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import { descend, got } from "../../../tests/contract/Walking.ts"
import { hasSetfacl } from "../../../tests/contract/LinuxWorld.ts"

const root = process.geteuid?.() === 0

/** How to make one in a file of 400 MiB, which holds nothing but what is written. */
const kinds = {
  tmpfs: undefined,
  ext4: ["mkfs.ext4", "-q", "-F"],
  xfs: ["mkfs.xfs", "-q", "-f"],
  btrfs: ["mkfs.btrfs", "-q", "-f"],
  f2fs: ["mkfs.f2fs", "-q", "-f"]
} as const

const mountOf = (kind: keyof typeof kinds, base: string): boolean => {
  const make = kinds[kind]
  const image = join(base, "image")
  if (make === undefined) return spawnSync("mount", ["-t", "tmpfs", "tmpfs", join(base, "top")]).status === 0
  fs.writeFileSync(image, "")
  fs.truncateSync(image, 400 * 1024 * 1024)
  const [program, ...how] = make
  if (spawnSync(program, [...how, image]).status !== 0) return false
  return spawnSync("mount", ["-o", "loop", image, join(base, "top")]).status === 0
}

/** Times advance in steps, and what changed within the last of them is never kept: lets one go by. */
const rested = (folder: string): void => {
  const probe = `${folder}.probe`
  const changed = (path: string) => fs.statSync(path, { bigint: true }).ctimeNs
  do fs.writeFileSync(probe, "")
  while (changed(probe) <= changed(folder) || changed(probe) <= changed(join(folder, "a.md")))
  fs.unlinkSync(probe)
}

const changes: ReadonlyArray<readonly [string, (note: string) => void]> = [
  ["its content", (note) => fs.writeFileSync(note, "five")],
  [
    "its content, with size and time of modification set back",
    (note) => {
      const { atime, mtime } = fs.statSync(note)
      fs.writeFileSync(note, "five")
      fs.utimesSync(note, atime, mtime)
    }
  ],
  ["its mode", (note) => fs.chmodSync(note, 0o600)],
  ["its owner", (note) => fs.chownSync(note, 1234, 1234)],
  ["its links", (note) => fs.linkSync(note, `${note}.link`)],
  ["its access control list, the mode left as it is", (note) => execFileSync("setfacl", ["-m", "u:1234:r,m::r", note])],
  [
    "its access control list, given back",
    (note) => {
      execFileSync("setfacl", ["-m", "u:1234:r,m::r", note])
      execFileSync("setfacl", ["-b", note])
    }
  ],
  [
    "the note itself, for another of the same size and times",
    (note) => {
      const { atime, mtime } = fs.statSync(note)
      fs.writeFileSync(`${note}.new`, "five")
      fs.utimesSync(`${note}.new`, atime, mtime)
      fs.renameSync(`${note}.new`, note)
    }
  ]
]

const listed: ReadonlyArray<readonly [string, (folder: string) => void]> = [
  ["a note comes", (folder) => fs.writeFileSync(join(folder, "b.md"), "")],
  ["a note goes", (folder) => fs.unlinkSync(join(folder, "a.md"))],
  ["a note is renamed", (folder) => fs.renameSync(join(folder, "a.md"), join(folder, "c.md"))],
  [
    "a note takes the place of another",
    (folder) => {
      fs.writeFileSync(join(folder, "..", "other"), "")
      fs.renameSync(join(folder, "..", "other"), join(folder, "a.md"))
    }
  ],
  [
    "a directory takes the place of a note",
    (folder) => {
      fs.unlinkSync(join(folder, "a.md"))
      fs.mkdirSync(join(folder, "a.md"))
    }
  ]
]

const whatLacks = (kind: keyof typeof kinds): string | undefined => {
  if (process.platform !== "linux") return "Linux only"
  if (!root) return "needs root"
  if (!hasSetfacl) return "setfacl is not installed"
  const make = kinds[kind]
  return make === undefined || spawnSync(make[0], ["-V"]).error === undefined ? undefined : `no ${make[0]}`
}

for (const kind of Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>) {
  const lacks = whatLacks(kind)
  describe.skipIf(lacks !== undefined)(lacks === undefined ? kind : `${kind} (skipped: ${lacks})`, () => {
    let base = ""
    let mounted = false
    beforeAll(() => {
      base = fs.mkdtempSync(join(fs.realpathSync(os.tmpdir()), "memory-bridge-lasting-"))
      fs.mkdirSync(join(base, "top"))
      mounted = mountOf(kind, base)
    })
    afterAll(() => {
      if (mounted) execFileSync("umount", [join(base, "top")])
      fs.rmSync(base, { recursive: true })
    })

    let folders = 0
    const within = (look: (walk: Walk, top: DirectoryHandle, folder: string) => void) =>
      Effect.gen(function* () {
        const folder = join(base, "top", `f${folders++}`)
        fs.mkdirSync(folder)
        fs.writeFileSync(join(folder, "a.md"), "four")
        rested(folder)
        const walk = yield* (yield* Tree).walk
        look(walk, descend(walk, folder.split("/").slice(1)), folder)
      }).pipe(Effect.scoped, Effect.provide(layer))

    it.effect.each(changes)("%s", ([, change], context) =>
      within((walk, top, folder) => {
        if (!mounted) context.skip(`this machine cannot mount ${kind}`)
        const { stamp } = seenAs(got(walk.facts(got(walk.file(top, "a.md", "within")))))
        assert.isTrue(walk.glance(top, "a.md", stamp, 0), "nothing is told at a glance")
        change(join(folder, "a.md"))
        assert.isFalse(walk.glance(top, "a.md", stamp, 0))
      })
    )

    it.effect.each(listed)("%s", ([, change], context) =>
      within((walk, top, folder) => {
        if (!mounted) context.skip(`this machine cannot mount ${kind}`)
        assert.isTrue(got(walk.list(top, 10)).lasting)
        const before = got(walk.facts(top))
        const seen = seenAs(before)
        assert.strictEqual(walk.facts(top, seen), before)
        change(folder)
        const after = got(walk.facts(top, seen))
        assert.notStrictEqual(after, before)
        assert.isFalse(unchanged(before, after))
      })
    )
  })
}
