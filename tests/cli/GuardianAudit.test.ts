/**
 * `guardian audit verify` says what is wrong with an audit, in which line, and how to go on; and what it prints to be
 * typed does that. (issue 3 part 5, seed 004 "Audit and operations")
 */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { auditLines, textOf } from "./given/Audit.ts"
import { built, current, type Program, run } from "./given/Cli.ts"
import { folder, put } from "./given/Folder.ts"
import { transcript } from "./given/Transcript.ts"

const verify = ["guardian", "audit", "verify"]
const below = "plugin-data/hermes-guardian/audit.jsonl"

/** A user's folder with audits of every kind; `.hermes` is the usual home. */
const audits = (): string => {
  const whole = auditLines(3)
  const chained = auditLines(3, "chain")
  const many = auditLines(8).map((line) => line.replace("policy_decision", "policy_change"))
  const made = folder({
    [`.hermes/${below}`]: textOf(whole),
    "new-home/plugin-data/": "",
    "whole.jsonl": textOf(whole.slice(0, 1)),
    "chained.jsonl": textOf(chained),
    "torn.jsonl": textOf(chained.slice(0, 2)) + chained[2]!.slice(0, 40),
    "changed.jsonl": textOf(chained).replace('"block"', '"allow"'),
    "removed.jsonl": textOf([chained[0]!, chained[2]!]),
    "unchained.jsonl": textOf([...chained, auditLines(4)[3]!]),
    "foreign.jsonl": textOf(many),
    "copied.jsonl": textOf([...whole, whole[1]!]),
    "empty.jsonl": "",
    "linked.jsonl": textOf(whole),
    "open.jsonl": textOf(whole),
    "directory.jsonl/": ""
  })
  linkSync(join(made, "linked.jsonl"), join(made, "second.jsonl"))
  symlinkSync("whole.jsonl", join(made, "link.jsonl"))
  chmodSync(join(made, "open.jsonl"), 0o644)
  return made
}

const names = "whole chained torn changed removed unchained foreign copied empty linked link open directory none"

const commands = [
  verify,
  verify.concat("--home", ".hermes"),
  verify.concat("--home", "new-home"),
  ...names.split(" ").map((name) => verify.concat(`${name}.jsonl`)),
  verify.concat("torn.jsonl", "--json"),
  verify.concat("chained.jsonl", "--json"),
  verify.concat("whole.jsonl", "--home", ".hermes")
]

describe("the audit's verification", () => {
  it("looks like this", async () => {
    const made = audits()
    await expect(transcript(made, commands, current, { HOME: made })).toMatchFileSnapshot("golden/guardian-audit.txt")
  })

  it.skipIf(typeof built === "string")(
    `is the same when built, on Node 20${typeof built === "string" ? ` (skipped: ${built})` : ""}`,
    async () => {
      const made = audits()
      const text = transcript(made, commands, built as Program, { HOME: made })
      await expect(text).toMatchFileSnapshot("golden/guardian-audit.txt")
    }
  )

  it("takes the home that Hermes would take", () => {
    const made = folder({ [`work/${below}`]: textOf(auditLines(2)) })
    const { code, stdout } = run(current, verify, { env: { HOME: made, HERMES_HOME: join(made, "work") } })
    assert.strictEqual(code, 0)
    assert.include(stdout, join(made, "work", below))
  })

  it("changes nothing", () => {
    const made = audits()
    const facts = () =>
      readdirSync(made, { recursive: true, encoding: "utf8" }).map((name) => {
        const { ctimeMs, ino, mode, size } = statSync(join(made, name))
        return { name, ctimeMs, ino, mode, size }
      })
    const before = facts()
    for (const name of ["torn", "changed", "open", "none"]) run(current, [...verify, `${name}.jsonl`], { cwd: made })
    assert.deepStrictEqual(facts(), before)
  })

  it("names a file whose name a terminal would act on without letting it", () => {
    const made = folder({ "a\u001b[2Jb.jsonl": textOf(auditLines(1)) })
    const { stdout } = run(current, [...verify, "a\u001b[2Jb.jsonl"], { cwd: made })
    assert.notInclude(stdout, "\u001b")
  })
})

/** The commands that are printed under a problem, in order. */
const printed = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.startsWith("    ") ? [line.trim()] : []))

describe("what it prints to be typed", () => {
  it("puts a spoilt audit away, whole, and leaves room for a new one", () => {
    const lines = auditLines(3, "chain")
    const spoilt = textOf(lines).replace('"block"', '"allow"')
    const made = folder({ "it's/": "", [`it's/${below}`]: spoilt })
    const home = join(made, "it's")
    const { code, stdout } = run(current, [...verify, "--home", home])
    assert.strictEqual(code, 2)
    const [command] = printed(stdout)
    assert.strictEqual(spawnSync("sh", ["-c", command!], { env: { HOME: made, PATH: process.env["PATH"] } }).status, 0)
    const archive = readdirSync(made).find((name) => name.startsWith("hermes-guardian-audit-"))
    assert.strictEqual(readFileSync(join(made, archive!), "utf8"), spoilt)
    assert.strictEqual(run(current, [...verify, "--home", home]).code, 3)
  })

  it("repairs a torn audit, and keeps what was there", () => {
    const lines = auditLines(3, "chain")
    const torn = textOf(lines.slice(0, 2)) + lines[2]!.slice(0, 30)
    const made = folder({ [`home/${below}`]: torn })
    const home = join(made, "home")
    for (const command of printed(run(current, [...verify, "--home", home]).stdout)) {
      const env = { HOME: made, PATH: process.env["PATH"] }
      assert.strictEqual(spawnSync("sh", ["-c", command], { env }).status, 0, command)
    }
    assert.strictEqual(readFileSync(join(home, below), "utf8"), textOf(lines.slice(0, 2)))
    assert.strictEqual(statSync(join(home, below)).mode & 0o777, 0o600)
    assert.strictEqual(run(current, [...verify, "--home", home]).code, 0)
    const archive = readdirSync(made).find((name) => name.startsWith("hermes-guardian-audit-"))
    assert.strictEqual(readFileSync(join(made, archive!), "utf8"), torn)
  })

  it("overwrites no archive", () => {
    const made = folder({ [`home/${below}`]: textOf(auditLines(1)) + "x\n" })
    const args = [...verify, "--home", join(made, "home")]
    const [command] = printed(run(current, args).stdout)
    const archive = join(made, /hermes-guardian-audit-\S+/.exec(command!)![0])
    mkdirSync(made, { recursive: true })
    put(made, archive.slice(made.length + 1), "older\n")
    spawnSync("sh", ["-c", command!], { env: { HOME: made, PATH: process.env["PATH"] } })
    assert.strictEqual(readFileSync(archive, "utf8"), "older\n")
    assert.strictEqual(run(current, args).code, 2)
  })
})
