/**
 * The built guardian inside a real host: the loader, the hook's invocation, the approval gate and the tools of the Hermes
 * source tree that `HERMES_SOURCE` names. Skipped without one. (hermes-contract.md a, b and e)
 */
import { assert, describe, it } from "@effect/vitest"
import { approveMessage, blockMessages } from "@memory-bridge/core/guard/Directive"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { environment, python, source } from "./given/Host.ts"

const here = dirname(fileURLToPath(import.meta.url))
const plugin = join(here, "..", "..", "dist", "hermes", "hermes-guardian")
const missing = source === "" ? " (skipped: HERMES_SOURCE names no source tree)" : ""

/** JSON is YAML, so no quoting has to be thought of. */
const configFor = (project: string): string =>
  JSON.stringify({
    plugins: {
      enabled: ["hermes-guardian"],
      entries: {
        "hermes-guardian": {
          settings: {
            policy: {
              default_action: "block",
              rules: [
                { tool: "read_file", action: "allow" },
                { tool: "write_file", action: "approve" },
                { tool: "terminal", action: "allow" }
              ],
              protected_paths: [{ path: join(project, ".env"), action: "block" }]
            }
          }
        }
      }
    }
  })

const withHost = (use: (base: string, environment: Record<string, string>) => void): void => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "guardian-host-")))
  try {
    for (const name of ["home/plugins", "project"]) mkdirSync(join(base, name), { recursive: true, mode: 0o700 })
    writeFileSync(join(base, "project", "notes.md"), "synthetic notes\n")
    writeFileSync(join(base, "project", ".env"), "TOKEN=kingfisher\n")
    writeFileSync(join(base, "home", "config.yaml"), configFor(join(base, "project")), { mode: 0o600 })
    cpSync(plugin, join(base, "home", "plugins", "hermes-guardian"), { recursive: true })
    use(base, environment(join(base, "home"), base))
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

interface Outcome {
  readonly directives: ReadonlyArray<readonly [string | null, string | null]>
  readonly allowed: string | null
  readonly dispatched: readonly [allowed: string, secret: string, shell: string]
  readonly unanswered: string | null
  readonly denied: string | null
  readonly approved: string | null
  readonly asked: ReadonlyArray<readonly [tool: string, reason: string, key: string]>
}

/** Fails with the report unless the host's doctor has neither errors nor warnings. */
const doctor = `
import sys
from hermes_cli.plugin_dev import doctor_plugin
report = doctor_plugin(sys.argv[1])
sys.exit(0 if report.ok and not report.findings else report.format_text())
`

describe(`the guardian in a real host${missing}`, () => {
  it.skipIf(source === "")("allows, blocks, and takes approvals to the host's own gate", () => {
    withHost((base, env) => {
      const script = join(here, "guardian_session.py")
      const { stderr, stdout } = spawnSync(python, [script, join(base, "project")], {
        cwd: base,
        encoding: "utf8",
        env
      })
      const line = stdout.split("\n").find((text) => text.startsWith("OUTCOME "))
      assert.isDefined(line, stderr)
      const outcome = JSON.parse(line!.slice("OUTCOME ".length)) as Outcome
      assert.deepStrictEqual(outcome.directives, [
        [null, null],
        ["approve", approveMessage],
        ["block", blockMessages.policy],
        ["block", blockMessages.policy]
      ])
      assert.isNull(outcome.allowed)
      const [allowed, secret, shell] = outcome.dispatched
      assert.notInclude(allowed, "Hermes Guardian")
      assert.include(secret, blockMessages.policy)
      assert.notInclude(secret, "kingfisher")
      assert.include(shell, blockMessages.unsupported)
      // Nobody is there to answer, so the host's own gate blocks.
      assert.include(outcome.unanswered, "BLOCKED")
      assert.include(outcome.denied, "denied by the test")
      assert.isNull(outcome.approved)
      assert.lengthOf(outcome.asked, 3)
      for (const [tool, reason] of outcome.asked) assert.deepStrictEqual([tool, reason], ["write_file", approveMessage])
      // An answer to one call is never the answer to another.
      assert.lengthOf(new Set(outcome.asked.map(([, , key]) => key)), 3)
      const audit = readFileSync(join(base, "home", "plugin-data", "hermes-guardian", "audit.jsonl"), "utf8")
      // Every question was decided anew.
      assert.lengthOf(audit.trimEnd().split("\n"), 11)
      assert.notInclude(audit + stderr, "kingfisher")
    })
  })

  it.skipIf(source === "")("gives the host's own doctor nothing to find", () => {
    withHost((base, env) => {
      const { status, stderr, stdout } = spawnSync(python, ["-c", doctor, plugin], {
        cwd: base,
        encoding: "utf8",
        env: { ...env, PYTHONPATH: source }
      })
      assert.strictEqual(status, 0, stdout + stderr)
    })
  })
})
