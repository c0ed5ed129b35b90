/** The macOS adapter in what only macOS has: owners that are nobody's, content in the cloud, its listing, its price. */
import { distrust } from "@memory-bridge/core/trust/Trust"
import { noAcl } from "@memory-bridge/core/tree/Acl"
import { Tree } from "@memory-bridge/core/tree/Tree"
import { layer, layerOver } from "@memory-bridge/platform-darwin/DarwinTree"
import { nobody } from "@memory-bridge/platform-darwin/Facts"
import { type DarwinCalls, darwinCalls, entryCapacity, systemLibrary } from "@memory-bridge/platform-darwin/Syscalls"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fs from "node:fs"
import { fifo, file, link, socket } from "../../../tests/contract/Drawing.ts"
import { descend, got } from "../../../tests/contract/Walking.ts"
import { isSimulated, lack, lackOfSimulation, library, simulation, unless } from "../../../tests/darwin/Library.ts"
import { pathOf, unchanged, walks } from "./changedCalls.ts"

const MNT_IGNORE_OWNERSHIP = 0x00200000

describe.skipIf(lack !== undefined)(unless("facts", lack), () => {
  it.effect("equal what node:fs says of the same file", () =>
    walks(unchanged, { "a.md": file("twelve bytes", { mode: 0o640 }) }, (walk, top, world) => {
      const stat = fs.lstatSync(pathOf(world, "a.md"), { bigint: true })
      const facts = got(walk.facts(got(walk.file(top, "a.md", "within"))))
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
      assert.strictEqual(facts.mount, got(walk.facts(top)).mount)
    })
  )
})

describe.skipIf(lackOfSimulation !== undefined)(unless("a volume that ignores ownership", lackOfSimulation), () => {
  it.effect("has entries of nobody, which no rule trusts", () =>
    walks(unchanged, { "a.md": "" }, (walk, top) => {
      const { volumeFlags } = simulation()
      const note = got(walk.file(top, "a.md", "within"))
      assert.isUndefined(distrust(got(walk.facts(note)), noAcl, walk.user))
      volumeFlags(MNT_IGNORE_OWNERSHIP)
      try {
        const facts = got(walk.facts(note))
        assert.strictEqual(facts.owner, nobody)
        assert.strictEqual(distrust(facts, noAcl, walk.user), "foreign_owner")
      } finally {
        volumeFlags(0)
      }
    })
  )
})

describe.skipIf(lackOfSimulation !== undefined)(unless("content that is in the cloud", lackOfSimulation), () => {
  it.effect("is not fetched: reading it fails, and costs nothing", () =>
    walks(unchanged, { "a.md": "text", "b.md": "text" }, (walk, top, world) => {
      const descriptor = fs.openSync(pathOf(world, "a.md"), "r")
      simulation().makeDataless(descriptor)
      fs.closeSync(descriptor)
      assert.deepStrictEqual(walk.read(got(walk.file(top, "a.md", "within")), 4), { consumed: 0, refused: "io" })
      assert.deepStrictEqual(walk.read(got(walk.file(top, "b.md", "within")), 4), { consumed: 4, text: "text" })
    })
  )
})

