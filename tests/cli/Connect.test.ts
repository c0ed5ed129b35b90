/** `connect hermes` and `disconnect hermes`, as an operator sees them. (issue 7 item 4) */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { connectCalls, lockHome } from "memory-bridge/connect/Places"
import { expect } from "vitest"
import { remove, tree } from "../connect/support/Homes.ts"
import { current, type Ended, environment, pluginBuilt, run, top } from "./given/Cli.ts"
import { folder } from "./given/Folder.ts"
import { transcript } from "./given/Transcript.ts"

const config = [
  "# my Hermes",
  "model: none # keep",
  "memory:",
  "    provider: 'mem0'   # for now",
  "",
  "plugins:",
  "    enabled: [weather]",
  ""
].join("\n")

const workshop = (text = config): string => folder({ "home/config.yaml": text })
const home = ["--home", "home"]

/** What a build changes is not what is shown here. */
const steady = (text: string): string =>
  text
    .replaceAll(/\b\d+ files?\b/g, "N files")
    .replaceAll(/\b\d+\.\d+\.\d+,/g, "VERSION,")
    .replaceAll(/\b\d+\.\d+\.\d+ is there/g, "VERSION is there")

const everyday = [
  ["connect", "hermes", ...home, "--dry-run"],
  ["connect", "hermes", ...home],
  ["connect", "hermes", ...home, "--plugins", "memory-bridge", "--yes"],
  ["connect", "hermes", ...home, "--yes"],
  ["connect", "hermes", ...home, "--yes"],
  ["disconnect", "hermes", ...home, "--dry-run"],
  ["disconnect", "hermes", ...home],
  ["disconnect", "hermes", ...home, "--yes"],
  ["disconnect", "hermes", ...home, "--yes"]
]

const mistakes = [
  ["connect", "claude"],
  ["connect", "hermes", ...home, "--plugins", "hy-memory"],
  ["connect", "hermes", "--home", "none", "--yes"],
  ["connect", "hermes", "--home", "twice", "--yes"],
  ["connect", "hermes", "--home", "taken", "--yes"],
  ["connect", "hermes", "--home", "off", "--yes"],
  ["disconnect", "hermes", "--home", "open", "--yes"]
]

interface Typing {
  readonly answer: string
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
}

/** In a pseudo terminal, with that answer once it asks. */
const typed = (made: string, args: ReadonlyArray<string>, { answer, columns = 80, env = {} }: Typing): Ended => {
  const driver = join(top, "tests/connect/support/terminal.py")
  const { status, stderr, stdout } = spawnSync(
    "python3",
    ["-I", driver, `${columns}`, 'type "yes": ', answer, current.node, current.script, ...args],
    { encoding: "utf8", cwd: made, env: environment({ TERM: "xterm-256color", ...env }), timeout: 60_000 }
  )
  return { code: status, stdout: stdout.replaceAll("\r\n", "\n"), stderr }
}

