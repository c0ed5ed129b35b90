/**
 * Property 15 and issue 3: whatever happens in the middle of an append, the file is the old one, the old one with the
 * record, or detected. Killed at every step, refused by the system at every step, on a full disk, and by two at once.
 */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { rolldown } from "rolldown"
import * as AuditRecord from "@memory-bridge/core/guard/AuditRecord"
import { auditFileOf } from "@memory-bridge/core/guard/Installation"
import { auditCalls, type AuditCalls } from "@memory-bridge/platform-posix/guard/AuditCalls"
import { auditFile } from "@memory-bridge/platform-posix/guard/AuditFile"
import { verify } from "@memory-bridge/platform-posix/guard/AuditVerify"
import { stepsOf, watched } from "./support/Faults.ts"
import { mayMount } from "./support/World.ts"

const source = new URL("support/AppendProcess.ts", import.meta.url).pathname
// Inside the workspace, so that the native part is found; bundled, because it is started about fifty times.
const folder = new URL(`../../.build/guard-crash-${process.pid}`, import.meta.url).pathname
const program = join(folder, "AppendProcess.mjs")
beforeAll(async () => {
  const bundle = await rolldown({ input: source, platform: "node", external: ["koffi"] })
  await bundle.write({ file: program, format: "esm" })
  await bundle.close()
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const calls = auditCalls()
const options = { chain: true }
let serial = 0
const record = () =>
  AuditRecord.make({ action: "allow", reason: "tool_rule", rule: "tool:0" }, "read_file", 0, `id-${serial++}`)

let home = ""
let file = ""
beforeEach(() => {
  home = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "guard-crash-")))
  file = auditFileOf(home)
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

const fresh = (): void => {
  fs.rmSync(home, { recursive: true, force: true })
  fs.mkdirSync(home)
}

const content = (): string => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "")
/** Records by a guard that has just started; how many it says are kept. */
const keeps = (times: number, given: AuditCalls = calls): number => {
  const audit = auditFile(given, options)
  let count = 0
  for (let left = times; left > 0; left--) if (audit.append(home, record()) === undefined) count += 1
  audit.close()
  return count
}
const kept = (given: AuditCalls = calls): boolean => keeps(1, given) === 1

/**
 * The file is `before` with what was said to be kept, and at most one whole record more, or torn after that. What is
 * torn is refused by the next append and named by verify; what is not torn goes on, chain and all.
 */
const checkAftermath = (before: string, claimed: number, said: string): "old" | "new" | "torn" => {
  const after = content()
  assert.isTrue(after.startsWith(before), said)
  const added = after.slice(before.length).split("\n")
  assert.isAtLeast(added.length - 1, claimed, said)
  assert.isAtMost(added.length - 1, claimed + 1, said)
  if (added.at(-1) !== "") {
    assert.strictEqual(added.length - 1, claimed, said)
    assert.isFalse(kept(), said)
    assert.deepStrictEqual(
      verify(file).problems.map(({ problem }) => problem),
      ["torn"],
      said
    )
    assert.strictEqual(content(), after, said)
    return "torn"
  }
  assert.isTrue(kept(), said)
  assert.deepStrictEqual(verify(file).problems, [], said)
  assert.isTrue(content().startsWith(after), said)
  return added.length - 1 === claimed ? "old" : "new"
}

/** The first record of a process opens the file, the second finds it open. */
const times = 2

const prepare = { "a new home": () => fresh(), "a file with records": () => (fresh(), assert.isTrue(kept() && kept())) }

