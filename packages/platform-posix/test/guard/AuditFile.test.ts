/** Seed 004 "Audit and operations": what the file is, what it refuses to be, and what is on disk before an answer. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { AuditLog } from "@memory-bridge/core/guard/AuditLog"
import * as AuditRecord from "@memory-bridge/core/guard/AuditRecord"
import { maxAuditBytes, maxLineBytes } from "@memory-bridge/core/guard/AuditReport"
import { auditDirectoryOf, auditFileOf, pluginDataOf } from "@memory-bridge/core/guard/Installation"
import { type AuditCalls, auditCalls } from "@memory-bridge/platform-posix/guard/AuditCalls"
import { auditFile, layer, openDirectory } from "@memory-bridge/platform-posix/guard/AuditFile"
import { verify } from "@memory-bridge/platform-posix/guard/AuditVerify"

const calls = auditCalls()
let count = 0
const record = () =>
  AuditRecord.make({ action: "block", reason: "protected_path", rule: "path:255" }, "write_file", 0, `id-${count++}`)

let home = ""
let file = ""
beforeEach(() => {
  home = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "guard-audit-")))
  file = auditFileOf(home)
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

const plain = { chain: false }
const chained = { chain: true }

const said = (refusal: ReturnType<ReturnType<typeof auditFile>["append"]>): string =>
  refusal === undefined ? "kept" : `${refusal.subject} ${refusal.fault}`

/** One record by a guard that has just started. */
const outcome = (options = plain, given: AuditCalls = calls): string => {
  const audit = auditFile(given, options)
  const result = said(audit.append(home, record()))
  audit.close()
  return result
}

const lines = () => fs.readFileSync(file, "utf8").split("\n").slice(0, -1)
const problems = () => verify(file).problems.map(({ problem }) => problem)

/** A good file with one record. */
const begun = (): void => assert.strictEqual(outcome(), "kept")

describe("a record", () => {
  it("is one JSON line; the file and what leads to it are the owner's alone", () => {
    const umask = process.umask(0)
    begun()
    process.umask(umask)
    assert.strictEqual(fs.statSync(file).mode & 0o7777, 0o600)
    assert.strictEqual(fs.statSync(auditDirectoryOf(home)).mode & 0o7777, 0o700)
    assert.strictEqual(fs.statSync(pluginDataOf(home)).mode & 0o7777, 0o700)
    assert.strictEqual(lines().length, 1)
    assert.strictEqual(JSON.parse(lines()[0] ?? "").rule, "path:255")
  })

  it("is appended, and the former ones stay byte by byte", () => {
    begun()
    const before = fs.readFileSync(file)
    begun()
    assert.isTrue(fs.readFileSync(file).subarray(0, before.length).equals(before))
    assert.strictEqual(lines().length, 2)
    assert.deepStrictEqual(problems(), [])
  })

  it.effect("is kept by the service, and a refusal is its typed error", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      yield* log.append(home, record())
      assert.strictEqual(lines().length, 1)
      const refused = yield* Effect.flip(log.append(join(home, "none"), record()))
      assert.strictEqual(`${refused.subject} ${refused.fault}`, "home storage")
    }).pipe(Effect.provide(layer(plain)))
  )

  it("leaves no descriptor open, kept or refused", () => {
    const open = () => fs.readdirSync("/dev/fd").length
    begun()
    const before = open()
    for (let times = 0; times < 20; times++) outcome()
    fs.appendFileSync(file, "torn")
    for (let times = 0; times < 20; times++) outcome()
    assert.strictEqual(open(), before)
  })

  it("is kept behind Node's permission model, by a process that may write nowhere else", () => {
    const program = new URL("../../../../tests/guard/support/AppendProcess.ts", import.meta.url).pathname
    fs.mkdirSync(pluginDataOf(home))
    const fences = ["--permission", "--allow-fs-read=*", "--allow-addons", `--allow-fs-write=${pluginDataOf(home)}/`]
    const { stdout } = spawnSync(process.execPath, [...fences, program, home, "chain", "3"], { encoding: "utf8" })
    assert.notInclude(stdout, "refused")
    assert.strictEqual(lines().length, 3)
    assert.deepStrictEqual(problems(), [])
  })

  it("never is longer than a line may be", () => {
    const long = AuditRecord.make(
      { action: "approve", reason: "arguments_unsupported", rule: "path:255" },
      "write_file",
      0,
      "x".repeat(64)
    )
    assert.isBelow(AuditRecord.lineOf({ ...long, previous: "0".repeat(64) }).length, maxLineBytes)
  })
})

