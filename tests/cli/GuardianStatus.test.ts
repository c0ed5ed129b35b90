/** `guardian status`: what an operator must not overlook. (issue 5 item 5) */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { join } from "node:path"
import { current, run } from "./given/Cli.ts"
import { folder } from "./given/Folder.ts"

const status = (config: string | undefined, ...more: ReadonlyArray<string>) => {
  const made = folder({ "home/": "" })
  if (config !== undefined) fs.writeFileSync(join(made, "home/config.yaml"), config, { mode: 0o600 })
  const ended = run(current, ["guardian", "status", ...more], {
    cwd: made,
    env: { HOME: made, HERMES_HOME: join(made, "home") }
  })
  assert.deepStrictEqual(fs.readdirSync(join(made, "home")), config === undefined ? [] : ["config.yaml"], "only a look")
  return ended
}

const settings = (yaml: string): string =>
  `plugins:\n  entries:\n    hermes-guardian:\n      settings:\n        ${yaml}\n`

describe("status", () => {
  it("of a home without settings: the built-in policy is enforced", () => {
    const { code, stdout } = status(undefined)
    assert.strictEqual(code, 0)
    assert.match(stdout, /mode {6}enforce\npolicy {4}[0-9a-f]{64} \(built in/)
  })

  it("says loudly that nothing is enforced", () => {
    const { code, stdout } = status(settings("mode: log_only"))
    assert.strictEqual(code, 0)
    assert.include(stdout, "log_only: decisions are recorded, nothing is enforced")
  })

  it.each([
    ["a mode that is none", settings("mode: off-ish"), "invalid: every call is blocked"],
    ["a mode that readers disagree about", settings("mode: off"), "ambiguous"],
    ["a policy that is none", settings("policy: {rules: []}"), "not valid: every call is blocked"],
    ["a file that is no YAML", "a: [", "not_yaml"]
  ])("ends with 2 for %s", (_, config, said) => {
    const { code, stderr, stdout } = status(config)
    assert.strictEqual(code, 2)
    assert.include(stdout + stderr, said)
  })

  it("reads what an older host kept elsewhere", () => {
    const former = settings("mode: log_only").replace("settings:", "config:")
    assert.include(status(former).stdout, "log_only")
  })

  it("has a JSON form without what a policy says", () => {
    const { stdout } = status(
      settings(
        'policy: {default_action: block, rules: [], protected_paths: [{path: "/srv/kingfisher", action: block}]}'
      ),
      "--json"
    )
    const report = JSON.parse(stdout) as { mode: string; policy: { state: string } }
    assert.deepStrictEqual([report.mode, report.policy.state], ["enforce", "set"])
    assert.notInclude(stdout, "kingfisher")
  })
})
