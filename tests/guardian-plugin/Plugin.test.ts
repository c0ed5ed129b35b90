/**
 * The built guardian in a simulated host: Python hook, process boundary, core and audit together, copied away from where
 * it was built, on every Node of this machine. (seed 004, issue 3 part 6)
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { verify } from "@memory-bridge/platform-posix/guard/AuditVerify"
import { execFile } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build } from "../../scripts/build.mjs"
import { nodes } from "../sidecar/support/Nodes.ts"
import { request, start } from "../sidecar/support/Sidecar.ts"

const here = dirname(fileURLToPath(import.meta.url))

let base = ""
let plugin = ""
beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "guardian-plugin-")))
  await build(join(base, "built"))
  plugin = join(base, "copied away 茶", "plugins", "hermes-guardian")
  cpSync(join(base, "built", "hermes", "hermes-guardian"), plugin, { recursive: true })
  rmSync(join(base, "built"), { recursive: true })
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** A home that nothing was recorded in, and a project with a protected file. */
const makePlace = (): string => {
  const place = mkdtempSync(join(base, "place-"))
  mkdirSync(join(place, "home"), { mode: 0o700 })
  mkdirSync(join(place, "project"), { mode: 0o700 })
  writeFileSync(join(place, "project", "notes.md"), "# Notes\n")
  writeFileSync(join(place, "project", ".env"), "TOKEN=kingfisher\n")
  return place
}

const auditOf = (home: string): string => join(home, "plugin-data", "hermes-guardian", "audit.jsonl")

interface Report {
  readonly result: unknown
  readonly log: ReadonlyArray<string>
}

