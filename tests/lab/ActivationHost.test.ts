/** Inside Hermes: one program decides, the host's interface writes, and what it wrote is read back. (issue 5 item 4) */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { current, top } from "../cli/given/Cli.ts"
import { folder } from "../cli/given/Folder.ts"

const hermes = (base: string, ...args: ReadonlyArray<string>) =>
  spawnSync(
    "python3",
    [
      "-B",
      join(import.meta.dirname, "support/host.py"),
      join(top, "packages/hermes-plugin/python_tests"),
      current.node,
      current.script,
      base,
      ...args
    ],
    { encoding: "utf8", env: { ...process.env, HOME: base }, input: "" }
  )

const policy = { default_action: "allow", rules: [], protected_paths: [] }

const confirmed = (base: string, ...args: ReadonlyArray<string>) => {
  const shown = hermes(base, ...args)
  const fingerprint = /^proposed {2}([0-9a-f]{64})$/m.exec(shown.stdout)?.[1] ?? shown.stderr
  const count = /^(\d+) class/m.exec(shown.stdout)?.[1] ?? "0"
  return hermes(base, ...args, "--fingerprint", fingerprint, "--weakened", count)
}

it("activates and rolls back through the host, and leaves its file alone", () => {
  const config = "model: none\n"
  const base = folder({ "home/config.yaml": config, "open.json": JSON.stringify(policy) })
  const done = confirmed(base, "activate", "--policy", join(base, "open.json"))
  assert.strictEqual(done.status, 0, done.stderr)
  assert.include(done.stdout, "Written by Hermes itself, and read back.")
  const settings = () => JSON.parse(fs.readFileSync(join(base, "settings.json"), "utf8")) as { policy: unknown }
  assert.deepStrictEqual(settings().policy, policy)
  assert.strictEqual(fs.readFileSync(join(base, "home/config.yaml"), "utf8"), config)
  // The host cannot take a setting away, so the built-in policy is written out.
  const back = confirmed(base, "rollback")
  assert.strictEqual(back.status, 0, back.stderr)
  assert.deepInclude(settings().policy as object, { default_action: "block" })
  assert.include(JSON.stringify(settings().policy), '"~/.ssh"')
})

it("says when the host does not write, and records that it failed", () => {
  const base = folder({ "home/": "", "open.json": JSON.stringify(policy), readonly: "" })
  const refused = confirmed(base, "activate", "--policy", join(base, "open.json"))
  assert.strictEqual(refused.status, 2)
  assert.include(refused.stderr, "host_refused (host_raised)")
  const audit = fs.readFileSync(join(base, "home/plugin-data/hermes-guardian/audit.jsonl"), "utf8")
  assert.match(audit, /"phase":"begun"[^]*"phase":"failed"/)
})

it("shows the state through the host, and trusts no home that others can write", () => {
  const base = folder({ "home/": "", "settings.json": '{"mode": "log_only"}' })
  const status = hermes(base, "status")
  assert.strictEqual(status.status, 0, status.stderr)
  assert.include(status.stdout, "log_only: decisions are recorded, nothing is enforced")
  fs.chmodSync(join(base, "home"), 0o777)
  assert.include(hermes(base, "status").stderr, "open_to_others")
})
