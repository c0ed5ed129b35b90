/** Opening where `openat2` is missing, forbidden or failing; that both ways answer alike is the contract's to say. */
import { type DirectoryHandle, type Fault, isFault, type Walk } from "@memory-bridge/core/tree/Tree"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { link } from "../../../tests/contract/Drawing.ts"
import { got } from "../../../tests/contract/Walking.ts"
import { walks } from "./changedCalls.ts"
import { EACCES, EAGAIN, EINVAL, EIO, EMFILE, ENOSYS, EPERM } from "./errnos.ts"

const opensAsEver = (walk: Walk, top: DirectoryHandle): void => {
  assert.isFalse(isFault(walk.file(top, "a.md", "within")))
  assert.isFalse(isFault(walk.directory(top, "sub", "within")))
  assert.strictEqual(walk.file(top, "to-file", "within"), "link")
}

describe("where openat2 is not to be had", () => {
  for (const [why, errno] of [
    ["the kernel has none", ENOSYS],
    ["a sandbox forbids it", EPERM]
  ] as const) {
    it.effect(`${why}: it is tried once in a walk, and once again in the next`, () => {
      let tries = 0
      return Effect.map(
        walks(
          () => ({
            openAt2: () => {
              tries += 1
              return -errno
            }
          }),
          { "a.md": "", sub: {}, "to-file": link("a.md") },
          opensAsEver,
          opensAsEver
        ),
        () => assert.strictEqual(tries, 2)
      )
    })
  }

  it.effect("a real EPERM stays one", () =>
    walks(
      (calls) => ({
        openAt2: () => -EPERM,
        openAt: (directory, name, flags) =>
          Buffer.from(name).toString().startsWith("shut") ? -EPERM : calls.openAt(directory, name, flags)
      }),
      { shut: "", "a.md": "" },
      (walk, top) => {
        assert.strictEqual(walk.file(top, "shut", "within"), "not_permitted")
        assert.isFalse(isFault(walk.file(top, "a.md", "within")))
      }
    )
  )

  it.effect("any other failure is the answer, and nothing else is tried", () => {
    let errno = 0
    const rows: ReadonlyArray<readonly [number, Fault]> = [
      [EMFILE, "exhausted"],
      [EACCES, "not_permitted"],
      [EINVAL, "io"],
      [EAGAIN, "io"],
      [EIO, "io"]
    ]
    return walks(
      (calls) => ({
        openAt2: (directory, name, how) => (errno === 0 ? calls.openAt2(directory, name, how) : -errno)
      }),
      { "a.md": "" },
      (walk, top) => {
        for (const [next, fault] of rows) {
          errno = next
          assert.strictEqual(walk.file(top, "a.md", "within"), fault)
        }
        errno = 0
        assert.isFalse(isFault(walk.file(top, "a.md", "within")))
      }
    )
  })

  it.effect("an entry whose mount cannot be found out is not opened, and not held", () => {
    let broken = false
    return walks(
      (calls) => ({
        openAt2: () => -ENOSYS,
        statx: (descriptor, name, flags, mask, into) =>
          broken ? -EIO : calls.statx(descriptor, name, flags, mask, into)
      }),
      { "a.md": "", sub: {} },
      (walk, top) => {
        got(walk.facts(top))
        const before = fs.readdirSync("/proc/self/fd").length
        broken = true
        assert.strictEqual(walk.file(top, "a.md", "within"), "io")
        assert.strictEqual(walk.directory(top, "sub", "within"), "io")
        assert.strictEqual(fs.readdirSync("/proc/self/fd").length, before)
      }
    )
  })
})
