/**
 * The built plugin inside a real host: the loader, registry, dispatch and context helpers of the Hermes source tree that
 * `HERMES_SOURCE` names. Skipped without one. (hermes-contract.md)
 */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeWorld } from "../support/World.ts"
import { environment, python, source, top } from "./given/Host.ts"

const plugin = join(top, "dist", "hermes", "memory-bridge")
const missing = source === "" ? " (skipped: HERMES_SOURCE names no source tree)" : ""

type Answer = {
  readonly ok: boolean
  readonly error?: { readonly code: string }
  readonly results?: ReadonlyArray<{ readonly id: string }>
}

/** A home with the plugin enabled, and a second one with another policy. */
const makeHost = () => {
  const world = makeWorld()
  const other = join(world.base, "other")
  cpSync(join(top, "examples", "memory"), world.root, { recursive: true })
  world.policy({ allow: ["projects/**", "decisions/**", "workflows/**"] })
  world.write(
    join(other, "plugin-data", "memory-bridge", "policy.json"),
    JSON.stringify({ version: 1, root: world.root, allow: ["decisions/**"] })
  )
  for (const home of [world.home, other]) {
    cpSync(plugin, join(home, "plugins", "memory-bridge"), { recursive: true })
    // An isolated tree needs no tool search between the model and the tools.
    const config = 'plugins:\n  enabled: [memory-bridge]\ntools:\n  tool_search:\n    enabled: "off"\n'
    writeFileSync(join(home, "config.yaml"), config, { mode: 0o600 })
  }
  return { world, other }
}

const run = (overlay: "yes" | "no"): Readonly<Record<string, Answer>> => {
  const { other, world } = makeHost()
  try {
    const script = join(top, "tests", "host", "hermes_session.py")
    const { stderr, stdout } = spawnSync(python, [script, other, overlay], {
      cwd: world.base,
      encoding: "utf8",
      env: environment(world.home, world.base)
    })
    const line = stdout.split("\n").find((text) => text.startsWith("ANSWERS "))
    assert.isDefined(line, stderr)
    assert.notInclude(line, world.base)
    return JSON.parse(line!.slice("ANSWERS ".length))
  } finally {
    world.dispose()
  }
}

const outcome = (answer: Answer | undefined): string =>
  answer?.ok === true ? (answer.results ?? []).map(({ id }) => id).join(" ") : (answer?.error?.code ?? "none")

const garden = "decisions/watering.md projects/garden.md workflows/visit.md"

/** Fails with the report unless the host's doctor has neither errors nor warnings. */
const doctor = `
import sys
from hermes_cli.plugin_dev import doctor_plugin
report = doctor_plugin(sys.argv[1])
tools = set(report.registered_tools) == {"memory_bridge_search", "memory_bridge_read"}
sys.exit(0 if report.ok and not report.findings and tools else report.format_text())
`

describe(`in a real host${missing}`, () => {
  it.skipIf(source === "")("every decision is as the policy says", () => {
    const answers = run("yes")
    const outcomes = Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, outcome(answer)]))
    assert.deepStrictEqual(outcomes, {
      search: garden,
      read: "",
      denied: "not_found_or_denied",
      missing: "not_found_or_denied",
      traversal: "invalid_request",
      unknown_argument: "invalid_request",
      cron: "unavailable",
      subagent: "unavailable",
      other_profile: "decisions/watering.md",
      multiplex_unbound: "unavailable",
      multiplex_bound: "decisions/watering.md"
    })
  })

  it.skipIf(source === "" || hasLateHelpers())("a host without the helpers that identity needs is refused", () => {
    for (const [name, answer] of Object.entries(run("no"))) {
      const expected = ["traversal", "unknown_argument"].includes(name) ? "invalid_request" : "unavailable"
      assert.strictEqual(outcome(answer), expected, name)
    }
  })

  it.skipIf(source === "")("the host's own doctor finds nothing wrong", () => {
    const { world } = makeHost()
    try {
      const { status, stderr, stdout } = spawnSync(python, ["-c", doctor, plugin], {
        cwd: world.base,
        encoding: "utf8",
        env: { ...environment(world.home, world.base), PYTHONPATH: source }
      })
      assert.strictEqual(status, 0, stdout + stderr)
    } finally {
      world.dispose()
    }
  })
})

function hasLateHelpers(): boolean {
  if (source === "" || !existsSync(join(source, "agent", "secret_scope.py"))) return false
  const probe = "import agent.secret_scope as s; raise SystemExit(not hasattr(s, 'current_secret_scope_home'))"
  return spawnSync(python, ["-B", "-c", probe], { cwd: source }).status === 0
}
