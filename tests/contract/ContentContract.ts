/** What a tree tells of an open entry: its list, its text, its access control list. (core `Walk`) */
import { unchanged } from "@memory-bridge/core/tree/Facts"
import { assert, describe, it } from "@effect/vitest"
import { needs, readNamed, withinWorld } from "./Case.ts"
import { dir, fifo, file, link, socket } from "./Drawing.ts"
import { got } from "./Walking.ts"
import type { Lacks, MakeWorld } from "./World.ts"

const bytes = (...values: ReadonlyArray<number>): Uint8Array => Uint8Array.from(values)

export const contentContract = (name: string, makeWorld: MakeWorld, lacks: Lacks): void => {
  const within = withinWorld(makeWorld)
  const needsMounts = needs(lacks.mounts)
  const needsAcls = needs(lacks.acls)
  const needsUndecodable = needs(lacks.undecodable)

  describe(`${name}: listing`, () => {
    it.effect("every entry comes once with its kind, links unresolved, without the dot entries", () =>
      within(
        {
          sub: { inner: "" },
          "a.md": "",
          ".hidden": "",
          "...": "",
          "to-dir": link("sub"),
          pipe: fifo(),
          sock: socket(),
          "日本語.md": ""
        },
        (walk, top) => {
          const listing = got(walk.list(top, 100))
          assert.strictEqual(listing.raw, 8)
          assert.deepStrictEqual(listing.entries.map(({ kind, name }) => `${kind} ${name}`).toSorted(), [
            "directory sub",
            "file ...",
            "file .hidden",
            "file a.md",
            "file 日本語.md",
            "other pipe",
            "other sock",
            "other to-dir"
          ])
        }
      )
    )

    it.effect("an empty directory lists as nothing", () =>
      within({ sub: {} }, (walk, top) => {
        const { entries, raw } = got(walk.list(got(walk.directory(top, "sub", "within")), 0))
        assert.deepStrictEqual({ entries, raw }, { entries: [], raw: 0 })
      })
    )

    needsUndecodable("names that are not UTF-8 count, and do not come", () =>
      within({ sub: dir({ "a.md": "" }, { undecodable: 2 }) }, (walk, top) => {
        const sub = got(walk.directory(top, "sub", "within"))
        const { entries, raw } = got(walk.list(sub, 3))
        assert.deepStrictEqual({ entries, raw }, { entries: [{ name: "a.md", kind: "file" }], raw: 3 })
        assert.strictEqual(walk.list(sub, 2), "too_many")
      })
    )

    it.effect("listing twice says the same, and sees what came between", () =>
      within({ "a.md": "" }, (walk, top, world) => {
        const names = () =>
          got(walk.list(top, 10))
            .entries.map(({ name }) => name)
            .toSorted()
        assert.deepStrictEqual(names(), ["a.md"])
        assert.deepStrictEqual(names(), ["a.md"])
        world.put("b.md", "")
        assert.deepStrictEqual(names(), ["a.md", "b.md"])
        world.remove("a.md")
        assert.deepStrictEqual(names(), ["b.md"])
      })
    )

    it.effect("exactly the limit is allowed, one more is too many; more than one buffer full comes whole", () =>
      within(
        {
          sub: Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`${index}-${"n".repeat(40)}`, ""]))
        },
        (walk, top) => {
          const sub = got(walk.directory(top, "sub", "within"))
          const listing = got(walk.list(sub, 1500))
          assert.strictEqual(listing.raw, 1500)
          assert.strictEqual(new Set(listing.entries.map(({ name }) => name)).size, 1500)
          assert.strictEqual(walk.list(sub, 1499), "too_many")
          assert.strictEqual(walk.list(sub, 0), "too_many")
        }
      )
    )
  })

  describe(`${name}: reading`, () => {
    it.effect("a file of the expected size comes whole, as often as asked", () =>
      within({ "a.md": "# Ünïcödé\n" }, (walk, top) => {
        const note = got(walk.file(top, "a.md", "within"))
        const whole = { consumed: 14, text: "# Ünïcödé\n" }
        assert.deepStrictEqual(walk.read(note, 14), whole)
        assert.deepStrictEqual(walk.read(note, 14), whole)
      })
    )

    it.effect("an empty file is an empty text", () =>
      within({ "a.md": "" }, (walk, top) => {
        assert.deepStrictEqual(readNamed(walk, top, "a.md", 0), { consumed: 0, text: "" })
      })
    )

    it.effect("a file larger than any buffer comes whole, and a small one after it is not mixed with it", () => {
      const large = "0123456789abcdé\n".repeat(20_000)
      const size = new TextEncoder().encode(large).length
      return within({ "large.md": large, "exact.md": "x".repeat(65_536), "small.md": "small" }, (walk, top) => {
        assert.deepStrictEqual(readNamed(walk, top, "large.md", size), { consumed: size, text: large })
        assert.deepStrictEqual(readNamed(walk, top, "exact.md", 65_536), { consumed: 65_536, text: "x".repeat(65_536) })
        assert.deepStrictEqual(readNamed(walk, top, "small.md", 5), { consumed: 5, text: "small" })
      })
    })

    it.effect("more than expected has changed, and one byte beyond is all that is read", () =>
      within({ "a.md": "twelve bytes", "large.md": "x".repeat(100_000) }, (walk, top) => {
        assert.deepStrictEqual(readNamed(walk, top, "a.md", 11), { consumed: 12, refused: "changed" })
        assert.deepStrictEqual(readNamed(walk, top, "a.md", 0), { consumed: 1, refused: "changed" })
        assert.deepStrictEqual(readNamed(walk, top, "large.md", 70_000), { consumed: 70_001, refused: "changed" })
      })
    )

    it.effect("fewer than expected has changed, and costs what there was", () =>
      within({ "a.md": "twelve bytes" }, (walk, top) => {
        assert.deepStrictEqual(readNamed(walk, top, "a.md", 13), { consumed: 12, refused: "changed" })
        assert.deepStrictEqual(readNamed(walk, top, "a.md", 1_000_000), { consumed: 12, refused: "changed" })
      })
    )

    it.effect("a file that grows, shrinks or is rewritten while open is caught by the read or by its facts", () =>
      within({ "a.md": "before" }, (walk, top, world) => {
        const note = got(walk.file(top, "a.md", "within"))
        const before = got(walk.facts(note))
        world.write("a.md", "before and after")
        assert.deepStrictEqual(walk.read(note, before.size), { consumed: 7, refused: "changed" })
        world.write("a.md", "be")
        assert.deepStrictEqual(walk.read(note, before.size), { consumed: 2, refused: "changed" })
        world.write("a.md", "behind")
        assert.deepStrictEqual(walk.read(note, before.size), { consumed: 6, text: "behind" })
        assert.isFalse(unchanged(before, got(walk.facts(note))))
      })
    )

    it.effect("what is not strict UTF-8 is refused, and charged", () =>
      within(
        {
          latin1: bytes(0x63, 0x61, 0x66, 0xe9),
          overlong: bytes(0xc0, 0xaf),
          surrogate: bytes(0xed, 0xa0, 0x80),
          truncated: bytes(0x61, 0xe2, 0x82),
          beyond: bytes(0xf4, 0x90, 0x80, 0x80)
        },
        (walk, top) => {
          for (const [named, size] of [
            ["latin1", 4],
            ["overlong", 2],
            ["surrogate", 3],
            ["truncated", 3],
            ["beyond", 4]
          ] as const) {
            assert.deepStrictEqual(readNamed(walk, top, named, size), { consumed: size, refused: "not_utf8" }, named)
          }
        }
      )
    )

    it.effect("a byte order mark, a NUL and every line ending are kept", () => {
      const text = "\ufeffa\0b\r\nc\rd\u2028"
      const size = new TextEncoder().encode(text).length
      return within({ "a.md": text }, (walk, top) => {
        assert.deepStrictEqual(readNamed(walk, top, "a.md", size), { consumed: size, text })
      })
    })

    it.effect("a directory that was opened as an entry cannot be read", () =>
      within({ sub: {} }, (walk, top) => {
        assert.deepStrictEqual(readNamed(walk, top, "sub", 10), { consumed: 0, refused: "io" })
      })
    )
  })

  describe(`${name}: access control lists`, () => {
    const entries = [
      { subject: { kind: "owner" }, write: true },
      { subject: { kind: "user", id: 1234 }, write: true },
      { subject: { kind: "owning_group" }, write: false },
      { subject: { kind: "group", id: 5678 }, write: false },
      { subject: { kind: "everyone" }, write: false }
    ] as const

    it.effect("a file and a directory without one have none", () =>
      within({ sub: {}, "a.md": "" }, (walk, top) => {
        assert.deepStrictEqual(walk.acl(got(walk.file(top, "a.md", "within"))), { kind: "none" })
        assert.deepStrictEqual(walk.acl(got(walk.directory(top, "sub", "within"))), { kind: "none" })
      })
    )

    needsAcls("entries come with their subject and whether they may write, on files and directories", () =>
      within(
        {
          "a.md": file("", { acl: { kind: "entries", entries } }),
          sub: dir({}, { acl: { kind: "entries", entries } }),
          "plain.md": ""
        },
        (walk, top) => {
          assert.deepStrictEqual(walk.acl(got(walk.file(top, "a.md", "within"))), { kind: "entries", entries })
          assert.deepStrictEqual(walk.acl(got(walk.directory(top, "sub", "within"))), { kind: "entries", entries })
          assert.deepStrictEqual(walk.acl(got(walk.file(top, "plain.md", "within"))), { kind: "none" })
        }
      )
    )

    needsMounts("a file system that cannot say is refused", () =>
      within({ mute: dir({}, { device: 5n, acl: { kind: "refused", reason: "acl_unsupported" } }) }, (walk, top) => {
        assert.deepStrictEqual(walk.acl(got(walk.directory(top, "mute", "across"))), {
          kind: "refused",
          reason: "acl_unsupported"
        })
      })
    )
  })
}
