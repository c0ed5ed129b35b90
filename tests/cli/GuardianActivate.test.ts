/** `guardian activate` and `guardian rollback`, as an operator sees them. (issue 5 item 4) */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { join } from "node:path"
import { type Ended, current, run } from "./given/Cli.ts"
import { folder } from "./given/Folder.ts"

const config = "# mine\nmodel: none # keep\nplugins:\n  enabled: [hermes-guardian]\n"
const strict = { default_action: "block", rules: [{ tool: "read_file", action: "allow" }], protected_paths: [] }
const open = { default_action: "allow", rules: [], protected_paths: [] }

const workshop = (): string =>
  folder({ "home/config.yaml": config, "strict.json": JSON.stringify(strict), "open.json": JSON.stringify(open) })

const guardian = (made: string, ...args: ReadonlyArray<string>): Ended =>
  run(current, ["guardian", ...args], { cwd: made, env: { HOME: made, HERMES_HOME: join(made, "home") } })

interface Status {
  readonly policy: { readonly state: string; readonly fingerprint: string }
  readonly mode: string
  readonly backups: ReadonlyArray<{ readonly name: string; readonly whole: boolean; readonly fingerprint: string }>
  readonly audit: { readonly records: number; readonly problems: ReadonlyArray<unknown> }
}
const status = (made: string): Status => JSON.parse(guardian(made, "status", "--json").stdout) as Status

/** The review as it is shown before the question, of a run that is not confirmed. */
const reviewed = (made: string, ...args: ReadonlyArray<string>) => {
  const shown = guardian(made, ...args)
  assert.strictEqual(shown.code, 1, shown.stderr)
  const fingerprint = /^proposed {2}([0-9a-f]{64})$/m.exec(shown.stdout)?.[1] ?? ""
  const count = /^(\d+) class(?:es)? of calls will/m.exec(shown.stdout)?.[1] ?? "0"
  return { fingerprint, count, confirmed: ["--fingerprint", fingerprint, "--weakened", count] }
}

const activated = (made: string, policy: string): Ended => {
  const args = ["activate", "--policy", policy]
  return guardian(made, ...args, ...reviewed(made, ...args).confirmed)
}