describe("nothing is on its way when the answer is given", () => {
  const traced = (): { readonly given: AuditCalls; readonly steps: Array<string> } => {
    const steps: Array<string> = []
    const names = new Map<number, string>()
    const opened = (name: string, descriptor: number | string) => {
      if (typeof descriptor === "number") names.set(descriptor, name)
      return descriptor
    }
    const given: AuditCalls = {
      ...calls,
      openDirectory: (path, rule) => opened(path.slice(home.length) || "home", calls.openDirectory(path, rule)),
      openFile: (path) => opened("file", calls.openFile(path)),
      createFile: (path) => opened("file", calls.createFile(path)),
      lock: (descriptor) => {
        steps.push("lock")
        return calls.lock(descriptor)
      },
      write: (descriptor, bytes) => {
        steps.push("write")
        return calls.write(descriptor, bytes)
      },
      sync: (descriptor) => {
        steps.push(`sync ${names.get(descriptor)}`)
        return calls.sync(descriptor)
      }
    }
    return { given, steps }
  }

  it("the names on the way to a new file are durable before its first record, the record before the answer", () => {
    const { given, steps } = traced()
    outcome(plain, given)
    assert.deepStrictEqual(steps, [
      "lock",
      "sync /plugin-data/hermes-guardian",
      "sync /plugin-data",
      "sync home",
      "write",
      "sync file"
    ])
  })

  it("a file that has a record needs no more than itself", () => {
    begun()
    const { given, steps } = traced()
    outcome(plain, given)
    assert.deepStrictEqual(steps, ["lock", "write", "sync file"])
  })
})

describe("a file that is not what it should be is refused", () => {
  it.each<readonly [string, () => void, string]>([
    ["a link", () => void (fs.renameSync(file, `${file}2`), fs.symlinkSync(`${file}2`, file)), "file link"],
    ["a dangling link", () => void (fs.rmSync(file), fs.symlinkSync("/none", file)), "file link"],
    ["a second name", () => fs.linkSync(file, join(home, "other")), "file hard_link"],
    ["a directory", () => void (fs.rmSync(file), fs.mkdirSync(file)), "file not_regular"],
    ["readable by the group", () => fs.chmodSync(file, 0o640), "file open_to_others"],
    ["writable by all", () => fs.chmodSync(file, 0o602), "file open_to_others"],
    ["torn", () => fs.appendFileSync(file, '{"event":'), "file torn"],
    ["ended with zeros", () => fs.appendFileSync(file, Buffer.alloc(10)), "file torn"],
    ["one long line that is no record", () => fs.appendFileSync(file, `${"x".repeat(5000)}\n`), "file torn"]
  ])("%s", (_, spoil, expected) => {
    begun()
    spoil()
    const before = fs.lstatSync(file).isFile() ? fs.readFileSync(file) : undefined
    assert.strictEqual(outcome(), expected)
    if (before !== undefined) assert.isTrue(fs.readFileSync(file).equals(before))
    assert.isAtLeast(problems().length, 1)
  })

  it("a pipe, without waiting for its other end", () => {
    begun()
    fs.rmSync(file)
    spawnSync("mkfifo", ["-m", "600", file])
    assert.strictEqual(outcome(), "file not_regular")
  })

  it.skipIf(process.getuid?.() !== 0)("somebody else's (needs root)", () => {
    begun()
    fs.chownSync(file, 65_534, 65_534)
    assert.strictEqual(outcome(), "file foreign_owner")
    assert.deepStrictEqual(problems(), ["foreign_owner"])
  })

  it("full, before the last record that would still fit is in question", () => {
    begun()
    fs.truncateSync(file, maxAuditBytes - maxLineBytes + 1)
    assert.strictEqual(outcome(), "file full")
    fs.writeFileSync(file, `${"x".repeat(511)}\n`.repeat((maxAuditBytes - maxLineBytes) / 512))
    assert.strictEqual(outcome(), "kept")
    assert.strictEqual(outcome(), "file full")
    assert.strictEqual(problems()[0], "full")
  })

  it("made by another process in between: the same file is used", () => {
    begun()
    let looked = 0
    const given: AuditCalls = { ...calls, openFile: (path) => (looked++ < 2 ? "ENOENT" : calls.openFile(path)) }
    assert.strictEqual(outcome(plain, given), "kept")
    assert.strictEqual(lines().length, 2)
  })

  it.each([
    ["moved away", () => undefined],
    ["and another in its place", () => fs.writeFileSync(file, "", { mode: 0o600 })]
  ])("moved between opening and locking: %s", (_, then) => {
    begun()
    const given: AuditCalls = {
      ...calls,
      lock: (descriptor) => {
        fs.renameSync(file, `${file}.archived`)
        then()
        return calls.lock(descriptor)
      }
    }
    assert.strictEqual(outcome(plain, given), "file replaced")
  })

  it("no file, whichever way the system says so of a socket or a device", () => {
    begun()
    for (const code of ["ENXIO", "EOPNOTSUPP"]) {
      assert.strictEqual(outcome(plain, { ...calls, openFile: () => code }), "file not_regular", code)
    }
  })

  it("locked by another, without waiting", () => {
    begun()
    const descriptor = fs.openSync(file, "r+")
    assert.strictEqual(calls.lock(descriptor), "locked")
    assert.strictEqual(outcome(), "file locked")
    fs.closeSync(descriptor)
    assert.strictEqual(outcome(), "kept")
  })
})

