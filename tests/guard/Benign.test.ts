/** Issue 3: a benign corpus of at least 200 ordinary calls, with the number of those that the guard gets wrong. */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { decide } from "@memory-bridge/core/guard/Decide"
import { selfRoots } from "@memory-bridge/core/guard/Installation"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import { openTools, policyOf } from "../../packages/core/test/guard/Given.ts"
import { benign, beyondTheGrammar } from "./support/BenignCalls.ts"

interface Call {
  readonly line: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What is there when the agent begins; the rest of the paths are future. */
const files = [
  "proj/README.md",
  "proj/package.json",
  "proj/src/main.ts",
  "proj/src/server/http.ts",
  "proj/src/app/[id]/page.tsx",
  "proj/.env",
  "proj/.env.example",
  "proj/.env.d/readme",
  "proj/docs/v1.2/changes.md",
  "proj/docs/guide.md",
  "proj/dist/main.js",
  "proj/release/1/app.js",
  "proj/data/a b c.txt",
  "proj/data/日本語/メモ.md",
  "proj/node_modules/effect/package.json",
  "proj/node_modules/typescript/bin/tsc",
  "notes/inbox.md",
  "notes/2026/01/31.md",
  "Documents/Tax 2025/summary.txt",
  ".bashrc",
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".hermes/config.yaml",
  ".sshx/readme",
  "store/index.js"
]

const makeHome = (): string => {
  const home = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "guard-benign-")))
  for (const file of files) {
    fs.mkdirSync(dirname(join(home, file)), { recursive: true })
    fs.writeFileSync(join(home, file), "x")
  }
  fs.symlinkSync("1", join(home, "proj/release/current"))
  fs.mkdirSync(join(home, "proj/node_modules/.bin"))
  fs.symlinkSync("../typescript/bin/tsc", join(home, "proj/node_modules/.bin/tsc"))
  fs.symlinkSync(join(home, "store"), join(home, "proj/node_modules/linked"))
  fs.mkdirSync(join(home, "proj/node_modules/pnpm"))
  fs.linkSync(join(home, "store/index.js"), join(home, "proj/node_modules/pnpm/index.js"))
  return home
}

const callOf = (line: string, home: string): Call => {
  const [, kind = "", workdir, rest = ""] = /^(\w)(?:@(\S+))? (.*)$/.exec(line) ?? []
  const expand = (text: string) => text.replaceAll(/(?<=^|[ "'@])~(?=\/)/g, home)
  const path = expand(rest)
  switch (kind) {
    case "R":
      return { line, tool: "read_file", args: { path } }
    case "W":
      return { line, tool: "write_file", args: { path, content: "text" } }
    case "P":
      return { line, tool: "patch", args: { path, old_string: "a", new_string: "b" } }
    default:
      return {
        line,
        tool: "terminal",
        args: { command: path, timeout: 60, ...(workdir === undefined ? {} : { workdir: expand(workdir) }) }
      }
  }
}

const linesOf = (text: string): ReadonlyArray<string> => text.trim().split("\n")

describe("ordinary calls", () => {
  let home = ""
  beforeAll(() => {
    home = makeHome()
  })
  afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

  const verdicts = (lines: ReadonlyArray<string>) => {
    const at = (path: string) => join(home, path)
    const policy = policyOf(openTools, {
      [at(".ssh")]: "block",
      [at(".aws")]: "block",
      [at(".hermes")]: "block",
      [at("proj/.env")]: "block"
    })
    const self = selfRoots({
      hermes_home: at(".hermes"),
      user_home: home,
      plugin_source: at(".hermes/plugins/hermes-guardian"),
      backups: []
    })
    return lines.map((line) => {
      const { args, tool } = callOf(line, home)
      return { line, decision: decide(policy, self, posixView, tool, args).decision }
    })
  }

  it("none that the guard can check is blocked, unless it takes something protected along", () => {
    const all = verdicts(linesOf(benign))
    const blocked = all.filter(({ decision }) => decision.action === "block")
    // Whoever moves the project moves its secret file: the seed's rule about ancestors, and no mistake.
    const wrong = blocked.filter(({ line }) => line !== "T mv ~/proj ~/proj2")
    process.stdout.write(`benign: ${all.length} calls, ${wrong.length} false positives\n`)
    assert.isAtLeast(all.length, 200)
    assert.deepStrictEqual(
      wrong.map(({ decision, line }) => `${line}: ${decision.reason}`),
      []
    )
    assert.strictEqual(blocked.length, 1)
  })

  it("the price of the grammar: harmless commands that it cannot read are blocked, and for that reason", () => {
    const all = verdicts(linesOf(beyondTheGrammar))
    process.stdout.write(`benign: ${all.length} more, all beyond the grammar and blocked by design\n`)
    for (const { decision, line } of all) assert.strictEqual(decision.reason, "command_unsupported", line)
  })

  it("the same calls on something protected are blocked", () => {
    const spoiled = linesOf(benign)
      .filter((line) => /^[RWP] ~\/(proj|notes)\/[\w./-]+$/.test(line) && !line.includes(".."))
      .map((line) => line.replace(/~\/(proj|notes)\//, "~/.ssh/"))
    assert.isAbove(spoiled.length, 60)
    for (const { decision, line } of verdicts(spoiled)) assert.strictEqual(decision.action, "block", line)
  })
})
