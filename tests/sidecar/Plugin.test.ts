/**
 * The built plugin in a simulated host: Python shim, process boundary and core together, copied away from where it was
 * built, on every Node of this machine. (design.md sections 3 and 6)
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { unavailable } from "@memory-bridge/core/host/PublicAnswer"
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build } from "../../scripts/build.mjs"
import { fenceFlags, nodes } from "./support/Nodes.ts"

const here = dirname(fileURLToPath(import.meta.url))
const top = dirname(dirname(here))

let base = ""
let plugin = ""
let home = ""

const write = (path: string, content: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, content, { mode: 0o600 })
}

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "plugin-"))
  await build(join(base, "built"))
  plugin = join(base, "copied away 茶", "plugins", "memory-bridge")
  cpSync(join(base, "built", "hermes", "memory-bridge"), plugin, { recursive: true })
  rmSync(join(base, "built"), { recursive: true })
  home = join(base, "home")
  const root = join(base, "notes")
  write(
    join(home, "plugin-data", "memory-bridge", "policy.json"),
    JSON.stringify({ version: 1, root, allow: ["**"], deny: ["private/**"] })
  )
  write(join(root, "garden.md"), "# Garden 茶\n\nBlue asters.\n")
  write(join(root, "private", "secret.md"), "asters, but secret\n")
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const python = async (...args: ReadonlyArray<string>): Promise<string> =>
  (await promisify(execFile)("python3", ["-B", "-W", "error", ...args], { env: { PATH: process.env["PATH"] } })).stdout

interface Report {
  readonly result: unknown
  readonly log: ReadonlyArray<string>
}
const found = {
  ok: true,
  results: [{ id: "garden.md", title: "Garden 茶", snippet: "# Garden 茶 Blue asters." }],
  truncated: false
}
const invalid = (hint: string) => ({
  ok: false,
  error: { code: "invalid_request", message: "The request is not valid." },
  hint
})

describe.each(nodes)("the plugin on Node $version", (node) => {
  const run = async (scenario: string): Promise<Report> =>
    JSON.parse(await python(join(here, "support", "host.py"), scenario, plugin, home, node.path)) as Report

  it("answers through both tools, and judges arguments in the core", async () => {
    const { log, result } = await run("tools")
    const wrongSearch = invalid("pass only query (text) and, if wanted, limit (a whole number)")
    assert.deepStrictEqual(result, {
      search: found,
      limited: found,
      read: { ok: true, id: "garden.md", content: "# Garden 茶\n\nBlue asters.\n", truncated: false },
      denied: {
        ok: false,
        error: { code: "not_found_or_denied", message: "The document does not exist or may not be read." }
      },
      invalid: wrongSearch,
      not_json: wrongSearch,
      too_long: wrongSearch,
      no_arguments: wrongSearch
    })
    assert.include(
      log[0],
      `INFO hermes_plugins.memory_bridge sidecar: code=started node=${node.version} fences=node_fs_write`
    )
    assert.include(log.join("\n"), "sidecar: code=refused call=read reason=not_found_or_denied")
    for (const text of [base, "secret", "asters", "garden"]) assert.notInclude(log.join("\n"), text)
  })

  it("refuses runs that the policy does not admit, and a host without a helper, with the reason in the log", async () => {
    const { log, result } = await run("runs")
    assert.deepStrictEqual(result, {
      cron: unavailable,
      subagent: unavailable,
      no_helper: unavailable,
      cron_execution: unavailable
    })
    const refusals = log.filter((line) => line.includes("code=refused")).map((line) => /reason=(\w+)/.exec(line)?.[1])
    assert.deepStrictEqual(refusals, ["cron_refused", "subagent_refused", "helper_missing", "cron_refused"])
  })

  it("serves 300 calls of 50 threads with one process", async () => {
    assert.deepStrictEqual((await run("threads")).result, { served: 300, processes: 1 })
  })

  it("serves the next call when its sidecar was killed, and leaves no zombie", async () => {
    assert.deepStrictEqual(
      (await run("killed")).result,
      Array.from({ length: 5 }, () => [true, true, false])
    )
  })

  it("starts the sidecar with the first call, behind its fences, without a secret; unloading ends it", async () => {
    assert.deepStrictEqual((await run("surroundings")).result, {
      before: [],
      ok: true,
      environment: ["TZ"],
      command: fenceFlags(node),
      folder: "/",
      after: [],
      alive: false
    })
  })

  it("answers in time while its root is on a dead mount, and serves when that has come back", async (context) => {
    const { log, result } = await run("dead_disk")
    const { skipped } = result as { readonly skipped?: string }
    if (skipped !== undefined) return context.skip(skipped)
    assert.deepStrictEqual(result, {
      before: true,
      meanwhile: unavailable,
      in_time: true,
      left: true,
      served: "invalid_request",
      after: true,
      gone: true
    })
    assert.isTrue(log.some((line) => line.includes("memory_bridge_search: code=deadline_passed")))
  })

  it("leaves no sidecar behind when the host is killed", async () => {
    assert.deepStrictEqual((await run("orphan")).result, { ended: true })
  })
})

describe("the built plugin", () => {
  it("says `unavailable` in the very words of the core", async () => {
    const code = "import sys; sys.path.insert(0, sys.argv[1]); from shim.refusal import UNAVAILABLE; print(UNAVAILABLE)"
    const text = await python("-c", code, join(top, "packages", "hermes-plugin", "python"))
    assert.deepStrictEqual(JSON.parse(text), unavailable)
  })

  it("is complete, and holds nothing that the host would run by mistake", () => {
    const expected = [
      "README.md",
      "THIRD_PARTY.txt",
      "__init__.py",
      "node_modules",
      "plugin.yaml",
      "shim",
      "sidecar.cjs",
      "tools.py"
    ]
    assert.deepStrictEqual(
      readdirSync(plugin)
        .filter((name) => name !== "LICENSE")
        .toSorted(),
      expected
    )
    const native = join(plugin, "node_modules", "@koromix", `koffi-${process.platform}-${process.arch}`)
    assert.includeMembers(readdirSync(native), ["index.js", "package.json", "LICENSE.txt"])
  })

  it("needs nothing at run time but Node itself and the native library beside it", () => {
    const bundle = readFileSync(join(plugin, "sidecar.cjs"), "utf8")
    const required = [...bundle.matchAll(/\brequire\(\s*(["'`])(.*?)\1\s*\)/g)].map((match) => match[2]!)
    assert.isNotEmpty(required)
    for (const name of required) {
      assert.isTrue(name.startsWith("node:") || name.startsWith("@koromix/koffi-"), name)
    }
    assert.notInclude(bundle, top)
  })

  it("names the licence of everything that is bundled", () => {
    const text = readFileSync(join(plugin, "THIRD_PARTY.txt"), "utf8")
    for (const name of ["effect", "minimatch", "jsonc-parser", "koffi"])
      assert.match(text, new RegExp(`^${name} \\d`, "m"))
  })
})

describe("a build", () => {
  it("replaces what is there in one step and leaves nothing else behind", async () => {
    const out = join(base, "twice")
    const stale = join(out, "hermes", "memory-bridge", "stale.txt")
    write(stale, "x")
    const made = await build(out)
    assert.include(made, join(out, "hermes", "memory-bridge"))
    assert.deepStrictEqual(readdirSync(join(out, "hermes")).toSorted(), [
      "hermes-guardian",
      "hy_memory",
      "memory-bridge"
    ])
    assert.notInclude(readdirSync(dirname(stale)), "stale.txt")
  })
})
