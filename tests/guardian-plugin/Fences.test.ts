/**
 * The guardian's sidecar can write its audit and nothing else: tried out with each fence alone, on every Node. (design.md
 * section 5, issue 3 part 6)
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build, bundle } from "../../scripts/build.mjs"
import { type Node, nodes } from "../sidecar/support/Nodes.ts"

interface Outcome {
  readonly fences: ReadonlyArray<{ readonly name: string; readonly holds: boolean; readonly detail?: string }>
  readonly audit: string
  readonly otherAudit: string
  readonly sync: ReadonlyArray<readonly [string, string]>
  readonly async: ReadonlyArray<readonly [string, string]>
  readonly removal: string
  readonly directory: string
}

let base = ""
let plugin = ""
let probe = ""
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "guardian-fences-"))
  await build(join(base, "dist"))
  plugin = join(base, "dist", "hermes", "hermes-guardian")
  // The probe goes where the product goes, so that it finds the native library in the same place.
  probe = join(plugin, "probe.cjs")
  await bundle(join(dirname(fileURLToPath(import.meta.url)), "support", "FenceProbe.ts"), probe)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** What there is besides the audit, by path below a fresh folder. */
const files = {
  "home/config.yaml": "model: none\n",
  "home/plugin-data/memory-bridge/policy.json": "{}",
  "outside/there": "x",
  "other/config.yaml": "model: none\n"
}

const makePlace = (): string => {
  const place = mkdtempSync(join(base, "place-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true, mode: 0o700 })
    writeFileSync(join(place, path), text, { mode: 0o600 })
  }
  return place
}

/** The command line that the shim itself makes for that Node and home, up to the script. */
const shimFlags = async (node: Node, home: string): Promise<ReadonlyArray<string>> => {
  const code = [
    "import json, sys, types",
    "sys.path.insert(0, sys.argv[1])",
    "import importlib.util",
    "from support import load",
    "plugin = load(sys.argv[2], 'hermes_plugins.hermes_guardian')",
    "node = sys.modules[plugin.__name__ + '.shim.node']",
    "found = node.Node('/node', tuple(int(part) for part in sys.argv[3].split('.')))",
    "finder = types.SimpleNamespace(find=lambda: found)",
    "hook = plugin.GuardianHook(None, None, finder, sys.argv[2], None)",
    "print(json.dumps(hook._command(sys.argv[4], False)))"
  ].join("\n")
  const support = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "packages", "hermes-plugin", "python_tests")
  const { stdout } = await promisify(execFile)("python3", ["-B", "-c", code, support, plugin, node.version, home])
  const words = JSON.parse(stdout) as ReadonlyArray<string>
  return words.slice(1, words.indexOf(join(plugin, "sidecar.cjs")))
}

const run = async (node: Node, place: string, flags: ReadonlyArray<string>): Promise<Outcome> => {
  const [home, other, outside] = ["home", "other", "outside"].map((name) => join(place, name)) as [
    string,
    string,
    string
  ]
  const { stdout } = await promisify(execFile)(node.path, [...flags, probe, home, other, outside], { env: {} })
  return JSON.parse(stdout) as Outcome
}

/** The audit was kept, every other attempt was refused with that code, and nothing else has changed. */
const check = (outcome: Outcome, place: string, code: string): void => {
  assert.strictEqual(outcome.audit, "kept")
  assert.strictEqual(outcome.otherAudit, "storage")
  for (const attempts of [outcome.sync, outcome.async]) {
    assert.lengthOf(attempts, 6)
    assert.deepStrictEqual(
      attempts.filter(([, result]) => result !== code),
      []
    )
  }
  assert.strictEqual(outcome.directory, code)
  for (const [path, text] of Object.entries(files)) assert.strictEqual(readFileSync(join(place, path), "utf8"), text)
  assert.isFalse(existsSync(join(place, "other", "plugin-data")))
}

describe.each(nodes)("on Node $version", (node) => {
  it("the permission model alone lets it write its audit and nothing else", async () => {
    const place = makePlace()
    const home = join(place, "home")
    check(await run(node, place, await shimFlags(node, home)), place, "ERR_ACCESS_DENIED")
  })

  it("the permission model holds too when everything is there from an earlier run", async () => {
    const place = makePlace()
    const home = join(place, "home")
    await run(node, place, await shimFlags(node, home))
    mkdirSync(join(home, "plugin-data", "hermes-guardian"), { recursive: true, mode: 0o700 })
    check(await run(node, place, await shimFlags(node, home)), place, "ERR_ACCESS_DENIED")
  })

  it.skipIf(process.platform !== "linux")(
    "so does Landlock alone, which keeps the audit from being removed too",
    async (context) => {
      const place = makePlace()
      const outcome = await run(node, place, ["--no-warnings"])
      const landlock = outcome.fences.find((fence) => fence.name === "landlock")
      if (landlock?.detail === "unsupported" || landlock?.detail === "disabled") return context.skip("needs Landlock")
      assert.isTrue(landlock?.holds)
      check(outcome, place, "EACCES")
      assert.strictEqual(outcome.removal, "EACCES")
    }
  )
})

describe("the probe", () => {
  it("would notice: without a fence it writes everywhere", async () => {
    const place = makePlace()
    // Landlock is raised by the probe itself, so what is shown is that the attempts are real.
    const script = `require("fs").appendFileSync(${JSON.stringify(join(place, "home", "config.yaml"))}, "x")`
    await promisify(execFile)(nodes[0]!.path, ["-e", script], { env: {} })
    assert.strictEqual(readFileSync(join(place, "home", "config.yaml"), "utf8"), "model: none\nx")
  })
})
