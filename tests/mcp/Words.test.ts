/** An MCP client is told of the tools in the words, and with the input schemas, that Hermes is told them in. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { version } from "@memory-bridge/mcp-server/Version"
import { memoryTree } from "../contract/MemoryTree.ts"
import { signals } from "../property/Worlds.ts"
import { without } from "../support/Capabilities.ts"
import { over, withSession } from "./given/InProcess.ts"

const top = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).status === 0

/** The plugin's table, read by Python itself from a copy that is laid out as the built plugin is. */
const hermesTools = (): unknown => {
  const folder = mkdtempSync(join(tmpdir(), "words-"))
  try {
    const python = join(top, "packages/hermes-plugin/python")
    cpSync(join(python, "memory-bridge"), join(folder, "plugin"), { recursive: true })
    cpSync(join(python, "shim"), join(folder, "plugin", "shim"), { recursive: true })
    const script =
      "import json, sys; sys.path.insert(0, '.'); from plugin.tools import TOOLS; print(json.dumps([t.schema for t in TOOLS]))"
    const { stderr, stdout } = spawnSync("python3", ["-B", "-c", script], { cwd: folder, encoding: "utf8" })
    assert.notStrictEqual(stdout, "", stderr)
    return JSON.parse(stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("the server", () => {
  it.effect.skipIf(!hasPython)(`tells of the same tools${without(hasPython, "python3 3.11")}`, () =>
    withSession(over(memoryTree({})), signals, ({ ask }) =>
      Effect.gen(function* () {
        const { result } = yield* ask("tools/list")
        const tools = result!["tools"] as ReadonlyArray<Record<string, unknown>>
        assert.deepStrictEqual(
          tools.map(({ description, inputSchema, name }) => ({ name, description, parameters: inputSchema })),
          hermesTools() as never
        )
      })
    )
  )

  it("tells the version of its package", () => {
    const { version: packaged } = JSON.parse(readFileSync(join(top, "packages/mcp-server/package.json"), "utf8")) as {
      readonly version: string
    }
    assert.strictEqual(version, packaged)
  })
})