describe("a guard that has kept records before looks again for each", () => {
  let audit = auditFile(calls, plain)
  const next = () => said(audit.append(home, record()))
  beforeEach(() => {
    audit = auditFile(calls, plain)
    assert.strictEqual(next(), "kept")
    assert.strictEqual(next(), "kept")
  })
  afterEach(() => audit.close())

  it.each<readonly [string, () => void, string]>([
    ["torn", () => fs.appendFileSync(file, "{"), "file torn"],
    ["opened to others", () => fs.chmodSync(file, 0o644), "file open_to_others"],
    ["given a second name", () => fs.linkSync(file, join(home, "other")), "file hard_link"],
    ["replaced by a link", () => void (fs.renameSync(file, `${file}2`), fs.symlinkSync(`${file}2`, file)), "file link"],
    [
      "replaced, in a directory that was opened to others",
      () => {
        fs.chmodSync(auditDirectoryOf(home), 0o777)
        fs.copyFileSync(file, `${file}2`)
        fs.renameSync(`${file}2`, file)
      },
      "directory open_to_others"
    ],
    ["its home removed", () => fs.rmSync(home, { recursive: true }), "home storage"]
  ])("%s", (_, spoil, expected) => {
    spoil()
    assert.strictEqual(next(), expected)
    assert.strictEqual(next(), expected)
  })

  it("moved away, as an operator archives it: a new one is begun at once, the old one stays as it was", () => {
    fs.renameSync(file, `${file}.archived`)
    const archived = fs.readFileSync(`${file}.archived`)
    assert.strictEqual(next(), "kept")
    assert.strictEqual(lines().length, 1)
    assert.isTrue(fs.readFileSync(`${file}.archived`).equals(archived))
  })

  it("moved away with its directory, or emptied: the same", () => {
    fs.renameSync(auditDirectoryOf(home), join(home, "archive"))
    assert.strictEqual(next(), "kept")
    fs.truncateSync(file, 0)
    assert.strictEqual(next(), "kept")
    assert.strictEqual(lines().length, 1)
  })

  it("mended after a refusal, it goes on", () => {
    fs.appendFileSync(file, "{")
    assert.strictEqual(next(), "file torn")
    fs.truncateSync(file, fs.statSync(file).size - 1)
    assert.strictEqual(next(), "kept")
    assert.deepStrictEqual(problems(), [])
  })

  it("holds no lock between two records, nor after a refusal", () => {
    assert.strictEqual(outcome(), "kept")
    fs.chmodSync(file, 0o644)
    assert.strictEqual(next(), "file open_to_others")
    fs.chmodSync(file, 0o600)
    assert.strictEqual(outcome(), "kept")
    assert.strictEqual(next(), "kept")
  })

  it("a lock that cannot be given back is given back by closing", () => {
    const stuck = auditFile({ ...calls, unlock: () => "failed" }, plain)
    assert.strictEqual(said(stuck.append(home, record())), "kept")
    assert.strictEqual(outcome(), "kept")
    assert.strictEqual(said(stuck.append(home, record())), "kept")
    stuck.close()
  })

  it("another home has another file", () => {
    const other = fs.mkdtempSync(join(tmpdir(), "guard-audit-"))
    assert.strictEqual(said(audit.append(other, record())), "kept")
    assert.strictEqual(next(), "kept")
    assert.strictEqual(lines().length, 3)
    assert.strictEqual(verify(auditFileOf(other)).records, 1)
    fs.rmSync(other, { recursive: true })
  })
})

it("the directory for a process that gives up writing elsewhere is made, opened once, and refused like all others", () => {
  const open = () => fs.readdirSync("/dev/fd").length
  const before = open()
  const descriptor = openDirectory(home)
  assert.strictEqual(open(), before + 1)
  assert.isTrue(fs.statSync(auditDirectoryOf(home)).isDirectory())
  fs.closeSync(descriptor ?? -1)
  fs.chmodSync(auditDirectoryOf(home), 0o777)
  assert.isUndefined(openDirectory(home))
  assert.isUndefined(openDirectory(join(home, "none")))
  assert.strictEqual(open(), before)
})