describe.skipIf(lack !== undefined)(unless("listing", lack), () => {
  const kinds = (entries: ReadonlyArray<{ readonly kind: string; readonly name: string }>) =>
    entries.map(({ kind, name }) => `${kind} ${name}`).toSorted()
  const KIND = 20
  const NAME_LENGTH = 18

  it.effect("looks kinds up where the directory does not tell them, and follows no link", () =>
    walks(
      (calls) => ({
        nextEntry: (stream, into) => {
          const result = calls.nextEntry(stream, into)
          into[KIND] = 0
          return result
        }
      }),
      { sub: {}, "a.md": "", "日本.md": "", "to-dir": link("sub"), pipe: fifo(), sock: socket() },
      (walk, top) => {
        assert.deepStrictEqual(kinds(got(walk.list(top, 10)).entries), [
          "directory sub",
          "file a.md",
          "file 日本.md",
          "other pipe",
          "other sock",
          "other to-dir"
        ])
      }
    )
  )

  it.effect("what cannot be looked up is other", () =>
    walks(
      (calls) => ({
        nextEntry: (stream, into) => {
          const result = calls.nextEntry(stream, into)
          into[KIND] = 0
          return result
        },
        statusAt: () => -13
      }),
      { sub: {}, "a.md": "" },
      (walk, top) => assert.deepStrictEqual(kinds(got(walk.list(top, 9)).entries), ["other a.md", "other sub"])
    )
  )

  it.effect("a name is as long as the entry says, whatever was there before", () =>
    walks(unchanged, { ["n".repeat(200)]: "", ab: "", a: "" }, (walk, top) => {
      assert.deepStrictEqual(
        got(walk.list(top, 9))
          .entries.map(({ name }) => name)
          .toSorted(),
        ["a", "ab", "n".repeat(200)]
      )
    })
  )

  for (const [title, length] of [
    ["a name longer than an entry", entryCapacity - 21],
    ["a name of no length", 0]
  ] as const) {
    it.effect(`fails as a whole at ${title}, and holds nothing`, () =>
      walks(
        (calls) => ({
          nextEntry: (stream, into) => {
            const result = calls.nextEntry(stream, into)
            new Uint16Array(into.buffer, into.byteOffset + NAME_LENGTH, 1)[0] = length
            return result
          }
        }),
        { "a.md": "" },
        (walk, top, world) => {
          const before = world.held()
          assert.strictEqual(walk.list(top, 9), "io")
          assert.strictEqual(world.held(), before)
        }
      )
    )
  }

  for (const [title, change] of [
    ["setting back", () => ({ rewind: () => -5 })],
    ["duplicating", () => ({ duplicate: () => -24 })],
    ["opening the stream", () => ({ openStream: () => -12 })],
    ["reading", () => ({ nextEntry: () => -5 })]
  ] as ReadonlyArray<readonly [string, (calls: DarwinCalls) => Partial<DarwinCalls>]>) {
    it.effect(`fails as a whole when ${title} fails, and holds nothing`, () =>
      walks(change, { "a.md": "" }, (walk, top, world) => {
        const before = world.held()
        const live = isSimulated ? simulation().live() : 0
        const fault = title === "duplicating" || title === "opening the stream" ? "exhausted" : "io"
        assert.strictEqual(walk.list(top, 9), fault)
        assert.strictEqual(world.held(), before)
        if (isSimulated) assert.strictEqual(simulation().live(), live)
      })
    )
  }

  it.effect("too many entries close the stream as well", () =>
    walks(unchanged, { "a.md": "", "b.md": "" }, (walk, top, world) => {
      const before = world.held()
      const live = isSimulated ? simulation().live() : 0
      assert.strictEqual(walk.list(top, 1), "too_many")
      assert.strictEqual(world.held(), before)
      if (isSimulated) assert.strictEqual(simulation().live(), live)
    })
  )
})

describe.skipIf(lack !== undefined)(unless("cost", lack), () => {
  it.effect("a scanned file takes one open, one look at its name, two at its facts and a question for its list", () => {
    const log: Array<string> = []
    const counted = (calls: DarwinCalls): DarwinCalls =>
      Object.fromEntries(
        Object.entries(calls).map(([name, call]) => [
          name,
          (...args: ReadonlyArray<never>) => {
            log.push(name)
            return (call as (...args: ReadonlyArray<never>) => unknown)(...args)
          }
        ])
      ) as unknown as DarwinCalls
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
      const facts = ["status", "volume"]
      const list = ["accessList", "keepsLists"]
      assert.deepStrictEqual(log, ["openAt", "ownPath", ...facts, ...facts, ...list, "readAt", ...facts, "close"])
    })
  })
})

describe("the library", () => {
  it("is the system's own unless a test says otherwise, by an absolute path", () => {
    assert.strictEqual(systemLibrary, "/usr/lib/libSystem.B.dylib")
    // The default is all that production reaches: the layer passes nothing, and no setting is looked at.
    const source = (name: string) => fs.readFileSync(new URL(`../src/${name}.ts`, import.meta.url), "utf8")
    assert.include(source("DarwinTree"), "layerOver(() => darwinCalls())")
    for (const name of [
      "Applicable",
      "DarwinTree",
      "Directory",
      "Errno",
      "ExtendedAcl",
      "Facts",
      "Resolver",
      "Syscalls"
    ]) {
      assert.notInclude(source(name), "process.env")
      assert.notInclude(source(name), "process.argv")
    }
  })

  it.effect.skipIf(!isSimulated)("that is not there is a defect when the layer is built", () =>
    Effect.gen(function* () {
      assert.isTrue(Exit.hasDies(yield* Effect.exit(Effect.provide(Tree, layer))))
    })
  )

  it.effect.skipIf(lack !== undefined)("that lacks a function is one too", () =>
    Effect.gen(function* () {
      const wrong = layerOver(() => darwinCalls(process.platform === "darwin" ? "/usr/lib/libz.dylib" : "libm.so.6"))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(Effect.provide(Tree, wrong))))
    })
  )
})

describe.skipIf(lack !== undefined)(unless("the scope of a walk", lack), () => {
  it.effect("closes everything when the program inside fails or dies, and ends the walk", () =>
    walks(unchanged, { sub: {}, "a.md": "" }, (_walk, _top, world) => {
      const before = world.held()
      const tree = layerOver(() => darwinCalls(library))
      for (const end of [Effect.fail("failed"), Effect.die("died"), Effect.interrupt]) {
        const program = Effect.gen(function* () {
          const walk = yield* (yield* Tree).walk
          got(walk.directory(descend(walk, world.at), "sub", "within"))
          assert.isAbove(world.held(), before)
          return yield* end
        }).pipe(Effect.scoped, Effect.provide(tree))
        assert.isTrue(Exit.isFailure(Effect.runSyncExit(program)))
        assert.strictEqual(world.held(), before)
      }
    })
  )
})
