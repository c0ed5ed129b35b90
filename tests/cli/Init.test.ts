/** `init`: the first policy of a profile, shown before it is written. (issue 7 item 1) */
import { assert, describe, it } from "@effect/vitest"
import { writePolicy } from "memory-bridge/operator/InitFile"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { current, environment, run } from "./given/Cli.ts"
import { exampleFolder, masked, put } from "./given/Folder.ts"

const hasPython = spawnSync("python3", ["-I", "-c", "import pty"]).status === 0

const made = (): { readonly top: string; readonly home: string; readonly policy: string } => {
  const top = exampleFolder()
  const home = join(top, "home")
  fs.mkdirSync(home, { mode: 0o700 })
  return { top, home, policy: join(home, "plugin-data/memory-bridge/policy.json") }
}

const init = (top: string, ...args: ReadonlyArray<string>) =>
  run(current, ["init", "--home", "home", ...args], { cwd: top })

const mode = (path: string): number => fs.statSync(path).mode & 0o777

describe("init", () => {
  it("shows what would be served, then writes it 0600 in 0700 directories", async () => {
    const { home, policy, top } = made()
    const { code, stdout } = init(top, "--root", "notes", "--deny", "projects/private/**", "--yes")
    assert.strictEqual(code, 0)
    await expect(masked(stdout, top)).toMatchFileSnapshot("golden/init.txt")
    const modes = [policy, join(home, "plugin-data/memory-bridge"), join(home, "plugin-data")].map(mode)
    assert.deepStrictEqual(modes, [0o600, 0o700, 0o700])
    assert.deepStrictEqual(fs.readdirSync(join(home, "plugin-data/memory-bridge")), ["policy.json"])
    assert.strictEqual(run(current, ["read", "projects/garden.md", "--policy", policy]).code, 0)
    assert.strictEqual(run(current, ["read", "projects/private/budget.md", "--policy", policy]).code, 3)
  })

  it.each([
    ["a dry run", ["--root", "notes", "--dry-run"], 0],
    ["no terminal and no --yes", ["--root", "notes"], 1],
    ["no root", ["--yes"], 1],
    ["a pattern that is none", ["--root", "notes", "--allow", "a?", "--yes"], 1],
    ["a root that is not there", ["--root", "none", "--yes"], 2],
    ["a root that holds the home", ["--root", ".", "--yes"], 2]
  ])("writes nothing for %s", (_, args, code) => {
    const { home, top } = made()
    assert.strictEqual(init(top, ...args).code, code)
    assert.deepStrictEqual(fs.readdirSync(home), [])
  })

  it("never writes over a policy, a broken link included", () => {
    const { home, policy, top } = made()
    assert.strictEqual(init(top, "--root", "notes", "--yes").code, 0)
    const before = fs.readFileSync(policy, "utf8")
    const again = init(top, "--root", "notes", "--allow", "x/**", "--yes")
    assert.strictEqual(again.code, 2)
    assert.include(again.stderr, "never written over")
    assert.strictEqual(again.stdout, "", "said before anything is asked or shown")
    assert.strictEqual(fs.readFileSync(policy, "utf8"), before)
    fs.unlinkSync(policy)
    fs.symlinkSync(join(home, "elsewhere.json"), policy)
    assert.strictEqual(init(top, "--root", "notes", "--yes").code, 2)
    assert.isFalse(fs.existsSync(join(home, "elsewhere.json")))
  })

  it("does not write over one that came in the last moment, and leaves nothing beside it", async () => {
    const { home, policy, top } = made()
    put(top, "home/plugin-data/memory-bridge/policy.json", "theirs")
    assert.strictEqual(await writePolicy(policy, "ours"), "exists")
    assert.strictEqual(fs.readFileSync(policy, "utf8"), "theirs")
    assert.deepStrictEqual(fs.readdirSync(join(home, "plugin-data/memory-bridge")), ["policy.json"])
  })

  it("refuses a place and a root that others may write, with the cure", () => {
    const { home, top } = made()
    fs.chmodSync(join(top, "notes"), 0o777)
    const root = init(top, "--root", "notes", "--yes")
    assert.strictEqual(root.code, 2)
    assert.include(root.stderr, `chmod go-w '${top}/notes'`)
    fs.chmodSync(join(top, "notes"), 0o700)
    fs.mkdirSync(join(home, "plugin-data"))
    fs.chmodSync(join(home, "plugin-data"), 0o777)
    const place = init(top, "--root", "notes", "--yes")
    assert.strictEqual(place.code, 2)
    assert.include(place.stderr, `chmod go-w '${home}/plugin-data'`)
    assert.deepStrictEqual(fs.readdirSync(join(home, "plugin-data")), [])
  })

  it.skipIf(!hasPython)(`asks in a terminal${hasPython ? "" : " (skipped: needs python3 with pty)"}`, () => {
    const { home, policy, top } = made()
    const type = (turns: ReadonlyArray<readonly [string, string]>, env: Readonly<Record<string, string>>) =>
      spawnSync(
        "python3",
        [
          "-I",
          join(import.meta.dirname, "given/answers.py"),
          "40",
          JSON.stringify(turns),
          current.node,
          current.script,
          "init",
          "--home",
          home
        ],
        { cwd: top, encoding: "utf8", env: environment({ TERM: "xterm-256color", ...env }), timeout: 60_000 }
      )
    const asked = (write: string) =>
      [
        ["Folder of notes:", join(top, "notes")],
        ["Patterns to allow", "projects/**  decisions/*.md"],
        ["Patterns to deny", ""],
        ["Write it?", write]
      ] as const
    const no = type(asked("n"), {})
    assert.strictEqual(no.status, 1, no.stdout)
    assert.deepStrictEqual(fs.readdirSync(home), [])
    assert.include(no.stdout, "\u001b[1m")
    const yes = type(asked("y"), { NO_COLOR: "1" })
    assert.strictEqual(yes.status, 0, yes.stdout)
    assert.notInclude(yes.stdout, "\u001b[1m")
    const { allow, deny } = JSON.parse(fs.readFileSync(policy, "utf8")) as Record<string, ReadonlyArray<string>>
    assert.deepStrictEqual([allow, deny], [["projects/**", "decisions/*.md"], []])
  })
})
