/** Real access control lists: what the adapter reads of them is what `getfacl -n` prints. */
import type { AclEntry, AclSubject } from "@memory-bridge/core/tree/Acl"
import { Tree } from "@memory-bridge/core/tree/Tree"
import { layer } from "@memory-bridge/platform-linux/LinuxTree"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { hasSetfacl } from "../../../tests/contract/LinuxWorld.ts"
import { descend, got } from "../../../tests/contract/Walking.ts"

const subjectOf = (tag: string, id: string): AclSubject =>
  tag === "other"
    ? { kind: "everyone" }
    : tag === "user"
      ? id === ""
        ? { kind: "owner" }
        : { kind: "user", id: Number(id) }
      : id === ""
        ? { kind: "owning_group" }
        : { kind: "group", id: Number(id) }

/** The lines of `getfacl`, without the mask and without default entries. */
const printed = (target: string): ReadonlyArray<AclEntry> =>
  execFileSync("getfacl", ["-n", "-c", "-p", "-E", target], { encoding: "utf8" })
    .split("\n")
    .filter((line) => /^(user|group|other):/.test(line))
    .map((line) => {
      const [tag = "", id = "", permissions = ""] = line.split(":")
      return { subject: subjectOf(tag, id), write: permissions.includes("w") }
    })

const temporary = (below: string) =>
  Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(fs.realpathSync(below), "memory-bridge-acl-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
  )

/** ext4 keeps some hundred entries at most; tmpfs keeps as many as an attribute can hold. */
const large = fs.existsSync("/dev/shm") && fs.statfsSync("/dev/shm").type === 0x01021994

const read = (directory: string, name: string) =>
  Effect.gen(function* () {
    const walk = yield* (yield* Tree).walk
    return walk.acl(got(walk.file(descend(walk, directory.split("/").slice(1)), name, "within")))
  }).pipe(Effect.scoped, Effect.provide(layer))

describe.skipIf(!hasSetfacl)(`real lists${hasSetfacl ? "" : " (skipped: setfacl is not installed)"}`, () => {
  it.effect.each([
    "u:1234:rw",
    "u:1234:r,u:0:rwx",
    "g:50:rwx,g:51:r",
    "u:1:w,u:2:x,u:3:rwx,g:4:w,g:5:r,o::rw",
    "u:1234:rw,m::r",
    "u:4294967294:rw",
    "u::r,g::w,o::-"
  ])("setfacl -m %s", (spec) =>
    Effect.gen(function* () {
      const directory = yield* temporary(os.tmpdir())
      const target = path.join(directory, "a.md")
      fs.writeFileSync(target, "")
      // With a mask, because a list that says no more than the mode is not kept as a list.
      execFileSync("setfacl", ["-n", "-m", `${spec},m::rw`, target])
      assert.deepStrictEqual(yield* read(directory, "a.md"), { kind: "entries", entries: printed(target) })
    })
  )

  it.effect.skipIf(!large)(`a list of 700 users${large ? "" : " (skipped: no tmpfs at /dev/shm)"}`, () =>
    Effect.gen(function* () {
      const directory = yield* temporary("/dev/shm")
      const target = path.join(directory, "a.md")
      fs.writeFileSync(target, "")
      const users = Array.from({ length: 700 }, (_, index) => `u:${2000 + index}:${index % 2 === 0 ? "rw" : "r"}`)
      execFileSync("setfacl", ["-m", users.join(","), target])
      const reading = yield* read(directory, "a.md")
      assert.deepStrictEqual(reading, { kind: "entries", entries: printed(target) })
      assert.strictEqual(reading.kind === "entries" && reading.entries.length, 703)
    })
  )

  it.effect("a default list of a directory is for what is made in it, and no list of its own", () =>
    Effect.gen(function* () {
      const directory = yield* temporary(os.tmpdir())
      fs.mkdirSync(path.join(directory, "sub"))
      execFileSync("setfacl", ["-d", "-m", "u:1234:rwx", path.join(directory, "sub")])
      assert.deepStrictEqual(yield* read(directory, "sub"), { kind: "none" })
      fs.writeFileSync(path.join(directory, "sub", "a.md"), "")
      const reading = yield* read(path.join(directory, "sub"), "a.md")
      assert.deepStrictEqual(reading, { kind: "entries", entries: printed(path.join(directory, "sub", "a.md")) })
    })
  )

  it.effect("a removed list is none", () =>
    Effect.gen(function* () {
      const directory = yield* temporary(os.tmpdir())
      const target = path.join(directory, "a.md")
      fs.writeFileSync(target, "")
      execFileSync("setfacl", ["-m", "u:1234:rw", target])
      execFileSync("setfacl", ["-b", target])
      assert.deepStrictEqual(yield* read(directory, "a.md"), { kind: "none" })
    })
  )
})
