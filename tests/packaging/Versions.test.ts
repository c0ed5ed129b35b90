/** Issue 7 item 6: one version everywhere, moved together by one place. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { top } from "../cli/given/Cli.ts"
import { folder } from "../cli/given/Folder.ts"

const script = "scripts/versions.mjs"

/** The files that carry the version, copied. */
const copied = (): string => {
  const made = folder()
  const packages = fs.readdirSync(join(top, "packages")).map((name) => `packages/${name}/package.json`)
  const plugins = ["memory-bridge", "hermes-guardian", "hy_memory"].map(
    (name) => `packages/hermes-plugin/python/${name}/plugin.yaml`
  )
  const sources = ["packages/cli/src/Version.ts", "packages/mcp-server/src/Version.ts"]
  for (const path of ["package.json", "package-lock.json", script, ...packages, ...plugins, ...sources]) {
    fs.mkdirSync(dirname(join(made, path)), { recursive: true })
    fs.copyFileSync(join(top, path), join(made, path))
  }
  return made
}

const run = (made: string, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [join(made, script), ...args], { encoding: "utf8" })

describe("the version", () => {
  it("is one in all places", () => {
    const { status, stdout } = run(top)
    assert.strictEqual(status, 0, stdout)
  })

  it("moves in all of them at once, and changes nothing else", () => {
    const made = copied()
    const { version } = JSON.parse(fs.readFileSync(join(made, "package.json"), "utf8")) as { version: string }
    const before = run(made).stdout
    assert.strictEqual(run(made, "98.7.6").stdout, "98.7.6\n")
    for (const path of fs.readdirSync(made, { recursive: true, encoding: "utf8" })) {
      if (!fs.statSync(join(made, path)).isFile() || path === script) continue
      const [old, now] = [top, made].map((at) => fs.readFileSync(join(at, path), "utf8"))
      assert.notStrictEqual(now, old, path)
      if (path !== "package-lock.json")
        assert.strictEqual(
          now,
          old?.replaceAll(`"${version}"`, '"98.7.6"').replace(`version: ${version}`, "version: 98.7.6"),
          path
        )
    }
    assert.strictEqual(run(made, version).stdout, before)
    assert.strictEqual(
      fs.readFileSync(join(made, "package-lock.json"), "utf8"),
      fs.readFileSync(join(top, "package-lock.json"), "utf8")
    )
  })

  it("is told where it is another, and is no word", () => {
    const made = copied()
    const plugin = join(made, "packages/hermes-plugin/python/hy_memory/plugin.yaml")
    fs.writeFileSync(plugin, fs.readFileSync(plugin, "utf8").replace(/^version: .*$/m, "version: 0.0.1"))
    const stray = run(made)
    assert.strictEqual(stray.status, 1)
    assert.match(stray.stdout, /^packages\/hermes-plugin\/python\/hy_memory\/plugin.yaml: not /)
    assert.strictEqual(run(made, "next").status, 2)
  })
})