describe.each(nodes)("the built guardian on Node $version", (node) => {
  const run = async (scenario: string, place: string): Promise<Report> => {
    const { stdout } = await promisify(execFile)(
      "python3",
      ["-B", "-W", "error", join(here, "support", "host.py"), scenario, plugin, place, node.path],
      { env: { PATH: process.env["PATH"] } }
    )
    return JSON.parse(stdout) as Report
  }
  const records = (place: string, home = "home") =>
    readFileSync(auditOf(join(place, home)), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

  it("decides, records each decision once, and tells nothing of the calls", async () => {
    const place = makePlace()
    const { log, result } = await run("decisions", place)
    assert.deepStrictEqual(result, {
      read: "allow",
      write: "approve",
      protected: "block",
      shell: "block",
      unknown: "block",
      audit: "block",
      source: "block",
      no_policy: "allow",
      bad_policy: "block",
      unreadable: "block"
    })
    const reasons = records(place).map(({ action, reason, rule, tool }) => [action, reason, rule, tool].join(" "))
    assert.deepStrictEqual(reasons, [
      "allow tool_rule tool:0 read_file",
      "approve tool_rule tool:1 write_file",
      "block protected_path path:0 read_file",
      "block command_unsupported  terminal",
      "block default_action  other",
      "block self_protection  terminal",
      "block self_protection  write_file",
      "allow tool_rule tool:0 read_file",
      "block policy_invalid  read_file",
      "block settings_unreadable  read_file"
    ])
    const said = [...log, readFileSync(auditOf(join(place, "home")), "utf8")].join("\n")
    for (const never of ["kingfisher", "notes.md", ".env", "execute_code", place]) assert.notInclude(said, never)
  })

  it("works again where everything is there from before", async () => {
    const place = makePlace()
    for (let runs = 0; runs < 3; runs++) assert.propertyVal((await run("decisions", place)).result, "read", "allow")
    assert.lengthOf(records(place), 30)
    assert.deepStrictEqual(verify(auditOf(join(place, "home"))).problems, [])
  })

  it("keeps the audit its owner's alone, whatever the umask", async () => {
    const place = makePlace()
    assert.strictEqual((await run("open_umask", place)).result, "allow")
    const audit = auditOf(join(place, "home"))
    assert.strictEqual(statSync(audit).mode & 0o7777, 0o600)
    assert.strictEqual(statSync(dirname(audit)).mode & 0o7777, 0o700)
    assert.strictEqual(statSync(dirname(dirname(audit))).mode & 0o7777, 0o700)
    assert.deepStrictEqual(readdirSync(dirname(audit)), ["audit.jsonl"])
  })

  it("blocks when others could have changed the audit, and says so to the operator alone", async () => {
    const place = makePlace()
    await run("open_umask", place)
    chmodSync(auditOf(join(place, "home")), 0o644)
    const { log, result } = await run("open_umask", place)
    assert.strictEqual(result, "block")
    assert.isTrue(log.some((line) => line.includes("reason=audit_unavailable subject=file rule=open_to_others")))
  })

  it("blocks the call under which its sidecar is killed, is there for the next, and leaves no zombie", async () => {
    const place = makePlace()
    const { log, result } = await run("killed", place)
    assert.deepStrictEqual(result, ["allow", ...Array.from({ length: 4 }, () => ["block", false, "allow"])])
    assert.isTrue(log.some((line) => line.includes("blocked: code=sidecar_died")))
    assert.deepStrictEqual(verify(auditOf(join(place, "home"))).problems, [])
  })

  it("chains its records where the operator wants it", async () => {
    const place = makePlace()
    await run("chained", place)
    const { chained, problems, records: count } = verify(auditOf(join(place, "home")))
    assert.deepStrictEqual({ chained, count, problems }, { chained: 5, count: 5, problems: [] })
    await run("chained", place)
    assert.deepInclude(verify(auditOf(join(place, "home"))), { chained: 10, problems: [] })
    assert.notProperty(await run("open_umask", makePlace()), "previous")
  })

  it("gives every home its own process and audit", async () => {
    const place = makePlace()
    assert.deepStrictEqual((await run("homes", place)).result, ["allow", "allow", "allow", 2])
    assert.lengthOf(records(place), 1)
    assert.lengthOf(records(place, "other"), 2)
  })

  it("protects a home that is reached by a link under both its names", async () => {
    assert.deepStrictEqual((await run("linked_home", makePlace())).result, ["allow", "block", "block"])
  })

  it("starts with the first call, without a secret, and ends with the plugin", async () => {
    assert.deepStrictEqual((await run("surroundings", makePlace())).result, {
      before: [],
      answer: "allow",
      environment: ["TZ"],
      folder: "/",
      alive: false,
      after: "block"
    })
  })

  it("refuses to record for another home than its own", async () => {
    const place = makePlace()
    const [home, other] = [join(place, "home"), join(place, "other")]
    mkdirSync(other, { mode: 0o700 })
    const flags = [
      "--no-warnings",
      node.major >= 24 ? "--permission" : "--experimental-permission",
      "--allow-fs-read=*",
      `--allow-fs-write=${home}/plugin-data`,
      `--allow-fs-write=${home}/plugin-data/hermes-guardian/*`,
      "--allow-addons"
    ]
    const ask = async (of: string, allowed: ReadonlyArray<string>) => {
      const sidecar = start(node, join(plugin, "sidecar.cjs"), allowed, [home])
      sidecar.send(
        request(1, "guardian.evaluate", {
          settings: { state: "unset" },
          installation: { hermes_home: of, user_home: place, plugin_source: plugin, backups: [] },
          call: { tool: "read_file", args: { path: "/etc/hostname" } }
        })
      )
      const { result } = await sidecar.next()
      sidecar.child.stdin.end()
      await sidecar.ended
      return (result as { readonly action: string }).action
    }
    assert.strictEqual(await ask(home, flags), "allow")
    assert.strictEqual(await ask(other, flags), "block")
    assert.isFalse(existsSync(join(other, "plugin-data")))
  })
})

describe("the built guardian", () => {
  it("is complete, and holds nothing that the host would run by mistake", () => {
    assert.deepStrictEqual(
      readdirSync(plugin).filter((name) => name !== "LICENSE" && name !== "__pycache__"),
      [
        "README.md",
        "THIRD_PARTY.txt",
        "__init__.py",
        "commands.py",
        "hook.py",
        "memory-bridge.cjs",
        "model.py",
        "node_modules",
        "plugin.yaml",
        "shim",
        "sidecar.cjs"
      ]
    )
  })

  it("says in Python what the core says when no decision could be made", async () => {
    const { blockMessages } = await import("@memory-bridge/core/guard/Directive")
    assert.include(readFileSync(join(plugin, "hook.py"), "utf8"), `_UNAVAILABLE = "${blockMessages.unavailable}"`)
  })
})
