/**
 * A whole session in a real host: the agent loop, loader, registry, hooks, approval gate and memory manager of the Hermes
 * source tree that `HERMES_SOURCE` names, driven by a scripted model on loopback. (issue 7 "Tests that must exist")
 *
 * Skipped without a tree, and where the Python lacks what the loop imports (Debian: python3-dotenv, python3-httpx, …).
 */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeWorld } from "../support/World.ts"
import { python, source, told, top } from "./given/Host.ts"

const lacks = (): string => {
  if (source === "") return "HERMES_SOURCE names no source tree"
  const { status } = spawnSync(python, ["-c", "import dotenv, httpx, yaml, tenacity, pydantic, requests, rich"])
  return status === 0 ? "" : `${python} lacks a module that the agent loop imports`
}
const missing = lacks()

interface Outcome {
  readonly tools: ReadonlyArray<string>
  readonly results: ReadonlyArray<string>
  readonly asked: ReadonlyArray<readonly [tool: string, reason: string]>
  readonly files: ReadonlyArray<string>
  readonly recalled: string
  /** All that the model was ever sent, as text. */
  readonly everything: string
}

const config = (secret: string): string =>
  JSON.stringify({
    memory: { provider: "hy_memory" },
    plugins: {
      enabled: ["memory-bridge", "hermes-guardian"],
      entries: {
        "hermes-guardian": {
          settings: {
            policy: {
              default_action: "block",
              rules: [
                { tool: "read_file", action: "allow" },
                { tool: "write_file", action: "approve" },
                { tool: "memory_bridge_search", action: "allow" },
                { tool: "memory_bridge_read", action: "allow" }
              ],
              protected_paths: [{ path: secret, action: "block" }]
            }
          }
        }
      }
    }
  })

const run = (): Outcome => {
  const world = makeWorld()
  try {
    world.write(
      "memory/garden.md",
      "# Garden\n\nThe blue asters go beside the east gate and are watered in the morning.\n"
    )
    world.write("memory/private.md", "# Private asters\n\nThe code of the garden gate by the asters is kingfisher.\n")
    world.policy({ allow: ["**"], deny: ["private.md"] })
    const project = join(world.base, "project")
    mkdirSync(project, { mode: 0o700 })
    writeFileSync(join(project, ".env"), "TOKEN=planted\n", { mode: 0o600 })
    for (const plugin of ["memory-bridge", "hermes-guardian", "hy_memory"]) {
      cpSync(join(top, "dist", "hermes", plugin), join(world.home, "plugins", plugin), { recursive: true })
    }
    // JSON is YAML.
    writeFileSync(join(world.home, "config.yaml"), config(join(project, ".env")), { mode: 0o600 })
    return told("whole_session.py", [project], "OUTCOME", world) as Outcome
  } finally {
    world.dispose()
  }
}

describe(`a session in a real host${missing === "" ? "" : ` (skipped: ${missing})`}`, () => {
  it.skipIf(missing !== "")(
    "searches, reads, is blocked, asks a person twice, and recalls",
    { timeout: 120_000 },
    () => {
      const { asked, everything, files, recalled, results, tools } = run()
      // This host lists a plugin's tools by a tool of its own, and calls them through another.
      assert.includeMembers([...tools], ["hy_memory_search", "tool_search", "tool_call"])
      const [found, note, blocked, approved, denied] = results
      assert.include(found, '"id": "garden.md"')
      assert.include(note, "beside the east gate")
      assert.include(blocked, "Hermes Guardian: blocked by policy.")
      assert.include(approved, '"bytes_written": 9')
      assert.include(denied, "denied by the test")
      assert.deepStrictEqual(
        asked.map(([tool]) => tool),
        ["write_file", "write_file"]
      )
      assert.deepStrictEqual(files, [".env", "new.md"])
      assert.match(recalled, /And the roses\?[\s\S]*<memhub_memory_context>[\s\S]*east gate/)
      for (const secret of ["kingfisher", "planted"]) assert.notInclude(everything, secret)
    }
  )
})
