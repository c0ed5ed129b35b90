/**
 * Issue 5: "Kill at every step of activation and roll back: old or new policy, whole, backup present." Killed and refused
 * by the system at every step, two at once, stale, and every refusal that the file system can provoke.
 */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import type { PolicyChange } from "@memory-bridge/core/guard/AuditRecord"
import { auditFileOf } from "@memory-bridge/core/guard/Installation"
import type { PolicySetting } from "@memory-bridge/core/guard/Settings"
import * as Backup from "@memory-bridge/core/lab/Backup"
import { fileLock } from "@memory-bridge/platform-posix/FileLock"
import { verify } from "@memory-bridge/platform-posix/guard/AuditVerify"
import { backupDirectoryOf, look } from "@memory-bridge/platform-posix/lab/BackupFiles"
import { configFileOf } from "@memory-bridge/platform-posix/lab/ConfigFile"
import { labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import { rolldown } from "rolldown"
import { mayMount } from "../guard/support/World.ts"
import { outcome, reviewedOf, type Run, stepsOf, watched } from "./support/ActivationFaults.ts"

const source = new URL("support/ActivateProcess.ts", import.meta.url).pathname
// Inside the workspace, so that the native part is found; bundled, because it is started often.
const folder = new URL(`../../.build/activation-crash-${process.pid}`, import.meta.url).pathname
const program = join(folder, "ActivateProcess.mjs")
beforeAll(async () => {
  const bundle = await rolldown({
    input: source,
    platform: "node",
    external: ["koffi"],
    resolve: { mainFields: ["module", "main"] }
  })
  await bundle.write({ file: program, format: "esm" })
  await bundle.close()
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

let home = ""
beforeEach(() => {
  home = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "activation-")))
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

const policy = (action: string): PolicySetting => ({
  state: "value",
  value: { default_action: action, rules: [{ tool: "read_file", action: "allow" }], protected_paths: [] }
})
const [one, two, three] = [policy("block"), policy("approve"), policy("allow")] as const

const configText = "# keys\nkey: sk-synthetic # mine\nplugins:\n  enabled: [hermes-guardian]\nlast: true"

const fresh = (): void => {
  fs.rmSync(home, { recursive: true, force: true })
  fs.mkdirSync(home, { mode: 0o700 })
  fs.writeFileSync(configFileOf(home), configText, { mode: 0o640 })
}

const config = (): string => fs.readFileSync(configFileOf(home), "utf8")
const kept = () => {
  const found = look(labCalls(), home)
  assert.isArray(found)
  return found as ReadonlyArray<Backup.Kept>
}
const events = () =>
  fs
    .readFileSync(auditFileOf(home), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { event: string; phase: string; from: string; to: string })

const activated = async (target: PolicySetting, more: Partial<Run> = {}): Promise<string> =>
  outcome({ home, target, ...more })

let template = ""
afterAll(() => fs.rmSync(template, { recursive: true, force: true }))

/** Two policies before, so that there is something to go back to. Made once and copied, because each one syncs a lot. */
const prepared = async (): Promise<void> => {
  if (template === "") {
    fresh()
    assert.deepStrictEqual([await activated(one), await activated(two)], ["done", "done"])
    template = fs.mkdtempSync(join(tmpdir(), "activation-template-"))
    fs.cpSync(home, template, { recursive: true, preserveTimestamps: true })
    fs.chmodSync(template, 0o700)
  }
  fs.rmSync(home, { recursive: true, force: true })
  fs.cpSync(template, home, { recursive: true, preserveTimestamps: true })
  fs.chmodSync(home, 0o700)
}

/** Steps that leave something on the disk, or a lock. */
const changing: ReadonlySet<string> = new Set(
  "makeDirectory createFile createNew lock unlock write truncate sync setMode setGroup rename unlink".split(" ")
)

const ways: ReadonlyArray<readonly [string, PolicyChange, () => Promise<void>, PolicySetting]> = [
  ["the first activation of a home", "policy_activated", async () => fresh(), one],
  ["an activation over another policy", "policy_activated", prepared, three],
  ["rolling back", "policy_rolled_back", prepared, one],
  ["rolling back to no policy", "policy_rolled_back", prepared, { state: "unset" }]
]

describe.each(ways)("%s", (_, event, prepare, target) => {
  it(
    "killed before and after every step: old or new, whole, and the way back is kept",
    { timeout: 300_000 },
    async () => {
      await prepare()
      const before = config()
      const steps = await stepsOf((calls) => outcome({ home, target, event }, calls))
      const after = config()
      assert.notStrictEqual(after, before)
      const seen = new Set<string>()
      for (const [index, step] of steps.entries()) {
        // What only looks, opens or closes leaves nothing to find; after one step is before the next.
        if (!changing.has(step)) continue
        const last = index === steps.findLastIndex((name) => changing.has(name)) ? ["after"] : []
        for (const when of ["before", ...(step === "write" ? ["half"] : []), ...last]) {
          await prepare()
          const backups = kept().length
          const child = spawnSync(process.execPath, [program, home, event, JSON.stringify(target), `${index}`, when], {
            encoding: "utf8"
          })
          const said = `killed ${when} ${step} (${index}) ${child.stderr}`
          assert.strictEqual(child.signal, "SIGKILL", said)
          const now = config()
          assert.include([before, after], now, said)
          assert.strictEqual(fs.statSync(configFileOf(home)).mode & 0o7777, 0o640, said)
          for (const { backup, name } of kept()) {
            assert.isDefined(backup, `${said} ${name}`)
            assert.strictEqual(fs.statSync(join(backupDirectoryOf(home), name)).mode & 0o7777, 0o600, said)
          }
          if (now === after) {
            assert.isAtLeast(kept().length, backups + (event === "policy_activated" ? 1 : 0), said)
            assert.strictEqual(events().at(-1)?.event, event, said)
          }
          seen.add(now === before ? "old" : "new")
          const torn = fs.existsSync(auditFileOf(home)) && verify(auditFileOf(home)).problems.length > 0
          // A torn record is for a person to repair; what the file said before goes on to hold.
          const second = await activated(target, { event })
          if (torn) {
            assert.include(["audit_unavailable", "unchanged"], second, said)
            assert.strictEqual(config(), now, said)
          } else {
            assert.strictEqual(second, now === after ? "unchanged" : "done", said)
            assert.strictEqual(config(), after, said)
            assert.deepStrictEqual(verify(auditFileOf(home)).problems, [], said)
          }
        }
      }
      assert.deepStrictEqual([...seen].toSorted(), ["new", "old"])
    }
  )

  it(
    "refused by the system at every step: old or new, and nothing left open or lying about",
    { timeout: 120_000 },
    async () => {
      await prepare()
      const before = config()
      const steps = await stepsOf((calls) => outcome({ home, target, event }, calls))
      const after = config()
      const open = () => (fs.existsSync("/proc/self/fd") ? fs.readdirSync("/proc/self/fd").length : 0)
      for (const [index, step] of steps.entries()) {
        if (step === "user") continue
        await prepare()
        const descriptors = open()
        const failing = watched((name, at, perform, args) => {
          if (at !== index) return perform(...args)
          if (name === "close") return (perform(...args), "EIO")
          return ["lock", "unlock", "sync"].includes(name) ? "failed" : "EIO"
        })
        const said = `EIO at ${step} (${index})`
        const result = await outcome({ home, target, event }, failing)
        assert.strictEqual(open(), descriptors, said)
        assert.include([before, after], config(), said)
        if (result === "done") assert.strictEqual(config(), after, said)
        assert.include(["done", "unchanged"], await activated(target, { event }), said)
        assert.strictEqual(config(), after, said)
        assert.deepStrictEqual(fs.readdirSync(home).toSorted(), ["config.yaml", "plugin-data"], said)
      }
    }
  )
})

describe("a confirmation", () => {
  it("of another policy, another number or another active policy changes nothing", async () => {
    await prepared()
    const [text, records] = [config(), events().length]
    assert.strictEqual(await activated(three, { weakened: 2 }), "wrong_count")
    assert.strictEqual(await activated(three, { fingerprint: "0".repeat(64) }), "unknown_fingerprint")
    assert.strictEqual(await activated(three, { fingerprint: "" }), "unknown_fingerprint")
    assert.strictEqual(await activated(three, { reviewed: reviewedOf(one, three) }), "stale_review")
    assert.strictEqual(await activated(three, { reviewed: reviewedOf(two, one) }), "unknown_fingerprint")
    assert.strictEqual(await activated({ state: "value", value: {} }), "policy_invalid")
    assert.deepStrictEqual([config(), events().length], [text, records])
  })

  it("is stale once somebody edits the policy by hand, and holds when something else is edited", async () => {
    await prepared()
    const reviewed = reviewedOf(two, three)
    fs.writeFileSync(configFileOf(home), config().replace("default_action: approve", "default_action: block"))
    assert.strictEqual(await activated(three, { reviewed }), "stale_review")
    await prepared()
    fs.writeFileSync(configFileOf(home), config().replace("last: true", "last: false"))
    assert.strictEqual(await activated(three, { reviewed }), "done")
    assert.include(config(), "last: false")
  })

  it("does not outlive a change between reading and writing", async () => {
    await prepared()
    const text = config()
    const calls = watched((step, _index, perform, args) => {
      if (step === "createNew" && String(args[0]).includes("config"))
        fs.writeFileSync(configFileOf(home), `${text}\n# x\n`)
      return perform(...args)
    })
    assert.strictEqual(await outcome({ home, target: three }, calls), "changed")
    assert.strictEqual(config(), `${text}\n# x\n`)
    assert.deepStrictEqual(events().at(-1)?.phase, "failed")
    assert.strictEqual(await activated(three), "done")
  })
})

it("two processes at once: one policy of the two, whole, and an audit that says which", async () => {
  await prepared()
  const run = (target: PolicySetting) =>
    new Promise<string>((resolve) => {
      const child = spawn(process.execPath, [program, home, "policy_activated", JSON.stringify(target)])
      let said = ""
      child.stdout.on("data", (data: Buffer) => (said += data.toString()))
      child.once("close", () => resolve(said))
    })
  for (let round = 0; round < 6; round++) {
    const results = await Promise.all([run(one), run(three)])
    for (const result of results) assert.include(["done", "locked", "stale_review", "unchanged", "changed"], result)
    const done = events().filter(({ phase }) => phase === "done")
    const expected = done.at(-1)?.to === reviewedOf(one, three).active.fingerprint ? "block" : "allow"
    assert.include(config(), `default_action: ${expected}`)
    assert.deepStrictEqual(verify(auditFileOf(home)).problems, [])
  }
})

it("while another activation is under way: refused, nothing written, and free again afterwards", async () => {
  await prepared()
  const text = config()
  const other = fs.openSync(join(home, "plugin-data/hermes-guardian/activation.lock"), "r+")
  assert.strictEqual(fileLock().take(other), "locked")
  assert.strictEqual(await activated(three), "locked")
  assert.strictEqual(config(), text)
  fs.closeSync(other)
  assert.strictEqual(await activated(three), "done")
})

describe("the place", () => {
  const refusals: ReadonlyArray<readonly [string, () => void, string]> = [
    ["a folder of backups that others may read", () => fs.chmodSync(backupDirectoryOf(home), 0o750), "open_to_others"],
    [
      "a folder of backups that is a link",
      () => (
        fs.renameSync(backupDirectoryOf(home), `${home}/real`),
        fs.symlinkSync(`${home}/real`, backupDirectoryOf(home))
      ),
      "link"
    ],
    ["an audit that others may read", () => fs.chmodSync(auditFileOf(home), 0o644), "audit_unavailable"],
    ["an audit that is full", () => fs.truncateSync(auditFileOf(home), 16 * 1024 * 1024), "audit_unavailable"],
    ["plugin data that others may write", () => fs.chmodSync(join(home, "plugin-data"), 0o777), "open_to_others"],
    ["a home that its group may write", () => fs.chmodSync(home, 0o770), "open_to_others"],
    ["a configuration that its group may write", () => fs.chmodSync(configFileOf(home), 0o660), "open_to_others"],
    ["a configuration with a second name", () => fs.linkSync(configFileOf(home), join(home, "second")), "hard_link"],
    [
      "a configuration that is too large",
      () => fs.appendFileSync(configFileOf(home), `\n#${"x".repeat(1024 * 1024)}`),
      "too_large"
    ],
    [
      "a configuration that is a pipe",
      () => (fs.rmSync(configFileOf(home)), spawnSync("mkfifo", [configFileOf(home)])),
      "not_regular"
    ]
  ]
  it.each(refusals)("%s is refused", async (_, spoil, reason) => {
    await prepared()
    spoil()
    assert.strictEqual(await activated(three), reason)
  })

  it("on a read-only file system (skipped without mount rights)", { skip: !mayMount }, async () => {
    await prepared()
    const text = config()
    assert.strictEqual(spawnSync("mount", ["--bind", home, home]).status, 0)
    try {
      assert.strictEqual(spawnSync("mount", ["-o", "remount,ro,bind", home]).status, 0)
      assert.include(["read_only", "storage"], await activated(three))
      assert.strictEqual(config(), text)
    } finally {
      spawnSync("umount", ["-l", home])
    }
  })

  it("keeps mode and group, makes a file where there is none, and keeps only so many backups", async () => {
    fresh()
    fs.rmSync(configFileOf(home))
    assert.strictEqual(await activated(one), "done")
    assert.strictEqual(fs.statSync(configFileOf(home)).mode & 0o7777, 0o600)
    if (process.geteuid?.() === 0) fs.chownSync(configFileOf(home), 0, 7)
    fs.chmodSync(configFileOf(home), 0o644)
    for (let round = 0; round < Backup.mostBackups + 3; round++) {
      assert.strictEqual(await activated(round % 2 === 0 ? two : one), "done")
    }
    const { gid, mode } = fs.statSync(configFileOf(home))
    assert.strictEqual(mode & 0o7777, 0o644)
    if (process.geteuid?.() === 0) assert.strictEqual(gid, 7)
    assert.strictEqual(kept().length, Backup.mostBackups)
    assert.isTrue(kept().every(({ backup }) => backup !== undefined))
  })

  it("what a backup holds is the setting alone", async () => {
    await prepared()
    for (const { name } of kept()) {
      assert.notInclude(fs.readFileSync(join(backupDirectoryOf(home), name), "utf8"), "sk-synthetic")
    }
    assert.notInclude(fs.readFileSync(auditFileOf(home), "utf8"), "read_file")
  })
})
