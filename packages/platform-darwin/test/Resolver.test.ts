/** How names are opened: which bit against links, in which spelling, on which volume. */
import { type Fault, isFault } from "@memory-bridge/core/tree/Tree"
import { O_NOFOLLOW, O_NOFOLLOW_ANY } from "@memory-bridge/platform-darwin/Syscalls"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { link } from "../../../tests/contract/Drawing.ts"
import { got } from "../../../tests/contract/Walking.ts"
import { lack, lackOfSimulation, simulation, unless } from "../../../tests/darwin/Library.ts"
import { type Change, unchanged, walks } from "./changedCalls.ts"

const O_CLOEXEC = 0x1000000
const O_NONBLOCK = 0x4
const O_NOCTTY = 0x20000
const always = O_CLOEXEC | O_NONBLOCK | O_NOCTTY

const NUL = 0
const nameOf = (name: Uint8Array): string => Buffer.from(name.subarray(0, name.indexOf(NUL))).toString()

type Opened = { readonly name: string; readonly flags: number }

const recorded =
  (log: Array<Opened>, kernel: (flags: number) => number = (flags) => flags): Change =>
  (calls) => ({
    openAt: (directory, name, flags) => {
      log.push({ name: nameOf(name), flags })
      return calls.openAt(directory, name, kernel(flags))
    }
  })

const older = (flags: number): number => flags & ~O_NOFOLLOW_ANY
const drawing = { sub: { "a.md": "" }, "b.md": "", "to-file": link("b.md"), "to-dir": link("sub") }

describe.skipIf(lack !== undefined)(unless("the bit against links", lack), () => {
  for (const [title, kernel, bit] of [
    ["where the kernel knows O_NOFOLLOW_ANY, every later open has it", (flags: number) => flags, O_NOFOLLOW_ANY],
    ["where the kernel does not, every open has O_NOFOLLOW", older, O_NOFOLLOW]
  ] as const) {
    it.effect(title, () => {
      const log: Array<Opened> = []
      return Effect.map(
        walks(recorded(log, kernel), drawing, (walk, top) => {
          got(walk.file(got(walk.directory(top, "sub", "within")), "a.md", "within"))
          assert.strictEqual(walk.file(top, "to-file", "within"), "link")
          assert.strictEqual(walk.directory(top, "to-dir", "within"), "link")
        }),
        () => {
          const [first, ...rest] = log
          assert.strictEqual(first!.name, "/")
          assert.strictEqual(first!.flags & (O_NOFOLLOW | O_NOFOLLOW_ANY), O_NOFOLLOW | O_NOFOLLOW_ANY)
          assert.isAbove(rest.length, 4)
          for (const { flags, name } of rest) {
            assert.strictEqual(flags & (O_NOFOLLOW | O_NOFOLLOW_ANY), bit, name)
            assert.strictEqual(flags & always, always, name)
          }
          // Only the root is opened by an absolute path, and each name by itself.
          for (const { name } of rest.filter(({ name }) => name !== "/")) assert.notInclude(name, "/")
        }
      )
    })
  }

  it.effect("any other failure of the first open is the walk's, and O_NOFOLLOW_ANY is not concluded from it", () => {
    const log: Array<Opened> = []
    const failing: Change = (calls) => ({
      openAt: (directory, name, flags) => {
        log.push({ name: nameOf(name), flags })
        return nameOf(name) === "/" && log.length === 1 ? -5 : calls.openAt(directory, name, older(flags))
      }
    })
    return Effect.map(
      walks(failing, drawing, () => {}),
      () => assert.fail("a walk without a root")
    ).pipe(
      Effect.catchCause(() =>
        Effect.sync(() => {
          assert.strictEqual(log.length, 1)
        })
      )
    )
  })

  it.effect("a failure is told by macOS's numbers", () => {
    let errno = 0
    const rows: ReadonlyArray<readonly [number, Fault]> = [
      [62, "link"],
      [63, "name_too_long"],
      [102, "special"],
      [24, "exhausted"],
      [13, "not_permitted"],
      [18, "other_device"],
      [11, "io"],
      [22, "io"],
      [36, "io"],
      [40, "io"],
      [45, "io"],
      [78, "io"]
    ]
    return walks(
      (calls) => ({ openAt: (...args) => (errno === 0 ? calls.openAt(...args) : -errno) }),
      { "a.md": "" },
      (walk, top, world) => {
        const before = world.held()
        for (const [next, fault] of rows) {
          errno = next
          assert.strictEqual(walk.file(top, "a.md", "within"), fault, String(next))
        }
        errno = 0
        assert.strictEqual(world.held(), before)
        assert.isFalse(isFault(walk.file(top, "a.md", "within")))
      }
    )
  })

  it.effect("a failure to read likewise", () =>
    walks(
      () => ({ readAt: () => -40 }),
      { "a.md": "text" },
      (walk, top) => {
        const note = got(walk.file(top, "a.md", "within"))
        assert.deepStrictEqual(walk.read(note, 4), { consumed: 0, refused: "io" })
      }
    )
  )

  it.effect("what is no directory holds nothing", () =>
    walks(unchanged, drawing, (walk, top, world) => {
      const before = world.held()
      assert.strictEqual(walk.directory(top, "b.md", "within"), "not_directory")
      assert.strictEqual(walk.directory(top, "b.md", "across"), "not_directory")
      assert.strictEqual(world.held(), before)
    })
  )

  it.effect("what is no directory is still told apart when looking at it fails", () => {
    let opens = 0
    return walks(
      (calls) => ({
        openAt: (directory, name, flags) => {
          if (nameOf(name) !== "b.md") return calls.openAt(directory, name, flags)
          opens += 1
          return opens === 1 ? -20 : -5
        }
      }),
      { "b.md": "" },
      (walk, top) => assert.strictEqual(walk.directory(top, "b.md", "within"), "not_directory")
    )
  })
})

