/** `guardian simulate` as people and scripts see it. (issue 5 item 2) */
import { assert, describe, it } from "@effect/vitest"
import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { barOf, progressOn } from "memory-bridge/screen/Progress"
import { current, run, runInTerminal } from "./given/Cli.ts"
import { folder, put } from "./given/Folder.ts"
import { transcript } from "./given/Transcript.ts"

const simulate = ["guardian", "simulate"]

const guard = {
  default_action: "block",
  rules: [
    { tool: "read_file", action: "allow" },
    { tool: "terminal", action: "approve", why: "a shell is a shell" }
  ],
  protected_paths: [{ path: "~/keys", action: "block", why: "keys are not for agents" }]
}

const call = (tool: string, args: object): string => JSON.stringify({ tool, args }) + "\n"

/** As the host exports one. */
const session = (...calls: ReadonlyArray<readonly [name: string, args: string]>): string =>
  JSON.stringify({
    id: "s1",
    messages: [
      { role: "user", content: "a private wish of theirs" },
      { role: "assistant", tool_calls: calls.map(([name, args]) => ({ function: { name, arguments: args } })) }
    ]
  }) + "\n"

const yaml = `plugins:
  entries:
    hermes-guardian:
      settings:
        policy:
          default_action: approve
`

/** A user's folder with a home, policies and recordings. */
const workshop = (): string => {
  const made = folder({
    "keys/id": "synthetic\n",
    "open/": "",
    ".hermes/config.yaml": yaml + "          rules: []\n          protected_paths: []\n",
    "guard.json": JSON.stringify(guard),
    "same.yaml": `# the same\ndefault_action: block\nrules:\n  - {tool: read_file, action: allow}\n  - {tool: terminal, action: approve, why: a shell is a shell}\nprotected_paths:\n  - {path: ~/keys, action: block, why: keys are not for agents}\n`,
    "ambiguous.yaml": "default_action: block\nrules: [{tool: yes, action: allow}]\nprotected_paths: []\n",
    "twice.json": '{"default_action": "block", "default_action": "allow", "rules": [], "protected_paths": []}',
    "twice.yaml": "default_action: block\ndefault_action: allow\nrules: []\nprotected_paths: []\n",
    "odd.yaml": "default_action: [",
    "dead.json": '{"default_action": "block", "rules": [], "protected_paths": [], "extra": 1}',
    "broken.jsonl": call("read_file", {}) + "{\n",
    "form.jsonl": '{"tool": "read_file"}\n',
    "state.db": "SQLite format 3\u0000synthetic"
  })
  put(
    made,
    "calls.jsonl",
    call("read_file", { path: `${made}/keys/id` }) + call("read_file", { path: "/srv/a" }).repeat(2)
  )
  put(made, "sessions.jsonl", session(["terminal", '{"command":"cat /srv/token-4711"}'], ["web_search", "not json"]))
  return made
}

const unprinted = (text: string): string => text.replaceAll(/[0-9a-f]{64}/g, "<fingerprint>")

interface Json {
  readonly policy: { readonly fingerprint: string; readonly origin: string }
  readonly summary: { readonly calls: number }
  readonly skipped: number
  readonly calls: ReadonlyArray<{
    readonly source: string
    readonly label: string
    readonly tool: string
    readonly decision: { readonly action: string; readonly rule: string | null }
    readonly findings: ReadonlyArray<{ readonly rule: string | null }>
    readonly args: unknown
  }>
}

const json = (made: string, ...args: ReadonlyArray<string>): Json => {
  const { code, stderr, stdout } = run(current, [...simulate, ...args, "--json"], { cwd: made, env: { HOME: made } })
  assert.strictEqual(code, 0, stderr)
  assert.match(stdout, /^\{[^\n]*\}\n$/)
  return JSON.parse(stdout) as Json
}