describe.skipIf(!pluginBuilt)(
  `connect and disconnect${pluginBuilt ? "" : " (skipped: dist/hermes is not built)"}`,
  () => {
    it("look like this in everyday use", async () => {
      const made = workshop()
      await expect(steady(transcript(made, everyday, current))).toMatchFileSnapshot("golden/connect.txt")
      assert.deepStrictEqual(Object.keys(tree(join(made, "home"))), ["config.yaml"])
      assert.strictEqual(fs.readFileSync(join(made, "home/config.yaml"), "utf8"), config)
    })

    it("look like this when something is wrong, or was changed meanwhile", async () => {
      const made = folder({
        "twice/config.yaml": "a: 1\na: 2\n",
        "taken/plugins/hy_memory/plugin.yaml": "name: hy_memory\n",
        "off/config.yaml": "plugins:\n  disabled: [hermes-guardian]\n",
        "open/": "",
        "home/config.yaml": config
      })
      fs.chmodSync(join(made, "open"), 0o777)
      const wrong = transcript(made, mistakes, current)
      const connected = run(current, ["connect", "hermes", ...home, "--yes"], { cwd: made })
      assert.strictEqual(connected.code, 0, connected.stderr)
      const file = join(made, "home/config.yaml")
      fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("hy_memory", "honcho"))
      fs.appendFileSync(join(made, "home/plugins/memory-bridge/tools.py"), "# mine\n")
      fs.writeFileSync(join(made, "home/plugins/hy_memory/connection.json"), "{}")
      const changed = transcript(made, [["disconnect", "hermes", ...home, "--yes"]], current)
      await expect(steady(`${wrong}\n${changed}`)).toMatchFileSnapshot("golden/connect-mistakes.txt")
      assert.strictEqual(fs.readFileSync(file, "utf8"), config.replace("'mem0'", "honcho"))
    })

    it("take a yes in a terminal, and nothing else for one", () => {
      const made = workshop()
      const args = ["connect", "hermes", ...home]
      for (const answer of ["", "y", "no", "^C"]) {
        const refused = typed(made, args, { answer, env: { NO_COLOR: "1" } })
        assert.notStrictEqual(refused.code, 0, refused.stdout)
        assert.deepStrictEqual(Object.keys(tree(join(made, "home"))), ["config.yaml"], answer)
      }
      const plain = typed(made, args, { answer: "yes", columns: 40, env: { NO_COLOR: "1" } })
      assert.strictEqual(plain.code, 0, plain.stdout)
      assert.include(plain.stdout, "Connected.\n")
      // Without colour there is nothing in it but text; the terminal's own line editing is before the answer.
      assert.notInclude(plain.stdout, "\u001b[3")
      assert.strictEqual(fs.readFileSync(join(made, "home/config.yaml"), "utf8").match(/hy_memory/g)?.length, 1)
      const coloured = typed(made, ["disconnect", "hermes", ...home], { answer: "yes" })
      assert.strictEqual(coloured.code, 0, coloured.stdout)
      assert.include(coloured.stdout, "\u001b[31m-    provider: hy_memory")
      assert.strictEqual(fs.readFileSync(join(made, "home/config.yaml"), "utf8"), config)
    })

    const hasPatch = spawnSync("patch", ["--version"]).status === 0
    it.skipIf(!hasPatch)(`show a difference that patch applies${hasPatch ? "" : " (skipped: no patch)"}`, () => {
      const made = workshop()
      const difference = (command: string): string => {
        const { stdout } = run(current, [command, "hermes", ...home, "--dry-run"], { cwd: made })
        return stdout.slice(stdout.indexOf("--- config.yaml"), stdout.indexOf("Nothing was changed"))
      }
      const copy = join(made, "copy")
      for (const command of ["connect", "disconnect"]) {
        fs.cpSync(join(made, "home/config.yaml"), join(copy, "config.yaml"), { recursive: true, force: true })
        const patched = spawnSync("patch", ["-p0"], { cwd: copy, input: difference(command), encoding: "utf8" })
        assert.strictEqual(patched.status, 0, patched.stdout)
        assert.strictEqual(run(current, [command, "hermes", ...home, "--yes"], { cwd: made }).code, 0)
        const [file, wanted] = [join(made, "home/config.yaml"), join(copy, "config.yaml")]
        assert.strictEqual(fs.readFileSync(file, "utf8"), fs.readFileSync(wanted, "utf8"))
        remove(copy)
      }
    })

    it("never write to a terminal what it would act on", () => {
      const made = workshop('model: x # \u202Eevil\u0085\nmemory:\n  provider: "a\\e[2J"\n')
      const { stderr, stdout } = run(current, ["connect", "hermes", ...home, "--dry-run"], { cwd: made })
      for (const sign of ["\u202E", "\u0085", "\u001B"]) assert.notInclude(stdout + stderr, sign)
      const other = workshop('model: x # \u202Eevil\nmemory:\n  provider: "a\\e[2J"\n')
      const shown = run(current, ["connect", "hermes", ...home, "--dry-run"], { cwd: other })
      assert.strictEqual(shown.code, 0, shown.stderr)
      for (const sign of ["\u202E", "\u001B"]) assert.notInclude(shown.stdout, sign)
      assert.include(shown.stdout, "\\u{202e}evil")
    })

    it("wait for nobody: a home that is at work on is refused", () => {
      const made = workshop()
      const held = lockHome(connectCalls(), join(made, "home"))
      assert.isTrue(Result.isSuccess(held))
      for (const command of ["connect", "disconnect"]) {
        const refused = run(current, [command, "hermes", ...home, "--yes"], { cwd: made })
        assert.deepStrictEqual([refused.code, refused.stdout], [2, ""])
        assert.include(refused.stderr, "locked")
      }
      if (Result.isSuccess(held)) connectCalls().close(held.success)
      assert.strictEqual(run(current, ["disconnect", "hermes", ...home, "--yes"], { cwd: made }).code, 0)
    })

    it("take the home that Hermes would take", () => {
      const made = workshop()
      const env = { HERMES_HOME: join(made, "home"), HOME: made }
      assert.strictEqual(run(current, ["connect", "hermes", "--plugins", "hy_memory", "--yes"], { env }).code, 0)
      assert.isTrue(fs.existsSync(join(made, "home/plugins/hy_memory/provider.py")))
      assert.strictEqual(run(current, ["disconnect", "hermes", "--yes"], { env }).code, 0)
    })
  }
)
