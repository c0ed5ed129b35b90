/** `doctor`: how everything stands, one cure for each finding, and nothing touched. (issue 7 item 2) */
import { assert, describe, it } from "@effect/vitest"
import { guaranteesOf } from "memory-bridge/operator/doctor/Guarding"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { expect } from "vitest"
import { begin, current, pluginBuilt, run, runInTerminal, top as repository } from "./given/Cli.ts"
import { exampleFolder, masked, put } from "./given/Folder.ts"

interface Finding {
  readonly area: string
  readonly severity: "ok" | "info" | "warning" | "error"
  readonly code: string
  readonly text: string
  readonly cure: string
  readonly details: ReadonlyArray<string>
}

interface Report {
  readonly version: number
  readonly home: string
  readonly worst: string
  readonly counts: Readonly<Record<string, number>>
  readonly findings: ReadonlyArray<Finding>
}

/** A folder with a home below it and the example policy in place. PATH has Node and nothing of a host. */
const made = (config?: string) => {
  const top = exampleFolder({ allow: ["**/*.md"] })
  const home = join(top, "home")
  put(top, "home/plugin-data/memory-bridge/policy.json", fs.readFileSync(join(top, "policy.json"), "utf8"))
  if (config !== undefined) put(top, "home/config.yaml", config)
  fs.mkdirSync(join(top, "bin"), { mode: 0o700 })
  fs.symlinkSync(process.execPath, join(top, "bin/node"))
  return { top, home }
}

const envOf = (top: string, more: Readonly<Record<string, string>> = {}) => ({
  HOME: top,
  PATH: join(top, "bin"),
  HERMES_SOURCE: "",
  ...more
})

const doctor = (top: string, more: Readonly<Record<string, string>> = {}) => {
  const ended = run(current, ["doctor", "--profile", "home", "--json"], { cwd: top, env: envOf(top, more) })
  assert.notStrictEqual(ended.stdout, "", ended.stderr)
  return { ...ended, report: JSON.parse(ended.stdout) as Report }
}

const codes = ({ findings }: Report): ReadonlyArray<string> => findings.map(({ code }) => code)
const found = ({ findings }: Report, code: string): Finding => {
  const finding = findings.find((each) => each.code === code)
  if (finding === undefined) throw new Error(`no ${code} in ${findings.map((each) => each.code).join(" ")}`)
  return finding
}

/** Every name, mode, owner, time and content below a folder. */
const hashOf = (folder: string): string => {
  const hash = createHash("sha256")
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
    const path = join(folder, name)
    const { gid, mode, mtimeNs, uid } = fs.lstatSync(path, { bigint: true })
    hash.update(`${name}\0${mode}\0${uid}\0${gid}\0${mtimeNs}\0`)
    if (fs.lstatSync(path).isFile()) hash.update(fs.readFileSync(path))
  }
  return hash.digest("hex")
}

const install = (home: string, ...names: ReadonlyArray<string>) => {
  for (const name of names)
    fs.cpSync(join(repository, "dist/hermes", name), join(home, "plugins", name), { recursive: true })
}