describe("a simulation", () => {
  it("looks like this", async () => {
    const made = workshop()
    const commands = [[...simulate, "--policy", "guard.json", "--calls", "calls.jsonl", "--sessions", "sessions.jsonl"]]
    // Positions in commands are part of the text, so the home's name must always have the same length.
    const text = transcript(made, commands, current, { HOME: "/srv/somebody" })
    await expect(unprinted(text)).toMatchFileSnapshot("golden/guardian-simulate.txt")
  })

  it.each([
    [
      "policies",
      "none.json ambiguous.yaml twice.json twice.yaml odd.yaml dead.json keys"
        .split(" ")
        .map((file) => ["--policy", file])
    ],
    [
      "recordings",
      [
        ...["none", "broken.jsonl", "form.jsonl", "state.db", "latin1.jsonl"].map((file) => ["--calls", file]),
        ["--sessions", "state.db"],
        ["--calls", "-", "--sessions", "-"]
      ]
    ],
    ["homes", [["--home", "none"], ["--home", "open"], ["--home", "linked"], ["--policy"]]]
  ] as const)("refuses %s like this", async (name, given) => {
    const made = workshop()
    chmodSync(join(made, "open"), 0o777)
    symlinkSync(".hermes", join(made, "linked"))
    writeFileSync(join(made, "latin1.jsonl"), Buffer.from([0x22, 0xe9, 0x22]))
    const commands = given.map((args) => simulate.concat(args))
    const text = transcript(made, commands, current, { HOME: made })
    await expect(text).toMatchFileSnapshot(`golden/guardian-simulate-${name}.txt`)
  })

  it("is of the policy that the home's settings hold, of the default without one, of none that is valid", () => {
    const made = workshop()
    assert.strictEqual(json(made).policy.origin, "settings")
    put(made, ".hermes/config.yaml", "model: x\n")
    assert.strictEqual(json(made).policy.origin, "default")
    put(made, ".hermes/config.yaml", yaml)
    const invalid = json(made)
    assert.strictEqual(invalid.policy.origin, "invalid")
    assert.deepStrictEqual([...new Set(invalid.calls.map(({ decision }) => decision.action))], ["block"])
    put(made, "other/config.yaml", "model: x\n")
    assert.strictEqual(json(made, "--home", "other").policy.origin, "default")
  })

  it("takes the same policy for the same as JSON, as YAML, and out of the host's configuration", () => {
    const made = workshop()
    put(
      made,
      "config.yaml",
      "plugins: {entries: {hermes-guardian: {settings: {policy: " + JSON.stringify(guard) + "}}}}\n"
    )
    put(made, "policy.json", JSON.stringify({ policy: guard }))
    const files = ["guard.json", "same.yaml", "config.yaml", "policy.json"]
    const prints = files.map((file) => json(made, "--policy", file).policy.fingerprint)
    assert.strictEqual(new Set(prints).size, 1)
  })

  it("gives each call its verdict, its deciding rule and all that matched", () => {
    const made = workshop()
    const { calls, summary } = json(made, "--policy", "guard.json", "--calls", "calls.jsonl")
    assert.strictEqual(calls.length, summary.calls)
    assert.deepStrictEqual([...new Set(calls.map(({ source }) => source))], ["scenario", "neighbour", "recorded"])
    const recorded = calls.filter(({ source }) => source === "recorded")
    assert.deepStrictEqual(
      recorded.map(({ decision: { action, rule }, label }) => [label, action, rule]),
      [
        ["calls, line 1", "block", "path:0"],
        ["calls, line 2", "allow", "tool:0"],
        ["calls, line 3", "allow", "tool:0"]
      ]
    )
    assert.deepStrictEqual(
      recorded[0]!.findings.map(({ rule }) => rule),
      ["tool:0", "path:0"]
    )
  })

  it("keeps what recorded calls were about to itself", () => {
    const made = workshop()
    for (const more of [[], ["--json"]]) {
      const { stdout } = run(current, [...simulate, "--sessions", "sessions.jsonl", ...more], {
        cwd: made,
        env: { HOME: made }
      })
      assert.notMatch(stdout, /4711|private wish/)
      assert.include(stdout, "sessions, line 1")
    }
    const { calls, skipped } = json(made, "--sessions", "sessions.jsonl")
    assert.strictEqual(skipped, 1)
    assert.deepStrictEqual(
      calls.filter(({ source }) => source === "recorded").map(({ args, tool }) => [tool, args]),
      [["terminal", null]]
    )
  })

  it("takes recorded calls from standard input", () => {
    const made = workshop()
    const { code, stdout } = run(current, [...simulate, "--policy", "guard.json", "--calls", "-"], {
      cwd: made,
      input: call("web_search", {}),
      env: { HOME: made }
    })
    assert.strictEqual(code, 0)
    assert.include(stdout, "Recorded calls: 0 allow, 0 approve, 1 block")
  })

  it("changes nothing", () => {
    const made = workshop()
    const facts = () =>
      readdirSync(made, { recursive: true, encoding: "utf8" }).map((name) => {
        const { ctimeMs, ino, size } = statSync(join(made, name))
        return { name, ctimeMs, ino, size }
      })
    const before = facts()
    json(made, "--calls", "calls.jsonl", "--sessions", "sessions.jsonl")
    assert.deepStrictEqual(facts(), before)
  })

  it("fits a narrow terminal, and has colour only where that is wanted", () => {
    const made = workshop()
    const args = [...simulate, "--policy", join(made, "guard.json"), "--home", join(made, ".hermes")]
    const narrow = runInTerminal(current, args, 40, { HOME: made, NO_COLOR: "1" })
    assert.strictEqual(narrow.code, 0)
    assert.notInclude(narrow.stdout, "\u001b")
    for (const line of narrow.stdout.split("\n")) assert.isAtMost(line.length, 40, line)
    assert.include(runInTerminal(current, args, 80, { HOME: made }).stdout, "\u001b[31mblock")
    assert.notInclude(run(current, args, { env: { HOME: made } }).stdout, "\u001b")
  })
})