describe.each(Object.entries(prepare))("in %s", (_, begin) => {
  it("killed before every step, in the middle of each write, and after the last step", { timeout: 300_000 }, () => {
    begin()
    const steps = stepsOf((given) => assert.strictEqual(keeps(times, given), times))
    const outcomes = new Map<string, number>()
    for (const [index, step] of steps.entries()) {
      const last = index === steps.length - 1 ? ["after"] : []
      const whens = ["before", ...(step === "write" ? ["half"] : []), ...last]
      for (const when of whens) {
        begin()
        const before = content()
        const child = spawnSync(process.execPath, [program, home, "chain", `${times}`, `${index}`, when], {
          encoding: "utf8"
        })
        const said = `killed ${when} ${step} (${index}) ${child.stderr}`
        assert.strictEqual(child.signal, "SIGKILL", said)
        const claimed = child.stdout.split("\n").slice(0, -1)
        for (const id of claimed) assert.include(content(), id, said)
        const outcome = checkAftermath(before, claimed.length, said)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    }
    assert.deepStrictEqual([...outcomes.keys()].toSorted(), ["new", "old", "torn"])
  })

  it("refused by the system at every step: never a claim that the record is kept, and nothing left open", () => {
    begin()
    const steps = stepsOf((given) => assert.strictEqual(keeps(times, given), times))
    const open = () => (fs.existsSync("/proc/self/fd") ? fs.readdirSync("/proc/self/fd").length : 0)
    for (const [index, step] of steps.entries()) {
      if (step === "user") continue
      for (const code of ["EIO", "ENOSPC", "EACCES", "EMFILE", "EROFS", "EDQUOT"]) {
        begin()
        const before = content()
        const descriptors = open()
        const failing = watched((name, at, perform, args) => {
          if (at !== index) return perform(...args)
          // A close that fails has closed all the same.
          if (name === "close") return (perform(...args), code)
          return ["lock", "unlock", "sync"].includes(name) ? "failed" : code
        })
        const said = `${code} at ${step} (${index})`
        const claimed = keeps(times, failing)
        if (step === "close" || step === "unlock") assert.strictEqual(claimed, times, said)
        // A file that does not answer to its name is opened anew, once, and that may well succeed.
        else if (step === "factsAt") assert.isAtLeast(claimed, times - 1, said)
        else assert.strictEqual(claimed, times - 1, said)
        assert.strictEqual(open(), descriptors, said)
        assert.notStrictEqual(checkAftermath(before, claimed, said), "torn", said)
      }
    }
  })

  it("a write that is cut short is taken back, and where it cannot be, it is found torn", () => {
    const short = (truncate: "works" | "fails") =>
      watched((step, _at, perform, args) => {
        if (step === "truncate" && truncate === "fails") return "EIO"
        if (step !== "write") return perform(...args)
        const [descriptor, bytes] = args as [number, Uint8Array]
        return perform(descriptor, bytes.subarray(0, bytes.length - 1))
      })
    begin()
    const before = content()
    assert.isFalse(kept(short("works")))
    assert.strictEqual(content(), before)
    assert.strictEqual(checkAftermath(before, 0, "taken back"), "old")
    begin()
    assert.isFalse(kept(short("fails")))
    assert.strictEqual(checkAftermath(content().slice(0, content().lastIndexOf("\n") + 1), 0, "torn"), "torn")
  })
})

it("a disk that is full (a small tmpfs; skipped without mount rights)", { skip: !mayMount }, () => {
  assert.strictEqual(spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", home]).status, 0)
  try {
    assert.isTrue(kept())
    const filler = join(home, "filler")
    const descriptor = fs.openSync(filler, "w")
    const block = Buffer.alloc(4096)
    for (let more = true; more;) {
      try {
        more = fs.writeSync(descriptor, block) === block.length
      } catch {
        more = false
      }
    }
    fs.closeSync(descriptor)
    // There is room in the last block of the audit; then there is none.
    let refused = 0
    let whole = content()
    for (let count = 0; count < 60; count++) {
      if (kept()) {
        assert.strictEqual(refused, 0)
        whole = content()
      } else {
        refused += 1
        assert.strictEqual(content(), whole)
      }
    }
    assert.isAbove(refused, 0)
    assert.deepStrictEqual(verify(file).problems, [])
    fs.rmSync(filler)
    assert.isTrue(kept())
    assert.deepStrictEqual(verify(file).problems, [])
  } finally {
    spawnSync("umount", ["-l", home])
  }
})

it("two processes at once, one of them killed now and then: every kept record is there, whole, in one chain", async () => {
  const run = async (...more: ReadonlyArray<string>) => {
    const child = spawn(process.execPath, [program, home, "chain", "150", ...more])
    const output: Array<Buffer> = []
    child.stdout.on("data", (data: Buffer) => output.push(data))
    await new Promise((resolve) => child.once("close", resolve))
    return Buffer.concat(output).toString().split("\n").slice(0, -1)
  }
  const all = await Promise.all([run(), run(), run("300", "before"), run("500", "after")])
  const ids = all.flat()
  assert.deepStrictEqual(
    ids.filter((id) => id.startsWith("refused")),
    []
  )
  const report = verify(file)
  const written = content()
    .split("\n")
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { id: string }).id)
  assert.deepStrictEqual(report.problems, [])
  assert.strictEqual(new Set(ids).size, ids.length)
  assert.isAtLeast(ids.length, 300)
  for (const id of ids) assert.include(written, id)
  // At most the two that were killed may have written a record that they did not live to report.
  assert.isAtMost(written.length, ids.length + 2)
})
