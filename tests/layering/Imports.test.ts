/**
 * Who may import whom: hosts -> platforms -> core, never back, no cycles. (design.md section 2)
 *
 * The rules stand in .oxlintrc.json; here the linter runs over the repository, and over planted violations to show
 * that each rule bites.
 */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const top = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const oxlint = join(top, "node_modules", "oxlint", "bin", "oxlint")

const lint = (cwd: string) => {
  const { status, stdout } = spawnSync(process.execPath, [oxlint, "packages"], { cwd, encoding: "utf8" })
  return { status, stdout }
}

/** Lints a folder that holds our configuration and the given files only. */
const lintPlanted = (files: Record<string, string>) => {
  const folder = mkdtempSync(join(tmpdir(), "layering-"))
  try {
    cpSync(join(top, ".oxlintrc.json"), join(folder, ".oxlintrc.json"))
    symlinkSync(join(top, "node_modules"), join(folder, "node_modules"))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    return lint(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const importing = (specifier: string) => `import { it } from "${specifier}"\nexport const that = it\n`

describe("imports", () => {
  it("of this repository keep the direction and have no cycle", () => {
    const { status, stdout } = lint(top)
    assert.strictEqual(status, 0, stdout)
  })

  it.each([
    ["core", "node:fs"],
    ["core", "koffi"],
    ["core", "@memory-bridge/platform-posix/Libc"],
    ["core", "@effect/platform-node-shared/NodeStdio"],
    ["platform-posix", "@memory-bridge/platform-linux/LinuxTree"],
    ["platform-posix", "@memory-bridge/hermes-plugin/main"],
    ["platform-linux", "@memory-bridge/hermes-plugin/main"],
    ["platform-darwin", "@memory-bridge/platform-linux/LinuxTree"],
    ["platform-darwin", "@memory-bridge/hermes-plugin/main"],
    ["mcp-server", "koffi"],
    ["mcp-server", "memory-bridge/main"],
    ["hermes-plugin", "koffi"],
    ["hermes-plugin", "memory-bridge/main"],
    ["cli", "koffi"]
  ])("of %s may not name %s", (layer, specifier) => {
    const { status, stdout } = lintPlanted({ [`packages/${layer}/src/Planted.ts`]: importing(specifier) })
    assert.notStrictEqual(status, 0)
    assert.include(stdout, "no-restricted-imports")
  })

  it("may not form a cycle", () => {
    const { status, stdout } = lintPlanted({
      "packages/core/src/One.ts": `import { other } from "./Other.ts"\nexport const one = () => other\n`,
      "packages/core/src/Other.ts": `import { one } from "./One.ts"\nexport const other = () => one\n`
    })
    assert.notStrictEqual(status, 0)
    assert.include(stdout, "no-cycle")
  })
})