describe("the progress bar", () => {
  const shown = (isTerminal: boolean, times: ReadonlyArray<number>): ReadonlyArray<string> => {
    const written: Array<string> = []
    const clock = [...times]
    const progress = progressOn({
      isTerminal,
      columns: 60,
      write: (text) => written.push(text),
      now: () => clock.shift() ?? 0
    })
    for (let done = 1; done < times.length; done++) progress.at(done, times.length - 1)
    progress.end()
    return written
  }

  it("shows nothing of a run that is over in a moment, and nothing where nobody looks", () => {
    assert.deepStrictEqual(shown(true, [0, 100, 200, 399]), [])
    assert.deepStrictEqual(shown(false, [0, 1000, 2000, 3000]), [])
  })

  it("shows how far a longer run is, not too often, and leaves nothing behind", () => {
    const written = shown(true, [0, 500, 550, 700, 900])
    const bars = written.filter((text) => text.includes("%"))
    assert.deepStrictEqual(
      bars.map((bar) => /\d+ %/.exec(bar)?.[0]),
      ["25 %", "75 %", "100 %"]
    )
    assert.strictEqual(written.at(-1), `\r${" ".repeat(bars.at(-1)!.length)}\r`)
  })

  it("fits into the line", () => {
    for (const columns of [0, 24, 30, 40, 80, 200]) {
      for (const done of [0, 1, 50_000, 99_999, 100_000]) {
        assert.isBelow(barOf(done, 100_000, columns).length, columns === 0 ? 80 : columns)
      }
    }
    assert.strictEqual(barOf(50, 100, 40), "[#########..........] 50 % of 100 calls")
    assert.strictEqual(barOf(0, 0, 20), "100 % of 0 calls")
  })
})
