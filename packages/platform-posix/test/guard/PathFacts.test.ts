/** Core `PathFacts` on a real tree: what each look says, and that only ENOENT is missing. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"

const look = (path: string) => posixView.look(path)

const found = (path: string) => {
  const entry = look(path)
  return typeof entry === "string" ? assert.fail(entry) : entry
}

describe("a look", () => {
  let folder = ""
  const at = (name: string) => join(folder, name)
  beforeAll(() => {
    folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "guard-look-")))
    fs.writeFileSync(at("file"), "x")
    fs.mkdirSync(at("directory"))
    fs.symlinkSync("../somewhere/else", at("link"))
    fs.linkSync(at("file"), at("other-name"))
    spawnSync("mkfifo", [at("pipe")])
  })
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

  it("tells directory, file, link and everything else apart, and follows no link", () => {
    assert.strictEqual(found(at("directory")).kind, "directory")
    assert.strictEqual(found(at("file")).kind, "file")
    assert.strictEqual(found(at("link")).kind, "link")
    assert.strictEqual(found(at("pipe")).kind, "other")
    assert.strictEqual(found("/").kind, "directory")
  })

  it("gives two names of one file one identity, and counts them", () => {
    assert.strictEqual(found(at("file")).id, found(at("other-name")).id)
    assert.strictEqual(found(at("file")).links, 2)
    assert.notStrictEqual(found(at("file")).id, found(at("directory")).id)
  })

  it("gives a link's target as it is written there", () => {
    assert.strictEqual(found(at("link")).target, "../somewhere/else")
    assert.strictEqual(found(at("file")).target, "")
  })

  it("only a name that is not there is missing", () => {
    assert.strictEqual(look(at("none")), "missing")
    assert.strictEqual(look(at("file/none")), "io")
    assert.strictEqual(look(at("x".repeat(300))), "name_too_long")
    assert.strictEqual(look(at("a\0b")), "io")
  })

  it("a target that is no UTF-8 is refused, not repaired", () => {
    const name = at("bytes")
    fs.symlinkSync(Buffer.from([0x2f, 0xff, 0xfe]), name)
    assert.strictEqual(look(name), "not_utf8")
  })

  it.skipIf(process.getuid?.() !== 0)("a directory that may not be searched is not an absent one (needs root)", () => {
    fs.mkdirSync(at("closed"), { mode: 0o700 })
    fs.chmodSync(folder, 0o755)
    const program =
      `import { posixView } from ${JSON.stringify(import.meta.resolve("@memory-bridge/platform-posix/guard/PathFacts"))};` +
      "process.stdout.write(JSON.stringify(process.argv.slice(1).map((path) => posixView.look(path))))"
    const nobody = 65_534
    const { stderr, stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", program, at("closed/x"), at("none"), at("closed/below/x")],
      { uid: nobody, gid: nobody, cwd: "/", encoding: "utf8" }
    )
    assert.strictEqual(stdout, '["not_permitted","missing","not_permitted"]', stderr)
  })
})