describe.skipIf(lackOfSimulation !== undefined)(unless("spelling", lackOfSimulation), () => {
  const blindly = (look: () => void): void => {
    const { caseBlind } = simulation()
    caseBlind(true)
    try {
      look()
    } finally {
      caseBlind(false)
    }
  }

  it.effect("on a volume that is blind to case a name opens as the listing shows it and in no other way", () =>
    walks(unchanged, { Notes: { "note.md": "text" }, "a.md": "" }, (walk, top, world) =>
      blindly(() => {
        const notes = got(walk.directory(top, "Notes", "within"))
        const before = world.held()
        for (const spelled of ["notes", "NOTES"]) {
          assert.strictEqual(walk.directory(top, spelled, "within"), "missing")
          assert.strictEqual(walk.directory(top, spelled, "across"), "missing")
          assert.strictEqual(walk.file(top, spelled, "within"), "missing")
        }
        for (const spelled of ["NOTE.MD", "Note.md", "note.MD"]) {
          assert.strictEqual(walk.file(notes, spelled, "within"), "missing")
        }
        assert.strictEqual(world.held(), before)
        assert.deepStrictEqual(
          got(walk.list(notes, 9)).entries.map(({ name }) => name),
          ["note.md"]
        )
        assert.isFalse(isFault(walk.file(notes, "note.md", "within")))
      })
    )
  )

  for (const [title, path, fault] of [
    ["a failure to tell it is the open's", -5, "io"],
    ["a path without an end is no path", "x".repeat(1024), "io"],
    ["a longer name that ends so is another", "/x/ba.md\0", "missing"],
    ["a shorter one is another", "/x/.md\0", "missing"],
    ["one that it begins with is another", "/x/a\0", "missing"],
    ["one that goes on is another", "/x/a.md.txt\0", "missing"],
    ["the name of a parent is another", "/a.md/x\0", "missing"]
  ] as const) {
    it.effect(title, () => {
      let broken = false
      return walks(
        (calls) => ({
          ownPath: (descriptor, into) => {
            if (!broken) return calls.ownPath(descriptor, into)
            if (typeof path === "number") return path
            into.set(Buffer.from(path))
            return 0
          }
        }),
        { "a.md": "", sub: {} },
        (walk, top, world) => {
          const before = world.held()
          broken = true
          assert.strictEqual(walk.file(top, "a.md", "within"), fault)
          assert.strictEqual(world.held(), before)
        }
      )
    })
  }
})

describe.skipIf(lack !== undefined)(unless("the volume of an entry", lack), () => {
  const failing = (name: "status" | "volume") => {
    let broken = false
    const change: Change = (calls) =>
      name === "status"
        ? { status: (descriptor) => (broken ? "io" : calls.status(descriptor)) }
        : { volume: (descriptor, into) => (broken ? -5 : calls.volume(descriptor, into)) }
    return { change, break: () => void (broken = true) }
  }

  for (const name of ["status", "volume"] as const) {
    it.effect(`what cannot be told of it (${name}) opens nothing, and holds nothing`, () => {
      const fails = failing(name)
      return walks(fails.change, { "a.md": "", sub: {} }, (walk, top, world) => {
        got(walk.facts(top))
        const before = world.held()
        fails.break()
        assert.strictEqual(walk.file(top, "a.md", "within"), "io")
        assert.strictEqual(walk.directory(top, "sub", "within"), "io")
        assert.strictEqual(walk.facts(top), "io")
        assert.strictEqual(world.held(), before)
      })
    })
  }

  it.effect("interrupted calls are made again", () => {
    if (lackOfSimulation !== undefined) return Effect.void
    const { interrupt, interruptionsLeft } = simulation()
    return walks(unchanged, { "a.md": "text", sub: {} }, (walk, top) => {
      interrupt(3)
      const note = got(walk.file(top, "a.md", "within"))
      assert.strictEqual(interruptionsLeft(), 0)
      interrupt(2)
      assert.deepStrictEqual(walk.read(note, 4), { consumed: 4, text: "text" })
      interrupt(2)
      assert.strictEqual(got(walk.list(top, 9)).raw, 2)
      interrupt(2)
      got(walk.facts(note))
      assert.strictEqual(interruptionsLeft(), 0)
    })
  })
})
