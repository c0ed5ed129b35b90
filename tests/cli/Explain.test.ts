/** `explain` and `explain-call` as an operator sees them. (issue 7 item 3) */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { current, run, runInTerminal } from "./given/Cli.ts"
import { exampleFolder, folder, put, steady } from "./given/Folder.ts"

const explain = (top: string, ...args: ReadonlyArray<string>) =>
  run(current, ["explain", ...args, "--policy", "policy.json"], { cwd: top })

describe("explain", () => {
  it("looks like this", async () => {
    const top = exampleFolder({ deny: ["projects/private/**", "**/budget*"] })
    fs.chmodSync(join(top, "notes/workflows"), 0o770)
    put(top, "notes/two.md", "twice\n")
    fs.linkSync(join(top, "notes/two.md"), join(top, "notes/three.md"))
    const targets = [
      "projects/garden.md",
      "projects/private/budget.md",
      "./notes/workflows/visit.md",
      join(top, "notes/three.md"),
      "projects",
      "projects/private",
      "../elsewhere.md",
      "a//b.md"
    ]
    const text = targets.map((target) => {
      const { code, stderr, stdout } = explain(top, target)
      assert.strictEqual(stderr, "")
      return `$ explain ${target}\n${stdout}(${code})\n`
    })
    await expect(steady(text.join("\n"), top)).toMatchFileSnapshot("golden/explain.txt")
  })

  it("has a JSON form in which one step decides", () => {
    const top = exampleFolder()
    const { code, stdout } = explain(top, "people/contact.md", "--json")
    const answer = JSON.parse(stdout) as {
      ok: boolean
      steps: ReadonlyArray<{ check: string; rule: string; decides: boolean }>
    }
    assert.strictEqual(code, 3)
    assert.isFalse(answer.ok)
    assert.deepStrictEqual(
      answer.steps.filter(({ decides }) => decides).map(({ check, rule }) => [check, rule]),
      [["patterns", "no_allow"]]
    )
    assert.deepStrictEqual(Object.keys(answer), [
      "ok",
      "kind",
      "id",
      "path",
      "served",
      "search",
      "steps",
      "holds",
      "refusal"
    ])
  })

  it("names the part of the policy's path that is refused", () => {
    const top = exampleFolder()
    fs.chmodSync(join(top, "policy.json"), 0o620)
    const { code, stdout } = explain(top, "projects/garden.md")
    assert.strictEqual(code, 2)
    assert.match(stdout, /^\* no policy file: .* group_writable/m)
    assert.include(stdout, "cure: chmod go-w")
  })

  it("fits a narrow terminal, without colour where none is wanted", () => {
    const top = exampleFolder()
    const args = ["explain", "projects/garden.md", "--policy", join(top, "policy.json")]
    const { stdout } = runInTerminal(current, args, 40, { NO_COLOR: "1" })
    for (const line of stdout.split("\n")) assert.isAtMost(line.length, 40, line)
    assert.notInclude(stdout, "\u001b[3")
  })
})

describe("explain-call", () => {
  const call = JSON.stringify({ tool: "read_file", args: { path: "/srv/kingfisher/a.md" } })
  const policy =
    '{default_action: allow, rules: [], protected_paths: [{path: "/srv/kingfisher", action: block, why: "a bird"}]}'
  const config = (more = "") =>
    `plugins:\n  entries:\n    hermes-guardian:\n      settings:\n        policy: ${policy}\n${more}`
  const ask = (files: Readonly<Record<string, string>>, ...more: ReadonlyArray<string>) => {
    const top = folder({ "home/": "", ...files })
    return run(current, ["explain-call", call, "--home", "home", ...more], { cwd: top, env: { HOME: top } })
  }

  it("takes the policy that is in force, and says where it comes from", () => {
    const { code, stdout } = ask({ "home/config.yaml": config() })
    assert.strictEqual(code, 0)
    assert.match(stdout, /^Policy: settings in .*config\.yaml\nblock\n/)
    assert.match(stdout, /^\* block .*because: a bird/m)
  })

  it("takes the built-in policy of a home that sets none, and another one from a file", () => {
    assert.include(ask({}).stdout, "the guard's default")
    const given = '{"default_action": "allow", "rules": [], "protected_paths": []}'
    const { stdout } = ask({ "home/config.yaml": config(), "other.json": given }, "--policy", "other.json", "--json")
    const { action, policy } = JSON.parse(stdout) as { action: string; policy: { origin: string } }
    assert.deepStrictEqual([action, policy.origin], ["allow", "file"])
  })

  it("says loudly that nothing is enforced", () => {
    const { stdout } = ask({ "home/config.yaml": config("        mode: log_only\n") })
    assert.include(stdout, "mode log_only")
  })

  it("refuses a call that is none, and settings that cannot be trusted", () => {
    const top = folder({ "home/config.yaml": config() })
    assert.strictEqual(run(current, ["explain-call", "{}", "--home", "home"], { cwd: top }).code, 1)
    fs.chmodSync(join(top, "home/config.yaml"), 0o666)
    assert.strictEqual(run(current, ["explain-call", call, "--home", "home"], { cwd: top }).code, 2)
  })
})