describe("a directory that is not what it should be is refused", () => {
  it.each<readonly [string, () => void, string]>([
    [
      "a link",
      () => void (fs.mkdirSync(join(home, "x")), fs.symlinkSync("x", pluginDataOf(home))),
      "plugin_data not_directory"
    ],
    ["a file", () => fs.writeFileSync(pluginDataOf(home), ""), "plugin_data not_directory"],
    [
      "writable by all",
      () => void (fs.mkdirSync(pluginDataOf(home)), fs.chmodSync(pluginDataOf(home), 0o777)),
      "plugin_data open_to_others"
    ],
    [
      "the inner one a link",
      () => void (fs.mkdirSync(pluginDataOf(home)), fs.symlinkSync(tmpdir(), auditDirectoryOf(home))),
      "directory not_directory"
    ],
    [
      "the inner one writable by a group",
      () =>
        void (fs.mkdirSync(auditDirectoryOf(home), { recursive: true }), fs.chmodSync(auditDirectoryOf(home), 0o770)),
      "directory open_to_others"
    ]
  ])("%s", (_, spoil, expected) => {
    spoil()
    assert.strictEqual(outcome(), expected)
    assert.isFalse(fs.existsSync(file))
  })

  it("a home that is not there is not made", () => {
    fs.rmdirSync(home)
    assert.strictEqual(outcome(), "home storage")
    assert.isFalse(fs.existsSync(home))
  })

  it("one that Hermes made before, readable by others, will do", () => {
    fs.mkdirSync(pluginDataOf(home), { mode: 0o755 })
    fs.mkdirSync(auditDirectoryOf(home), { mode: 0o755 })
    assert.strictEqual(outcome(), "kept")
  })

  it("a home that is a link will do: the host named it", () => {
    const link = `${home}-link`
    fs.symlinkSync(home, link)
    const audit = auditFile(calls, plain)
    assert.strictEqual(said(audit.append(link, record())), "kept")
    audit.close()
    fs.rmSync(link)
    assert.strictEqual(lines().length, 1)
  })
})

describe("the chain", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

  it("is off unless it is wanted", () => {
    begun()
    assert.notProperty(JSON.parse(lines()[0] ?? ""), "previous")
  })

  it("links each record to the bytes of the one before, the first to nothing", () => {
    for (let times = 0; times < 3; times++) assert.strictEqual(outcome(chained), "kept")
    const [first = "", second = "", third = ""] = lines()
    assert.strictEqual(JSON.parse(first).previous, sha256(""))
    assert.strictEqual(JSON.parse(second).previous, sha256(first))
    assert.strictEqual(JSON.parse(third).previous, sha256(second))
    assert.deepStrictEqual(problems(), [])
    assert.strictEqual(verify(file).chained, 3)
    assert.strictEqual(verify(file).head, sha256(third))
  })

  it("shows a changed, a removed, an added and a swapped line", () => {
    for (let times = 0; times < 4; times++) outcome(chained)
    const good = lines()
    const [first = "", second = "", third = "", fourth = ""] = good
    const after = (changed: ReadonlyArray<string>) => {
      fs.writeFileSync(file, `${changed.join("\n")}\n`)
      return problems()
    }
    assert.deepStrictEqual(after(good), [])
    assert.include(after([first, second.replace("block", "allow"), third, fourth]), "chain_broken")
    assert.include(after([first, third, fourth]), "chain_broken")
    assert.include(after([first, third, second, fourth]), "chain_broken")
    assert.include(after([first, second, JSON.stringify(record()), third, fourth]), "chain_interrupted")
    assert.include(after([second, third]), "chain_broken")
  })
})

describe("verify", () => {
  it("of a file that is not there, and of one that is no file", () => {
    assert.deepStrictEqual(problems(), ["missing"])
    begun()
    fs.rmSync(file)
    fs.mkdirSync(file)
    assert.deepStrictEqual(problems(), ["not_regular"])
  })

  it("names what is wrong with the file before what is wrong with its lines", () => {
    begun()
    fs.appendFileSync(file, Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from("{}\n{")]))
    fs.chmodSync(file, 0o644)
    assert.deepStrictEqual(verify(file).problems, [
      { problem: "open_to_others" },
      { problem: "not_text", line: 2 },
      { problem: "not_record", line: 3 },
      { problem: "torn", line: 4 }
    ])
    assert.strictEqual(verify(file).records, 1)
  })

  it("changes nothing", () => {
    begun()
    fs.appendFileSync(file, "torn")
    const before = fs.readFileSync(file)
    const { mtimeNs } = fs.statSync(file, { bigint: true })
    verify(file)
    assert.isTrue(fs.readFileSync(file).equals(before))
    assert.strictEqual(fs.statSync(file, { bigint: true }).mtimeNs, mtimeNs)
  })

  it("an empty file is a good beginning", () => {
    begun()
    fs.truncateSync(file, 0)
    assert.deepStrictEqual(problems(), [])
    assert.strictEqual(outcome(), "kept")
  })
})
