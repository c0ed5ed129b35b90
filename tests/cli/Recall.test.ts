/** `recall demo` and `recall broker`, as people and hosts meet them. (issue 4 parts 2 and 6) */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect } from "vitest"
import { built, current, type Program, run, top } from "./given/Cli.ts"
import { demoPlace, pathWith } from "./given/DemoPlace.ts"

const isBuilt = existsSync(join(top, "dist/hermes/hy_memory/sidecar.cjs"))

const show = (text: string): string =>
  text
    .replace(/\/\S*?memory-bridge-demo-\w+/g, "<demo>")
    .replace(/Python [\d.]+, Node [\d.]+/, "Python <version>, Node <version>")

describe.skipIf(!isBuilt)(`the recall demo${isBuilt ? "" : " (skipped: dist/hermes is not built)"}`, () => {
  it("looks like this, and leaves nothing behind", async () => {
    const place = demoPlace()
    const { code, stderr, stdout } = run(current, ["recall", "demo"], { env: place.env })
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    await expect(show(stdout)).toMatchFileSnapshot("golden/recall-demo.txt")
    const [, made = ""] = /Files: (\S+)/.exec(stdout) ?? []
    assert.isFalse(existsSync(made))
  })

  it.skipIf(typeof built === "string")("is the same when built, on Node 20", async () => {
    const { code, stdout } = run(built as Program, ["recall", "demo"], { env: demoPlace().env })
    assert.strictEqual(code, 0)
    await expect(show(stdout)).toMatchFileSnapshot("golden/recall-demo.txt")
  })

  it("takes no settings of the operator's own recall", () => {
    const { code, stdout } = run(current, ["recall", "demo"], {
      env: { ...demoPlace().env, HY_MEMORY_AUTO_RECALL: "false", HY_MEMORY_URL: "http://127.0.0.1:9" }
    })
    assert.strictEqual(code, 0, stdout)
  })

  it("that cannot find its plugin, or Python, says so", () => {
    const missing = run(current, ["recall", "demo", "--plugin", "/nonexistent"], { env: demoPlace().env })
    assert.deepStrictEqual(
      [missing.code, missing.stderr],
      [2, "memory-bridge: There is no built plugin in /nonexistent.\n  cure  npm run build\n"]
    )
    const bare = run(current, ["recall", "demo"], { env: { ...demoPlace().env, PATH: pathWith(undefined) } })
    assert.deepStrictEqual([bare.code, bare.stderr.includes("The demo needs Python.")], [2, true])
  })
})

describe("the reference Broker", () => {
  let home = ""
  beforeAll(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), "recall-broker-")))
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  /** Starts it, and ends it by SIGTERM once it serves; what it wrote and its exit code. */
  const serveOnce = (args: ReadonlyArray<string>, whileServing: () => void) =>
    new Promise<{ readonly code: number | null; readonly stdout: string }>((resolve, reject) => {
      const child = spawn(current.node, ["--no-warnings", current.script, "recall", "broker", ...args], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      let stdout = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text
        if (!text.includes("connection")) return
        try {
          whileServing()
        } catch (error) {
          reject(error as Error)
        }
        child.kill("SIGTERM")
      })
      child.on("close", (code) => resolve({ code, stdout }))
    })

  it("says where its files are, keeps its grant over a start, and takes its announcement back", async () => {
    const directory = join(home, "plugin-data", "memory-bridge", "broker")
    const credential = () => readFileSync(join(directory, "grants", "hermes.credential"), "utf8")
    const kept: Array<string> = []
    for (const args of [
      ["--home", home],
      ["--home", home, "--policy", join(home, "other.json")]
    ]) {
      if (args.length > 2) writeFileSync(join(home, "other.json"), "{}", { mode: 0o600 })
      const { code, stdout } = await serveOnce(args, () => {
        kept.push(credential())
        const discovery = JSON.parse(readFileSync(join(directory, "broker.json"), "utf8")) as object
        assert.notInclude(JSON.stringify(discovery), credential().trim())
        for (const name of ["broker.json", "connection.json", "grants/hermes.credential"]) {
          assert.strictEqual(statSync(join(directory, name)).mode & 0o077, 0, name)
        }
        const connection = JSON.parse(readFileSync(join(directory, "connection.json"), "utf8")) as object
        assert.deepStrictEqual(connection, {
          version: 1,
          discovery_file: join(directory, "broker.json"),
          credential_file: join(directory, "grants", "hermes.credential")
        })
      })
      assert.strictEqual(code, 143)
      assert.match(stdout, /^Broker at 127\.0\.0\.1:\d+, until it is ended\.\n {2}discovery/)
      assert.notInclude(stdout, kept[0]!.trim())
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["connection.json", "grants"])
    }
    assert.strictEqual(kept[0], kept[1])
  })

  it("refuses a place for its files that is not its own", () => {
    const open = join(home, "open")
    const directory = join(open, "plugin-data", "memory-bridge", "broker")
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(open, "x"), "")
    rmSync(directory, { recursive: true })
    writeFileSync(directory, "a file in its place")
    const { code, stderr } = run(current, ["recall", "broker", "--home", open])
    assert.deepStrictEqual([code, stderr], [2, "memory-bridge: The Broker's files cannot be made in this home.\n"])
  })
})
