/** `guardian report` writes one new file, the owner's alone, and nothing over anything. (issue 5 item 6) */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect } from "vitest"
import { writeNew } from "memory-bridge/report/NewFile"
import { canMount, without } from "../support/Capabilities.ts"
import { current, run } from "./given/Cli.ts"
import { folder } from "./given/Folder.ts"
import { transcript } from "./given/Transcript.ts"

const report = ["guardian", "report"]

const policy = (action: string) =>
  JSON.stringify({ default_action: "block", rules: [{ tool: "read_file", action }], protected_paths: [] })

const workshop = (): string => {
  const made = folder({
    "old.json": policy("approve"),
    "new.json": policy("allow"),
    "dead.json": "{}",
    "there.html": "mine\n",
    "directory/": ""
  })
  symlinkSync("there.html", join(made, "link.html"))
  symlinkSync("nowhere.html", join(made, "dangling.html"))
  return made
}

const given = ["--proposed", "new.json", "--policy", "old.json"]

describe("a report", () => {
  it("looks like this", async () => {
    const made = workshop()
    const files = ["review.html", "review.html", "link.html", "dangling.html", "directory", "none/review.html"]
    const commands = [
      ...files.map((file) => report.concat(given, "--html", file)),
      [...report, "--proposed", "dead.json", "--policy", "old.json", "--html", "other.html"],
      [...report, ...given]
    ]
    const text = transcript(made, commands, current, { HOME: made })
    await expect(text).toMatchFileSnapshot("golden/guardian-report.txt")
    assert.strictEqual(readFileSync(join(made, "there.html"), "utf8"), "mine\n")
    assert.deepStrictEqual(
      readdirSync(made).filter((name) => name.endsWith(".html")),
      ["dangling.html", "link.html", "review.html", "there.html"]
    )
    assert.isFalse(existsSync(join(made, "nowhere.html")))
  })

  it("is the owner's alone, whatever the mask, and holds what the review says", () => {
    const made = workshop()
    const before = process.umask(0)
    try {
      const { code } = run(current, [...report, ...given, "--html", "review.html"], { cwd: made, env: { HOME: made } })
      assert.strictEqual(code, 0)
    } finally {
      process.umask(before)
    }
    assert.strictEqual(statSync(join(made, "review.html")).mode & 0o777, 0o600)
    const page = readFileSync(join(made, "review.html"), "utf8")
    for (const part of ["<!doctype html>", "Policy review", join(made, "new.json"), "an ordinary read", "</html>"]) {
      assert.include(page, part)
    }
  })
})

describe("a new file", () => {
  it("is never written over another, nor through a link", () => {
    const made = workshop()
    for (const name of ["there.html", "link.html", "dangling.html", "directory"]) {
      assert.strictEqual(writeNew(join(made, name), "x"), "exists", name)
    }
    assert.strictEqual(writeNew(join(made, "none", "a.html"), "x"), "not_there")
    assert.strictEqual(writeNew(join(made, "there.html", "a.html"), "x"), "not_there")
    assert.strictEqual(readFileSync(join(made, "there.html"), "utf8"), "mine\n")
  })

  it.skipIf(!canMount)(`does not stay where it could not be written whole${without(canMount, "mounts")}`, () => {
    const made = folder({ "disk/": "" })
    const disk = join(made, "disk")
    assert.strictEqual(spawnSync("mount", ["-t", "tmpfs", "-o", "size=8k", "none", disk]).status, 0)
    try {
      assert.strictEqual(writeNew(join(disk, "a.html"), "x".repeat(100_000)), "failed")
      assert.deepStrictEqual(readdirSync(disk), [])
      assert.strictEqual(writeNew(join(disk, "a.html"), "x"), "written")
    } finally {
      spawnSync("umount", [disk])
    }
  })
})
