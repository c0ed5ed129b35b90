/** cases/recall.md 41: what a credential read must survive, each refusal with a reason of its own. */
import { assert, describe, it } from "@effect/vitest"
import { faultOf, readTrusted } from "@memory-bridge/platform-posix/recall/TrustedFiles"
import type { FileRule } from "@memory-bridge/core/recall/TrustedFile"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  promises,
  readdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { vi } from "vitest"
import { folder, isRoot } from "./Folder.ts"

const read = (path: string, rule: FileRule = "private", maxBytes = 100) =>
  Effect.map(
    Effect.promise(() => readTrusted(path, rule, maxBytes)),
    (reading) => (reading.kind === "text" ? `text ${reading.text}` : reading.fault)
  )

const write = (path: string, content: string | Uint8Array = "token", mode = 0o600): string => {
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

describe("a file is read when it is its owner's", () => {
  it.live("and nothing of it is changed", () =>
    Effect.gen(function* () {
      const at = yield* folder
      assert.strictEqual(yield* read(write(join(at, "a"), "token\n")), "text token\n")
      assert.strictEqual(yield* read(write(join(at, "b"), "")), "text ")
      assert.strictEqual(yield* read(write(join(at, "c"), "\ufeffx")), "text \ufeffx")
      assert.strictEqual(yield* read(write(join(at, "d"), "x".repeat(100))), `text ${"x".repeat(100)}`)
      assert.strictEqual(yield* read(write(join(at, "e"), "token", 0o400)), "text token")
    }).pipe(Effect.scoped)
  )
})

describe("what is there instead has a reason of its own", () => {
  it.live("nothing, a link, a dangling link, a directory, a pipe, a socket", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const path = (name: string) => join(at, name)
      write(path("real"))
      symlinkSync(path("real"), path("link"))
      symlinkSync(path("nowhere"), path("dangling"))
      mkdirSync(path("directory"))
      spawnSync("mkfifo", [path("pipe")])
      const server = createServer().listen(path("socket"))
      yield* Effect.promise(() => new Promise((resolve) => server.once("listening", resolve)))
      assert.strictEqual(yield* read(path("missing")), "missing")
      assert.strictEqual(yield* read(path("real/below")), "missing")
      assert.strictEqual(yield* read(path("link")), "link")
      assert.strictEqual(yield* read(path("dangling")), "link")
      assert.strictEqual(yield* read(path("directory")), "not_file")
      assert.strictEqual(yield* read(path("pipe")), "not_file", "and does not wait for a writer")
      assert.strictEqual(yield* read(path("socket")), "not_file")
      assert.strictEqual(yield* read(path("link"), "shared"), "text token")
      assert.strictEqual(yield* read(path("dangling"), "shared"), "missing")
      server.close()
    }).pipe(Effect.scoped)
  )

  it.live.each([
    [0o600, "text token", "text token"],
    [0o640, "readable_by_others", "text token"],
    [0o604, "readable_by_others", "text token"],
    [0o610, "readable_by_others", "text token"],
    [0o620, "writable_by_others", "writable_by_others"],
    [0o602, "writable_by_others", "writable_by_others"]
  ] as const)("mode %o is %s as private and %s as public", ([mode, asPrivate, asPublic]) =>
    Effect.gen(function* () {
      const path = write(join(yield* folder, "file"), "token", mode)
      assert.strictEqual(yield* read(path, "private"), asPrivate)
      assert.strictEqual(yield* read(path, "public"), asPublic)
    }).pipe(Effect.scoped)
  )

  it.live("a second name, too many bytes, bytes that are no text", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const path = write(join(at, "a"))
      linkSync(path, join(at, "b"))
      assert.strictEqual(yield* read(path), "hard_link")
      unlinkSync(join(at, "b"))
      assert.strictEqual(yield* read(path), "text token")
      assert.strictEqual(yield* read(write(join(at, "c"), "x".repeat(101))), "too_large")
      assert.strictEqual(yield* read(write(join(at, "d"), Uint8Array.of(0xc3, 0x28))), "not_utf8")
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!isRoot)(`somebody else's file${isRoot ? "" : " (skipped: needs root)"}`, () =>
    Effect.gen(function* () {
      const path = write(join(yield* folder, "file"))
      chownSync(path, 1234, 1234)
      assert.strictEqual(yield* read(path, "private"), "foreign_owner")
      assert.strictEqual(yield* read(path, "public"), "foreign_owner")
    }).pipe(Effect.scoped)
  )
})

describe("between the check and the read", () => {
  /** Does something to the path right after it was opened. */
  const afterOpen = (act: () => void) => {
    const { open } = promises
    const spy = vi.spyOn(promises, "open").mockImplementation(async (...args) => {
      const file = await open(...args)
      spy.mockRestore()
      act()
      return file
    })
  }

  it.live("a file that takes its place is judged anew", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const path = write(join(at, "file"), "first")
      write(join(at, "other"), "second", 0o666)
      afterOpen(() => renameSync(join(at, "other"), path))
      assert.strictEqual(yield* read(path), "writable_by_others")
      write(join(at, "third"), "third")
      chmodSync(path, 0o600)
      afterOpen(() => renameSync(join(at, "third"), path))
      assert.strictEqual(yield* read(path), "text third", "a replacement is read whole, or not at all")
    }).pipe(Effect.scoped)
  )

  it.live("one that lost its name is missing", () =>
    Effect.gen(function* () {
      const path = write(join(yield* folder, "file"))
      afterOpen(() => unlinkSync(path))
      assert.strictEqual(yield* read(path), "missing")
    }).pipe(Effect.scoped)
  )

  it.live("bytes that are added each time it is read are noticed", () =>
    Effect.gen(function* () {
      const path = write(join(yield* folder, "file"))
      const { open } = promises
      const spy = vi.spyOn(promises, "open").mockImplementation(async (...args) => {
        const file = await open(...args)
        const stat = file.stat.bind(file)
        file.stat = (async (options: never) => {
          const facts = await stat(options)
          appendFileSync(path, "more")
          return facts
        }) as never
        return file
      })
      const reading = yield* read(path)
      spy.mockRestore()
      assert.strictEqual(reading, "changed")
    }).pipe(Effect.scoped)
  )
})

it.live("no read leaves a descriptor open", () =>
  Effect.gen(function* () {
    const at = yield* folder
    write(join(at, "good"))
    write(join(at, "bad"), "token", 0o666)
    symlinkSync(join(at, "good"), join(at, "link"))
    const before = readdirSync("/dev/fd").length
    for (let count = 0; count < 50; count++) {
      for (const name of ["good", "bad", "link", "missing"]) yield* read(join(at, name))
    }
    assert.strictEqual(readdirSync("/dev/fd").length, before)
  }).pipe(Effect.scoped)
)

it("a socket or device without driver is no file, whichever way the system says so", () => {
  for (const code of ["ENXIO", "ENODEV", "EOPNOTSUPP"]) assert.strictEqual(faultOf({ code }), "not_file", code)
})
