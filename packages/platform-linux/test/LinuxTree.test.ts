/** The Linux adapter in what only Linux has: `statx`, `getdents64`, its price and its permissions. */
import { Tree } from "@memory-bridge/core/tree/Tree"
import { layer } from "@memory-bridge/platform-linux/LinuxTree"
import type { LinuxCalls } from "@memory-bridge/platform-linux/Syscalls"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { dir, fifo, file, link, socket } from "../../../tests/contract/Drawing.ts"
import { linuxWorld } from "../../../tests/contract/LinuxWorld.ts"
import { descend, got } from "../../../tests/contract/Walking.ts"
import { walks } from "./changedCalls.ts"
import { EIO } from "./errnos.ts"

const root = process.geteuid?.() === 0
const forRoot = (title: string) => (root ? title : `${title} (skipped: needs root)`)

/** A kernel that leaves out what is not kept of the mask. */
const told =
  (keep: number) =>
  (calls: LinuxCalls): Partial<LinuxCalls> => ({
    statx: (descriptor, name, flags, mask, into) => {
      const result = calls.statx(descriptor, name, flags, mask, into)
      new Uint32Array(into.buffer)[0]! &= keep
      return result
    }
  })

describe("facts", () => {
  it.effect("equal what node:fs says of the same file", () =>
    Effect.gen(function* () {
      const world = yield* linuxWorld(layer)({ "a.md": file("twelve bytes", { mode: 0o640 }) })
      const stat = fs.lstatSync(`/${world.at.join("/")}/a.md`, { bigint: true })
      yield* Effect.gen(function* () {
        const walk = yield* (yield* Tree).walk
        const facts = got(walk.facts(got(walk.file(descend(walk, world.at), "a.md", "within"))))
        assert.deepStrictEqual(
          { ...facts, mount: undefined },
          {
            kind: "file",
            owner: Number(stat.uid),
            group: Number(stat.gid),
            mode: Number(stat.mode) & 0o7777,
            links: 1,
            size: 12,
            device: stat.dev,
            mount: undefined,
            inode: stat.ino,
            modified: stat.mtimeNs,
            changed: stat.ctimeNs
          }
        )
      }).pipe(Effect.scoped, Effect.provide(world.layer))
    })
  )

  it.effect("times before 1970 count down", () =>
    Effect.gen(function* () {
      const world = yield* linuxWorld(layer)({ "a.md": "" })
      execFileSync("touch", ["-d", "1969-12-31T23:59:58.500000001Z", `/${world.at.join("/")}/a.md`])
      yield* Effect.gen(function* () {
        const walk = yield* (yield* Tree).walk
        const facts = got(walk.facts(got(walk.file(descend(walk, world.at), "a.md", "within"))))
        assert.strictEqual(facts.modified, -1_499_999_999n)
      }).pipe(Effect.scoped, Effect.provide(world.layer))
    })
  )

  it.effect("have no mount where the kernel tells none", () =>
    walks(told(~0x5000), {}, (walk, top) => assert.isUndefined(got(walk.facts(top)).mount))
  )

  it.effect("are a fault where one of them is missing", () =>
    Effect.forEach([0x1, 0x2, 0x4, 0x8, 0x40, 0x80, 0x100, 0x200], (bit) =>
      walks(told(~bit), {}, (walk, top) => assert.strictEqual(walk.facts(top), "io"))
    )
  )
})

describe("listing", () => {
  it.effect("looks kinds up where the directory does not tell them, and follows no link", () =>
    walks(
      (calls) => ({
        directoryEntries: (descriptor, into) => {
          const filled = calls.directoryEntries(descriptor, into)
          const buffer = Buffer.from(into.buffer, into.byteOffset, into.length)
          for (let at = 0; at < filled; at += buffer.readUInt16LE(at + 16)) buffer[at + 18] = 0
          return filled
        }
      }),
      { sub: {}, "a.md": "", "日本.md": "", "to-dir": link("sub"), pipe: fifo(), sock: socket() },
      (walk, top) => {
        assert.deepStrictEqual(
          got(walk.list(top, 10))
            .entries.map(({ kind, name }) => `${kind} ${name}`)
            .toSorted(),
          ["directory sub", "file a.md", "file 日本.md", "other pipe", "other sock", "other to-dir"]
        )
      }
    )
  )

  it.effect("fails as a whole when the kernel does", () => {
    let calls = 0
    return walks(
      (real) => ({
        directoryEntries: (descriptor, into) => {
          calls += 1
          return calls > 1 ? -EIO : real.directoryEntries(descriptor, into)
        }
      }),
      { "a.md": "" },
      (walk, top) => assert.strictEqual(walk.list(top, 10), "io")
    )
  })
})

