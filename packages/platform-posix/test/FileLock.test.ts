/** Seed 004 "Lock acquisition is nonblocking": at once or not at all, and gone with its holder. */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { fileLock } from "@memory-bridge/platform-posix/FileLock"

describe("a file lock", () => {
  const { giveBack, take: lock } = fileLock()
  let folder = ""
  let path = ""
  beforeAll(() => {
    folder = fs.mkdtempSync(join(tmpdir(), "guard-lock-"))
    path = join(folder, "file")
    fs.writeFileSync(path, "")
  })
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

  it("is taken while another descriptor holds it, and free when that is closed", () => {
    const one = fs.openSync(path, "r+")
    const two = fs.openSync(path, "r+")
    assert.strictEqual(lock(one), "locked")
    assert.strictEqual(lock(one), "locked")
    assert.strictEqual(lock(two), "taken")
    fs.closeSync(one)
    assert.strictEqual(lock(two), "locked")
    fs.closeSync(two)
  })

  it("is free when it was given back", () => {
    const one = fs.openSync(path, "r+")
    const two = fs.openSync(path, "r+")
    assert.strictEqual(lock(one), "locked")
    assert.strictEqual(giveBack(one), "unlocked")
    assert.strictEqual(lock(two), "locked")
    assert.strictEqual(lock(one), "taken")
    fs.closeSync(one)
    fs.closeSync(two)
  })

  it("fails on what is no open file", () => {
    assert.strictEqual(lock(-1), "failed")
    assert.strictEqual(lock(1_000_000), "failed")
    assert.strictEqual(giveBack(-1), "failed")
  })

  it("of another process counts, and ends with a kill", async () => {
    const module = import.meta.resolve("@memory-bridge/platform-posix/FileLock")
    const program =
      `import { openSync } from "node:fs"; import { fileLock } from ${JSON.stringify(module)};` +
      'process.stdout.write(fileLock().take(openSync(process.argv[1], "r+"))); setInterval(() => {}, 1000)'
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, path])
    const said = await new Promise<string>((resolve) => child.stdout.once("data", (data) => resolve(String(data))))
    const descriptor = fs.openSync(path, "r+")
    assert.strictEqual(said, "locked")
    assert.strictEqual(lock(descriptor), "taken")
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await gone
    assert.strictEqual(lock(descriptor), "locked")
    fs.closeSync(descriptor)
  })
})