/** Itself, and not what chooses among several. */
const python = (
  spawnSync("python3", ["-I", "-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).stdout ?? ""
).trim()

const enabled = "plugins:\n  enabled: [memory-bridge, hermes-guardian]\nmemory:\n  provider: hy_memory\n"

const built = pluginBuilt ? "" : " (skipped: dist/hermes is not built)"

/** Without what is of this machine: versions, and the directories that lead to the folder. */
const steady = (text: string, top: string): string => {
  const above: Array<string> = ["/"]
  for (let path = dirname(top); path !== "/"; path = dirname(path)) above.push(path)
  return masked(
    text
      .split("\n")
      .filter((line) => !above.some((path) => line.trimStart().startsWith(`${path}: ok`)))
      .join("\n")
      .replaceAll("owner root (you)", "owner you")
      .replace(/Node \d+\.\d+\.\d+/g, "Node <version>")
      .replace(/landlock .*\[fence_landlock.*\]/, "landlock <as the kernel has it>"),
    top
  )
}

describe("doctor", () => {
  it.skipIf(!pluginBuilt)(`looks like this${built}`, async () => {
    const { top } = made("plugins:\n  enabled: []\n")
    fs.linkSync(join(top, "notes/projects/garden.md"), join(top, "notes/twice.md"))
    const { code, stdout } = run(current, ["doctor", "--profile", "home"], { cwd: top, env: envOf(top) })
    assert.strictEqual(code, 1)
    await expect(steady(stdout, top)).toMatchFileSnapshot("golden/doctor.txt")
  })

  it.skipIf(!pluginBuilt)(`finds whole and enabled plugins, and changes nothing${built}`, () => {
    const { home, top } = made(enabled)
    install(home, "memory-bridge", "hermes-guardian", "hy_memory")
    const before = hashOf(top)
    const { report } = doctor(top)
    assert.strictEqual(hashOf(top), before)
    assert.strictEqual(codes(report).filter((code) => code === "plugin_whole").length, 3)
    assert.strictEqual(codes(report).filter((code) => code === "plugin_enabled").length, 2)
    for (const code of ["provider_chosen", "fence_node_fs_write", "mode_notes", "mode_enforce", "audit_none"]) {
      found(report, code)
    }
    // The host is not there, so what it does with a hook is not known; nothing is worse than that.
    assert.includeMembers([...codes(report)], ["raising_unknown", "block_unknown"])
    assert.strictEqual(report.worst, "warning")
  })

  it.skipIf(!pluginBuilt)(`tells a plugin that is not whole, not enabled or in the wrong place${built}`, () => {
    const { home, top } = made("plugins:\n  disabled: [hermes-guardian]\n")
    install(home, "memory-bridge", "hermes-guardian")
    fs.appendFileSync(join(home, "plugins/memory-bridge/tools.py"), "# changed\n")
    fs.unlinkSync(join(home, "plugins/memory-bridge/shim/node.py"))
    fs.writeFileSync(join(home, "plugins/memory-bridge/more.py"), "")
    fs.writeFileSync(join(home, "plugins/memory-bridge/sidecar.cjs"), 'console.log("not ours")')
    fs.cpSync(join(repository, "dist/hermes/hy_memory"), join(home, "plugins/memory/hy_memory"), { recursive: true })
    const { code, report } = doctor(top)
    assert.strictEqual(code, 2)
    assert.deepStrictEqual(found(report, "plugin_not_whole").details, [
      "missing: shim/node.py",
      "changed: sidecar.cjs",
      "changed: tools.py",
      "not of the build: more.py"
    ])
    // What is not as it was built is looked at and never run.
    assert.notInclude(codes(report), "sidecar_silent")
    found(report, "plugin_not_enabled")
    found(report, "plugin_disabled")
    assert.include(found(report, "plugin_misplaced").cure, `mv -n '${home}/plugins/memory/hy_memory'`)
  })

  it("names the component of policy and root that is refused, with owner, mode and cure", () => {
    const { home, top } = made()
    fs.chmodSync(join(top, "notes"), 0o775)
    const root = doctor(top)
    assert.strictEqual(root.code, 2)
    const refused = found(root.report, "root_refused")
    assert.include(refused.details.at(-1)!, "group_writable (owner")
    assert.strictEqual(refused.cure, `chmod go-w '${top}/notes'`)
    fs.chmodSync(join(home, "plugin-data"), 0o777)
    assert.include(found(doctor(top).report, "policy_refused").details.at(-1)!, "world_writable")
  })

  it("counts what is skipped by reason, with an example and a cure", () => {
    const { top } = made()
    for (const name of ["one.md", "two.md"]) {
      put(top, `notes/${name}`, "x")
      fs.chmodSync(join(top, "notes", name), 0o666)
    }
    fs.symlinkSync("one.md", join(top, "notes/link.md"))
    const { code, report } = doctor(top)
    assert.strictEqual(code, 1)
    const open = found(report, "skipped_world_writable")
    assert.match(open.text, /2 entries, world_writable; one\.md/)
    assert.strictEqual(open.cure, `chmod go-w '${top}/notes/one.md'`)
    found(report, "skipped_link")
  })

  it.each([
    ["no policy", (home: string) => fs.rmSync(join(home, "plugin-data"), { recursive: true }), "policy_missing"],
    [
      "a config that others may write",
      (home: string) => fs.chmodSync(join(home, "config.yaml"), 0o666),
      "config_refused"
    ],
    [
      "a config that is no YAML",
      (home: string) => fs.writeFileSync(join(home, "config.yaml"), "a: ["),
      "config_unclear"
    ],
    [
      "a config that two readers read in two ways",
      (home: string) => fs.writeFileSync(join(home, "config.yaml"), "a: 1\na: 2\n"),
      "config_unclear"
    ]
  ])("tells of %s", (_, change, code) => {
    const { home, top } = made("plugins:\n  enabled: []\n")
    change(home)
    found(doctor(top).report, code)
  })

  it("tells what makes the guard decide otherwise than one would expect", () => {
    const entry =
      "plugins:\n  entries:\n    hermes-guardian:\n      settings:\n        mode: log_only\n" +
      "        policy: {default_action: allow, rules: [], protected_paths: []}\n" +
      "approvals:\n  mode: off\n  cron_mode: approve\n"
    const { home, top } = made(entry)
    fs.mkdirSync(join(home, "plugins/hermes-guardian"), { recursive: true })
    put(top, "home/plugin-data/hermes-guardian/audit.jsonl", "no record\n")
    const { report } = doctor(top, { HERMES_YOLO_MODE: "1" })
    for (const code of ["mode_log_only", "guard_default_allow", "approvals_off", "approvals_cron", "approvals_yolo"]) {
      assert.strictEqual(found(report, code).severity, "warning")
    }
    assert.isTrue(codes(report).some((code) => code.startsWith("audit_not_")))
    put(top, "home/config.yaml", entry.replace("log_only", "lax").replace("rules: []", "rules: 1"))
    assert.includeMembers([...codes(doctor(top).report)], ["mode_invalid", "guard_policy_invalid"])
  })

  it("tells that a memory server on this machine is open to browsers, and that one is silent", async () => {
    const { top } = made(
      "memory:\n  provider: hy_memory\nmcp_servers:\n  one-memory: {command: x}\n  memory: {command: y}\n"
    )
    const server = createServer((_, answer) => answer.end('{"status":"ok"}'))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const env = { HY_MEMORY_URL: `http://127.0.0.1:${port}`, HY_MEMORY_USER_ID: "me", HY_MEMORY_AGENT_ID: "it" }
    const { code, report } = doctor(top, env)
    assert.strictEqual(code, 2)
    found(report, "mode_direct")
    assert.include(found(report, "server_open_to_browsers").text, "Access-Control-Allow-Origin: *")
    found(report, "server_unreachable")
    found(report, "mcp_twice")
    found(report, "mcp_shadows")
    found(report, "provider_absent")
  })

  it("has the Broker prove itself, and tells when it is gone", async () => {
    const { home, top } = made("memory:\n  provider: hy_memory\n")
    const broker = begin(current, ["recall", "broker", "--home", home], { cwd: top, env: { HOME: top } })
    await broker.saw("connection")
    const folder = join(home, "plugins/hy_memory")
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    fs.copyFileSync(join(home, "plugin-data/memory-bridge/broker/connection.json"), join(folder, "connection.json"))
    fs.chmodSync(join(folder, "connection.json"), 0o600)
    found(doctor(top).report, "broker_proven")
    broker.process.kill("SIGKILL")
    await broker.ended
    const gone = doctor(top)
    assert.strictEqual(gone.code, 2)
    found(gone.report, "broker_unreachable")
    fs.chmodSync(join(folder, "connection.json"), 0o666)
    assert.strictEqual(found(doctor(top).report, "recall_connection_refused").severity, "error")
  })

  it("never shows a credential, wherever it lies", () => {
    const secret = "kingfisher-4f1c0a9be2d7"
    const { home, top } = made(
      `memory:\n  provider: hy_memory\nproviders:\n  x: {api_key: ${secret}}\nplugins:\n  entries:\n    memory-bridge: {settings: {node: "${secret}"}}\n`
    )
    put(top, "home/.env", `HY_MEMORY_API_KEY=${secret} x\nHY_MEMORY_USER_ID=me\nHY_MEMORY_AGENT_ID=it\n`)
    const text = run(current, ["doctor", "--profile", "home"], {
      cwd: top,
      env: envOf(top, { HY_MEMORY_URL: `http://u:${secret}@127.0.0.1:1` })
    })
    const { report, stderr, stdout } = doctor(top, { OPENAI_API_KEY: secret, HY_MEMORY_TIMEOUT: secret })
    found(report, "recall_setting_invalid")
    found(report, "node_setting_invalid")
    for (const shown of [text.stdout, text.stderr, stdout, stderr]) assert.notInclude(shown, secret)
    assert.isTrue(fs.existsSync(join(home, ".env")))
  })

  it("has a stable JSON form: a cure for whatever is wrong, codes in words", () => {
    const { home, top } = made()
    const { report } = doctor(top)
    assert.deepStrictEqual(Object.keys(report), ["version", "home", "worst", "counts", "findings"])
    assert.strictEqual(report.home, home)
    for (const finding of report.findings) {
      assert.deepStrictEqual(Object.keys(finding), ["area", "severity", "code", "text", "cure", "details"])
      assert.match(finding.code, /^[a-z][a-z_]*$/)
      if (finding.severity === "warning" || finding.severity === "error") assert.notStrictEqual(finding.cure, "")
    }
  })

  it("fits a narrow terminal but for what is to be copied, without colour where none is wanted", () => {
    const { home, top } = made()
    const args = ["doctor", "--profile", home]
    const plain = runInTerminal(current, args, 40, { NO_COLOR: "1", HOME: top }).stdout
    for (const line of plain.split("\n").filter((line) => !line.includes("-> "))) assert.isAtMost(line.length, 40, line)
    assert.notInclude(plain, "\u001b[3")
    assert.include(runInTerminal(current, args, 40, { HOME: top }).stdout, "\u001b[32mok")
  })

  it.skipIf(python === "")(
    `asks a host in a home of its own${python === "" ? " (skipped: needs python3)" : ""}`,
    () => {
      const { top } = made()
      put(
        top,
        "host/hermes_constants.py",
        "import os\nopen(os.path.join(os.environ['HERMES_HOME'], 'touched'), 'w')\ndef get_hermes_home(): pass\ndef get_hermes_home_override(): pass\n"
      )
      put(top, "host/hermes_cli/__init__.py", "__version__ = '0.20.1'\n")
      const before = hashOf(top)
      const { report } = doctor(top, { HERMES_SOURCE: join(top, "host"), HERMES_PYTHON: python })
      assert.include(found(report, "host_found").text, "0.20.1")
      assert.include(found(report, "helpers_missing").details, "agent.secret_scope.is_multiplex_active")
      assert.strictEqual(hashOf(top), before)
    }
  )
})

describe("what a host does with a hook", () => {
  it.each([
    [undefined, "unknown", "unknown"],
    [[0, 9, 0], "unknown", "unknown"],
    [[0, 20, 1], "proceeds", "first_wins"],
    [[0, 21, 3], "unknown", "first_wins"],
    [[0, 21, 5], "blocks", "beats"],
    [[0, 23, 5], "blocks", "beats"],
    [[1, 0, 0], "unknown", "unknown"]
  ] as const)("%s: a raise %s, a block %s", (version, raising, block) => {
    assert.deepStrictEqual(guaranteesOf(version), { raising, block })
  })
})