describe("cost", () => {
  it.effect("a scanned file takes one open, two looks, one attribute, one read and one close", () => {
    const log: Array<string> = []
    const counted = (calls: LinuxCalls): LinuxCalls =>
      Object.fromEntries(
        Object.entries(calls).map(([name, call]) => [
          name,
          (...args: ReadonlyArray<never>) => {
            log.push(name)
            return (call as (...args: ReadonlyArray<never>) => number)(...args)
          }
        ])
      ) as unknown as LinuxCalls
    return walks(counted, { "a.md": "text", "b.md": "text" }, (walk, top) => {
      const scan = (name: string) => {
        const note = got(walk.file(top, name, "within"))
        const { size } = got(walk.facts(note))
        walk.acl(note)
        walk.read(note, size)
        walk.facts(note)
        walk.close(note)
      }
      scan("a.md")
      log.length = 0
      scan("b.md")
      assert.deepStrictEqual(log, ["openAt2", "statx", "attribute", "readAt", "statx", "close"])
    })
  })
})

describe("permission", () => {
  it.effect.skipIf(!root)(forRoot("what the user may not open or search is not permitted"), () =>
    walks(
      () => ({}),
      {
        secret: file("", { mode: 0o600, owner: 0 }),
        shut: dir({ "a.md": "" }, { mode: 0o700, owner: 0 }),
        unsearchable: dir({ "a.md": "" }, { mode: 0o744, owner: 0 })
      },
      (walk, top) => {
        const unsearchable = got(walk.directory(top, "unsearchable", "within"))
        process.seteuid!(65_534)
        try {
          assert.strictEqual(walk.file(top, "secret", "within"), "not_permitted")
          assert.strictEqual(walk.directory(top, "shut", "within"), "not_permitted")
          assert.strictEqual(walk.file(unsearchable, "a.md", "within"), "not_permitted")
          assert.strictEqual(walk.directory(unsearchable, "a.md", "within"), "not_permitted")
        } finally {
          process.seteuid!(0)
        }
      }
    )
  )
})

describe("the scope of a walk", () => {
  it.effect("closes everything when the program inside fails or dies", () =>
    Effect.gen(function* () {
      const world = yield* linuxWorld(layer)({ sub: {} })
      for (const end of [Effect.fail("failed"), Effect.die("died"), Effect.interrupt]) {
        const before = world.held()
        const exit = yield* Effect.gen(function* () {
          const walk = yield* (yield* Tree).walk
          got(walk.directory(descend(walk, world.at), "sub", "within"))
          assert.isAbove(world.held(), before)
          return yield* end
        }).pipe(Effect.scoped, Effect.provide(world.layer), Effect.exit)
        assert.isTrue(Exit.isFailure(exit))
        assert.strictEqual(world.held(), before)
      }
    })
  )

  it.effect("ends the walk: nothing opens after it", () =>
    Effect.gen(function* () {
      const world = yield* linuxWorld(layer)({ "a.md": "" })
      const kept = yield* Effect.gen(function* () {
        const walk = yield* (yield* Tree).walk
        return { walk, top: descend(walk, world.at) }
      }).pipe(Effect.scoped, Effect.provide(world.layer))
      const before = world.held()
      assert.strictEqual(kept.walk.file(kept.top, "a.md", "within"), "io")
      kept.walk.root()
      assert.strictEqual(world.held(), before)
    })
  )
})
