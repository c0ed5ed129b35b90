/** `guardian review` as people and scripts see it, and what it hands to an activation. (issue 5 item 3) */
import { assert, describe, it } from "@effect/vitest"
import { expect } from "vitest"
import { decodeText } from "@memory-bridge/core/guard/Settings"
import { compare } from "@memory-bridge/core/lab/Difference"
import { fingerprintOf } from "@memory-bridge/core/lab/Fingerprint"
import type { Review } from "@memory-bridge/core/lab/Review"
import { sha256 } from "@memory-bridge/platform-posix/lab/Fingerprint"
import * as Result from "effect/Result"
import { spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { stringify as toYaml } from "yaml"
import { current, environment, run, runInTerminal } from "./given/Cli.ts"
import { folder, put } from "./given/Folder.ts"
import { transcript } from "./given/Transcript.ts"

const review = ["guardian", "review"]

const old = {
  default_action: "block",
  rules: [
    { tool: "read_file", action: "allow" },
    { tool: "terminal", action: "approve", why: "a shell is a shell" }
  ],
  protected_paths: [
    { path: "/srv/keys/old", action: "block", why: "retired keys" },
    { path: "/srv/work", action: "approve" }
  ]
}

/** Opens the network, gives up a root that only a link would miss, and closes another. */
const wider = {
  default_action: "block",
  rules: [...old.rules, { tool: "web_extract", action: "allow", why: "it reads the news" }],
  protected_paths: [{ path: "/srv/keys", action: "block", why: "keys are for people" }]
}

const stricter = { ...old, rules: [{ tool: "read_file", action: "approve" }, old.rules[1]] }

const workshop = (): string =>
  folder({
    ".hermes/config.yaml": `# mine\nplugins:\n  entries:\n    hermes-guardian:\n      settings:\n        policy: ${JSON.stringify(old)}\n`,
    "wider.json": JSON.stringify(wider),
    "stricter.json": JSON.stringify(stricter),
    "same.json": JSON.stringify({ ...old, rules: old.rules.map((rule) => ({ ...rule, match: [] })) }),
    "dead.json": "{}",
    "calls.jsonl": `{"tool":"web_extract","args":{"urls":["https://example.com/4711"]}}\n`
  })

const unprinted = (text: string): string => text.replaceAll(/[0-9a-f]{64}/g, "<fingerprint>")

const policyOf = (settings: object) => Result.getOrThrow(decodeText(JSON.stringify(settings), "/srv/somebody"))

describe("a review", () => {
  it("looks like this", async () => {
    const made = workshop()
    const commands = [
      ["--proposed", "wider.json", "--calls", "calls.jsonl"],
      ["--proposed", "stricter.json", "--policy", "same.json", "--no-new-access"],
      ["--proposed", "same.json"]
    ].map((args) => review.concat(args))
    const text = transcript(made, commands, current, { HOME: "/srv/somebody", HERMES_HOME: join(made, ".hermes") })
    await expect(unprinted(text)).toMatchFileSnapshot("golden/guardian-review.txt")
  })

  it("refuses like this", async () => {
    const made = workshop()
    const commands = [
      ["--proposed", "dead.json"],
      ["--proposed", "none.json"],
      ["--proposed", "wider.json", "--policy", "dead.json"],
      ["--proposed", "wider.json", "--home", "none"],
      ["--proposed", "wider.json", "--calls", "wider.json"],
      []
    ].map((args) => review.concat(args))
    const text = transcript(made, commands, current, { HOME: made })
    await expect(text).toMatchFileSnapshot("golden/guardian-review-refused.txt")
  })

  it("is the core's own, word for word, for a program", () => {
    const made = workshop()
    const args = [...review, "--proposed", "wider.json", "--calls", "calls.jsonl", "--json"]
    const { code, stdout } = run(current, args, { cwd: made, env: { HOME: made } })
    assert.strictEqual(code, 0)
    assert.match(stdout, /^\{[^\n]*\}\n$/)
    assert.notInclude(stdout, "4711")
    const found = JSON.parse(stdout) as Review & { readonly weakened: number; readonly activation: string }
    const [before, after] = [policyOf(old), policyOf(wider)]
    assert.deepStrictEqual(
      found.difference,
      JSON.parse(JSON.stringify(compare(before, after))) as typeof found.difference
    )
    assert.strictEqual(found.active.fingerprint, fingerprintOf(sha256, before))
    assert.strictEqual(found.proposed.fingerprint, fingerprintOf(sha256, after))
    const { linked, weakened } = found.difference.counts
    assert.isAbove(linked, 0)
    assert.strictEqual(found.weakened, weakened + linked)
    assert.include(found.activation, `--fingerprint ${found.proposed.fingerprint} --weakened ${found.weakened}`)
    assert.include(found.activation, `--against ${found.active.fingerprint}`)
    assert.deepStrictEqual(
      found.findings.filter(({ code }) => code === "never_hit").map(({ rule }) => rule),
      ["tool:0", "tool:1", "path:0"]
    )
  })

  it("ends with a code of its own when there is new access and none was to be", () => {
    const made = workshop()
    const ended = (...args: ReadonlyArray<string>) =>
      run(current, [...review, ...args], { cwd: made, env: { HOME: made } }).code
    assert.strictEqual(ended("--proposed", "wider.json", "--no-new-access", "--json"), 4)
    assert.strictEqual(ended("--proposed", "stricter.json", "--no-new-access"), 0)
    assert.strictEqual(ended("--proposed", "wider.json"), 0)
  })

  it("counts what opens only behind a link as new access", () => {
    const made = folder({
      "one.json": JSON.stringify({ ...old, protected_paths: [{ path: "/srv/keys/old", action: "block" }] }),
      "other.json": JSON.stringify({ ...old, protected_paths: [{ path: "/srv/keys", action: "block" }] })
    })
    const args = [...review, "--policy", "one.json", "--proposed", "other.json", "--no-new-access"]
    const { code, stdout } = run(current, args, { cwd: made, env: { HOME: made } })
    assert.include(stdout, "refused less than before: nothing")
    assert.match(stdout, /Weakened where a protected path is a link: \d+ class/)
    assert.strictEqual(code, 4)
  })

  it("fits a narrow terminal but for the command, which is in one piece", () => {
    const made = workshop()
    const args = [...review, "--proposed", join(made, "wider.json"), "--home", join(made, ".hermes")]
    const { code, stdout } = runInTerminal(current, args, 40, { HOME: "/srv/somebody", NO_COLOR: "1" })
    assert.strictEqual(code, 0)
    assert.notInclude(stdout, "\u001b")
    const long = stdout.split("\n").filter((line) => line.length > 40)
    assert.strictEqual(long.length, 1)
    assert.match(
      long[0] ?? "",
      /^ {2}memory-bridge guardian activate --policy '.*' --home '.*' --fingerprint [0-9a-f]{64} --weakened \d+ --against [0-9a-f]{64}$/
    )
  })

  it.each([
    ["the settings", "wider.json", (settings: object) => JSON.stringify(settings)],
    ["a proposal", "wider.json", (settings: object) => JSON.stringify({ policy: settings })],
    ["YAML", "wider.yaml", (settings: object) => `# by hand\n${toYaml(settings)}`]
  ])("prints what puts exactly the reviewed policy in force, of %s", (_, name, written) => {
    const made = workshop()
    put(made, name, written(wider))
    const env = { HOME: made }
    const args = [...review, "--proposed", name]
    const [, command = ""] =
      /^ {2}(memory-bridge guardian activate .*)$/m.exec(run(current, args, { cwd: made, env }).stdout) ?? []
    put(made, "bin/memory-bridge", `#!/bin/sh\nexec '${current.node}' '${current.script}' "$@"\n`)
    chmodSync(join(made, "bin/memory-bridge"), 0o700)
    const path = { PATH: `${join(made, "bin")}:${process.env["PATH"]}` }
    const options = { cwd: made, env: environment({ ...env, ...path }), encoding: "utf8" } as const
    const { status, stderr } = spawnSync("sh", ["-c", command], options)
    assert.strictEqual(status, 0, stderr)
    assert.include(run(current, args, { cwd: made, env }).stdout, "there is nothing to activate")
  })

  it("does not let a policy's text act on the terminal", () => {
    const odd = { ...wider, rules: [{ tool: "web_extract", action: "allow", why: "a\u001b[2J\u202eb" }] }
    const made = folder({ "odd.json": JSON.stringify(odd), "old.json": JSON.stringify(old) })
    const args = ["--proposed", "odd.json", "--policy", "old.json"]
    const { code, stdout } = run(current, [...review, ...args], { cwd: made, env: { HOME: made } })
    assert.strictEqual(code, 0)
    assert.include(stdout, String.raw`\x1b[2J`)
    for (const odd of ["\u001b", "\u202e"]) assert.notInclude(stdout, odd)
  })
})

describe("the lab's help", () => {
  it("looks like this", async () => {
    const commands = ["simulate", "review", "report"].map((name) => ["guardian", name, "--help"])
    const text = transcript(folder(), commands, current)
    await expect(text).toMatchFileSnapshot("golden/guardian-lab-help.txt")
    for (const line of text.split("\n")) assert.isAtMost(line.length, 160, line)
  })
})
