/** What a tree opens, what it refuses, and as what. (core `Fault`; seed 000 "Filesystem safety") */
import { sameMount, unchanged } from "@memory-bridge/core/tree/Facts"
import { isFault } from "@memory-bridge/core/tree/Tree"
import { assert, describe, it } from "@effect/vitest"
import { needs, readNamed, withinWorld } from "./Case.ts"
import { device, dir, fifo, file, link, socket } from "./Drawing.ts"
import { got } from "./Walking.ts"
import type { Lacks, MakeWorld } from "./World.ts"

export const openingContract = (name: string, makeWorld: MakeWorld, lacks: Lacks): void => {
  const within = withinWorld(makeWorld)
  const needsMounts = needs(lacks.mounts)
  const needsRoot = needs(lacks.privilege)

  describe(`${name}: opening`, () => {
    it.effect("a directory and a file open relative to their parent, and the facts tell them apart", () =>
      within({ sub: { "a.md": "four" } }, (walk, top, world) => {
        const sub = got(walk.directory(top, "sub", "within"))
        const note = got(walk.file(sub, "a.md", "within"))
        assert.strictEqual(got(walk.facts(sub)).kind, "directory")
        const facts = got(walk.facts(note))
        assert.strictEqual(facts.kind, "file")
        assert.strictEqual(facts.size, 4)
        assert.strictEqual(facts.links, 1)
        assert.strictEqual(facts.owner, world.user)
        assert.strictEqual(walk.user, world.user)
        assert.isTrue(sameMount(facts, got(walk.facts(top))))
        assert.notStrictEqual(facts.inode, got(walk.facts(sub)).inode)
        assert.isTrue(unchanged(facts, got(walk.facts(note))))
      })
    )

    it.effect("mode, set-id bits and further links are told as they are", () =>
      within(
        {
          "a.md": file("", { mode: 0o640, links: 3 }),
          s: dir({}, { mode: 0o3777 })
        },
        (walk, top) => {
          const facts = got(walk.facts(got(walk.file(top, "a.md", "within"))))
          assert.strictEqual(facts.mode, 0o640)
          assert.strictEqual(facts.links, 3)
          assert.strictEqual(got(walk.facts(got(walk.directory(top, "s", "within")))).mode, 0o3777)
        }
      )
    )

    needsRoot("an owner is told by number", () =>
      within({ "a.md": file("", { owner: 4321 }) }, (walk, top) => {
        assert.strictEqual(got(walk.facts(got(walk.file(top, "a.md", "within")))).owner, 4321)
      })
    )

    it.effect("what is not there is missing", () =>
      within({}, (walk, top) => {
        assert.strictEqual(walk.directory(top, "none", "within"), "missing")
        assert.strictEqual(walk.file(top, "none", "across"), "missing")
      })
    )

    it.effect("a link is a link, to whatever it leads and whatever was wanted", () =>
      within(
        {
          sub: {},
          "a.md": "",
          "to-file": link("a.md"),
          "to-dir": link("sub"),
          "to-nothing": link("none"),
          up: link(".."),
          out: link("/etc")
        },
        (walk, top) => {
          for (const named of ["to-file", "to-dir", "to-nothing", "up", "out"]) {
            for (const rule of ["within", "across"] as const) {
              assert.strictEqual(walk.file(top, named, rule), "link", named)
              assert.strictEqual(walk.directory(top, named, rule), "link", named)
            }
          }
        }
      )
    )

    it.effect("no way leads through a link, nor through a name of more than one step", () =>
      within({ sub: { "a.md": "" }, through: link("sub") }, (walk, top) => {
        for (const named of ["sub/a.md", "through/a.md", "sub/", "/", "/etc/passwd", "sub/../sub"]) {
          assert.strictEqual(walk.file(top, named, "across"), "missing", named)
          assert.strictEqual(walk.directory(top, named, "across"), "missing", named)
        }
      })
    )

    it.effect("names that no entry can bear are missing", () =>
      within({ a: "", "\ufffd": "", "a\ufffd": "" }, (walk, top) => {
        for (const named of ["", ".", "..", "a\0", "\0", "a\0b", "\ud800", "a\udc00"]) {
          assert.strictEqual(walk.file(top, named, "across"), "missing", JSON.stringify(named))
          assert.strictEqual(walk.directory(top, named, "across"), "missing", JSON.stringify(named))
        }
      })
    )

    it.effect("odd but lawful names open, and the next shorter name is never meant", () =>
      within(
        {
          "...": "dots",
          " ": "space",
          "-rf": "dash",
          "a\nb": "newline",
          "*": "star",
          "\\": "backslash",
          ünïcödé: "accents",
          "日本語.md": "three bytes",
          "🎉": "four bytes",
          "e\u0301": "decomposed"
        },
        (walk, top) => {
          for (const [named, text] of [
            ["...", "dots"],
            [" ", "space"],
            ["-rf", "dash"],
            ["a\nb", "newline"],
            ["*", "star"],
            ["\\", "backslash"],
            ["ünïcödé", "accents"],
            ["日本語.md", "three bytes"],
            ["🎉", "four bytes"],
            ["e\u0301", "decomposed"]
          ] as const) {
            assert.deepStrictEqual(readNamed(walk, top, named, text.length), { consumed: text.length, text }, named)
          }
          assert.strictEqual(walk.file(top, "\u00e9", "within"), "missing")
          assert.strictEqual(walk.file(top, "日本語", "within"), "missing")
        }
      )
    )

    it.effect("a name of 255 bytes is the longest", () =>
      within({ ["n".repeat(255)]: "long" }, (walk, top) => {
        assert.isFalse(isFault(walk.file(top, "n".repeat(255), "within")))
        for (const named of ["n".repeat(256), "é".repeat(128), "n".repeat(5000), "é".repeat(5000)]) {
          assert.strictEqual(walk.file(top, named, "within"), "name_too_long")
          assert.strictEqual(walk.directory(top, named, "within"), "name_too_long")
        }
      })
    )

    it.effect("a file is no directory, but a directory opens as an entry whose facts say so", () =>
      within({ sub: {}, "a.md": "" }, (walk, top) => {
        assert.strictEqual(walk.directory(top, "a.md", "within"), "not_directory")
        assert.strictEqual(got(walk.facts(got(walk.file(top, "sub", "within")))).kind, "directory")
      })
    )

    it.effect("a FIFO opens at once, is neither file nor directory and cannot be read", () =>
      within({ pipe: fifo() }, (walk, top) => {
        const pipe = got(walk.file(top, "pipe", "within"))
        assert.strictEqual(got(walk.facts(pipe)).kind, "other")
        assert.deepStrictEqual(walk.read(pipe, 0), { consumed: 0, refused: "io" })
        assert.strictEqual(walk.directory(top, "pipe", "within"), "not_directory")
      })
    )

    it.effect("a socket is special", () =>
      within({ sock: socket() }, (walk, top) => {
        assert.strictEqual(walk.file(top, "sock", "within"), "special")
        assert.strictEqual(walk.directory(top, "sock", "within"), "not_directory")
      })
    )

    needsRoot("a device opens as neither file nor directory, one without a driver is special", () =>
      within({ null: device(), dead: device({ fails: { open: "special" } }) }, (walk, top) => {
        assert.strictEqual(got(walk.facts(got(walk.file(top, "null", "within")))).kind, "other")
        assert.strictEqual(walk.file(top, "dead", "within"), "special")
      })
    )
  })

  describe(`${name}: mounts`, () => {
    const drawing = {
      bound: dir({ "in.md": "bound" }, { mount: 2n }),
      tmpfs: dir({ "in.md": "tmpfs", deeper: {} }, { device: 3n }),
      "bound.md": file("bound file", { mount: 4n })
    }

    needsMounts("within stops at a mount point, on the same device too", () =>
      within(drawing, (walk, top) => {
        for (const named of ["bound", "tmpfs"]) {
          assert.strictEqual(walk.directory(top, named, "within"), "other_device", named)
          assert.strictEqual(walk.file(top, named, "within"), "other_device", named)
        }
        assert.strictEqual(walk.file(top, "bound.md", "within"), "other_device")
        assert.strictEqual(walk.directory(top, "bound.md", "within"), "other_device")
      })
    )

    needsMounts("across passes it, the facts tell the places apart, and beyond it within holds again", () =>
      within(drawing, (walk, top) => {
        const here = got(walk.facts(top))
        for (const [named, sameDevice] of [
          ["bound", true],
          ["tmpfs", false]
        ] as const) {
          const mounted = got(walk.directory(top, named, "across"))
          const there = got(walk.facts(mounted))
          assert.isFalse(sameMount(here, there), named)
          assert.strictEqual(here.device === there.device, sameDevice, named)
          const inside = got(walk.facts(got(walk.file(mounted, "in.md", "within"))))
          assert.isTrue(sameMount(there, inside), named)
        }
        assert.isFalse(sameMount(here, got(walk.facts(got(walk.file(top, "bound.md", "across"))))))
        assert.isFalse(isFault(walk.directory(got(walk.directory(top, "tmpfs", "across")), "deeper", "within")))
      })
    )
  })
}
