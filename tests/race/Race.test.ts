/**
 * Check and use are one descriptor: while another process exchanges a note, or a directory, with a link that leads
 * outside, no answer ever holds outside content. (case 6; a short run, the long proof is a command of its own)
 */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { isLinux, without } from "../support/Capabilities.ts"
import { makeWorld, type World } from "../support/World.ts"

const secret = "TOPSECRET-9321"
const calls = 3000

/** Exchanges two directory entries again and again (renameat2 with RENAME_EXCHANGE) until its input ends. */
const flipper = `
import ctypes, select, sys
a, b = sys.argv[1].encode(), sys.argv[2].encode()
libc = ctypes.CDLL(None, use_errno=True)
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for _ in range(20):
        if libc.renameat2(-100, a, -100, b, 2) != 0: sys.exit(ctypes.get_errno())
`

/** Runs `work` while the two entries are exchanged. */
const whileFlipping = async (one: string, other: string, work: () => void): Promise<void> => {
  const child = spawn("python3", ["-c", flipper, one, other], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve))
  await new Promise((resolve) => child.stdout.once("data", resolve))
  try {
    work()
  } finally {
    child.stdin.end()
  }
  assert.strictEqual(await ended, 0)
}

const attacks: ReadonlyArray<
  readonly [what: string, entries: (world: World) => readonly [string, string], id: string]
> = [
  [
    "the note",
    ({ base, root }) => {
      symlinkSync(join(base, "outside", "note.md"), join(base, "evil"))
      return [join(root, "folder", "note.md"), join(base, "evil")]
    },
    "folder/note.md"
  ],
  [
    "its directory",
    ({ base, root }) => {
      symlinkSync(join(base, "outside"), join(base, "evil"))
      return [join(root, "folder"), join(base, "evil")]
    },
    "folder/note.md"
  ],
  [
    "the root",
    ({ base, root, write }) => {
      write(join(base, "outside", "folder", "note.md"), `needle ${secret}`)
      symlinkSync(join(base, "outside"), join(base, "evil"))
      return [root, join(base, "evil")]
    },
    "folder/note.md"
  ]
]

describe("while another process exchanges an entry with a link to the outside", () => {
  it.skipIf(!isLinux).each(attacks)(
    `search and read never show the outside: %s${without(isLinux, "Linux")}`,
    async (_, entries, id) => {
      const world = makeWorld()
      try {
        world.write(join(world.base, "outside", "note.md"), `needle ${secret}`)
        world.write(join(world.root, id), "needle safe")
        let served = 0
        const [one, other] = entries(world)
        await whileFlipping(one, other, () => {
          for (let i = 0; i < calls; i++) {
            const text = JSON.stringify(i % 2 === 0 ? world.read(id) : world.search("needle"))
            assert.notInclude(text, secret)
            if (text.includes("needle safe")) served++
          }
        })
        assert.isAbove(served, 0)
        assert.isBelow(served, calls, "the attack never hit")
      } finally {
        world.dispose()
      }
    }
  )
})