describe("activate", () => {
  it("changes one place of the file, keeps the former policy and records it", () => {
    const made = workshop()
    const done = activated(made, "strict.json")
    assert.strictEqual(done.code, 0, done.stderr)
    const text = fs.readFileSync(join(made, "home/config.yaml"), "utf8")
    assert.isTrue(text.startsWith(config))
    assert.include(text, "          - {tool: read_file, action: allow}\n")
    const now = status(made)
    assert.deepStrictEqual([now.policy.state, now.mode, now.backups.length], ["set", "enforce", 1])
    assert.include(done.stdout, `Active now: ${now.policy.fingerprint}`)
    assert.deepStrictEqual([now.audit.records, now.audit.problems], [2, []])
    const audit = fs.readFileSync(join(made, "home/plugin-data/hermes-guardian/audit.jsonl"), "utf8")
    assert.deepStrictEqual(
      audit
        .split("\n")
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as { event: string; phase: string }).phase),
      ["begun", "done"]
    )
    assert.notInclude(audit, "read_file")
    const again = activated(made, "strict.json")
    assert.include(again.stdout, "active already")
    assert.strictEqual(status(made).audit.records, 2)
  })

  it("takes no yes, no half, no other fingerprint and no other number", () => {
    const made = workshop()
    const args = ["activate", "--policy", "open.json"]
    const { count, fingerprint } = reviewed(made, ...args)
    assert.isAbove(Number(count), 0)
    for (const [more, code, reason] of [
      [["--fingerprint", fingerprint], 1, "Not confirmed"],
      [["--weakened", count], 1, "Not confirmed"],
      [["--fingerprint", fingerprint.slice(0, 11), "--weakened", count], 2, "unknown_fingerprint"],
      [["--fingerprint", "0".repeat(64), "--weakened", count], 2, "unknown_fingerprint"],
      [["--fingerprint", fingerprint, "--weakened", `${Number(count) + 1}`], 2, "wrong_count"],
      [["--fingerprint", fingerprint, "--weakened", "0"], 2, "wrong_count"],
      [["--fingerprint", fingerprint, "--weakened", count, "--against", "0".repeat(12)], 2, "stale_review"]
    ] as ReadonlyArray<[ReadonlyArray<string>, number, string]>) {
      const refused = guardian(made, ...args, ...more)
      assert.strictEqual(refused.code, code, refused.stdout + refused.stderr)
      assert.include(refused.stderr, reason)
    }
    const yes = run(current, ["guardian", ...args], {
      cwd: made,
      env: { HOME: made, HERMES_HOME: join(made, "home") },
      input: "yes\n"
    })
    assert.strictEqual(yes.code, 1)
    assert.strictEqual(fs.readFileSync(join(made, "home/config.yaml"), "utf8"), config)
    assert.isFalse(fs.existsSync(join(made, "home/plugin-data")))
  })

  it("refuses what others could write, and says what to type", () => {
    const cases: ReadonlyArray<[string, (made: string) => void, RegExp]> = [
      ["open_to_others", (made) => fs.chmodSync(join(made, "home/config.yaml"), 0o620), /chmod go-rwx '.*config.yaml'/],
      ["open_to_others", (made) => fs.chmodSync(join(made, "home"), 0o770), /chmod go-rwx '.*home'/],
      ["hard_link", (made) => fs.linkSync(join(made, "home/config.yaml"), join(made, "second")), /cp -p/],
      [
        "link",
        (made) => {
          fs.renameSync(join(made, "home/config.yaml"), join(made, "real.yaml"))
          fs.symlinkSync(join(made, "real.yaml"), join(made, "home/config.yaml"))
        },
        /realpath/
      ],
      [
        "link",
        (made) => {
          fs.renameSync(join(made, "home"), join(made, "real"))
          fs.symlinkSync(join(made, "real"), join(made, "home"))
        },
        /realpath/
      ],
      [
        "not_regular",
        (made) => (fs.rmSync(join(made, "home/config.yaml")), fs.mkdirSync(join(made, "home/config.yaml"))),
        /ls -ld/
      ],
      ["file_unsupported", (made) => fs.writeFileSync(join(made, "home/config.yaml"), "a: 1\na: 2\n"), /line 2/]
    ]
    for (const [reason, spoil, cure] of cases) {
      const made = workshop()
      spoil(made)
      const refused = guardian(made, "activate", "--policy", "strict.json")
      assert.strictEqual(refused.code, 2, refused.stdout)
      assert.include(refused.stderr, reason)
      assert.match(refused.stderr, cure)
    }
  })

  it("refuses a foreign owner's file", { skip: process.geteuid?.() !== 0 }, () => {
    const made = workshop()
    fs.chownSync(join(made, "home/config.yaml"), 1, 1)
    const refused = guardian(made, "activate", "--policy", "strict.json")
    assert.strictEqual(refused.code, 2)
    assert.match(refused.stderr, /foreign_owner[^]*run this as the user/)
  })

  it("refuses what is no policy", () => {
    const made = workshop()
    fs.writeFileSync(join(made, "bad.json"), "{}")
    assert.strictEqual(guardian(made, "activate", "--policy", "bad.json").code, 2)
    assert.strictEqual(guardian(made, "activate", "--policy", "none.json").code, 2)
  })
})

describe("rollback", () => {
  it("is an activation with a review of its own, and leaves the file as it was", () => {
    const made = workshop()
    activated(made, "strict.json")
    const strictText = fs.readFileSync(join(made, "home/config.yaml"), "utf8")
    activated(made, "open.json")
    const { confirmed } = reviewed(made, "rollback")
    const back = guardian(made, "rollback", ...confirmed)
    assert.strictEqual(back.code, 0, back.stderr)
    assert.strictEqual(fs.readFileSync(join(made, "home/config.yaml"), "utf8"), strictText)
    const audit = fs.readFileSync(join(made, "home/plugin-data/hermes-guardian/audit.jsonl"), "utf8")
    assert.include(audit, '"event":"policy_rolled_back"')
    // And to where nothing was set, by name.
    const [first] = status(made).backups
    const args = ["rollback", first?.name ?? ""]
    const unset = guardian(made, ...args, ...reviewed(made, ...args).confirmed)
    assert.strictEqual(unset.code, 0, unset.stderr)
    assert.strictEqual(status(made).policy.state, "built_in")
    assert.isTrue(fs.readFileSync(join(made, "home/config.yaml"), "utf8").startsWith(config))
  })

  it("without a backup, or of one that is not whole, changes nothing", () => {
    const made = workshop()
    assert.strictEqual(guardian(made, "rollback").code, 3)
    activated(made, "strict.json")
    const backups = join(made, "home/plugin-data/hermes-guardian/backups")
    const [name = ""] = fs.readdirSync(backups)
    fs.truncateSync(join(backups, name), 20)
    const refused = guardian(made, "rollback", name)
    assert.deepStrictEqual([refused.code, refused.stderr.includes("no_backup")], [3, true])
    assert.isFalse(status(made).backups[0]?.whole)
  })
})
