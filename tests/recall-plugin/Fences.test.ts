/**
 * The sidecar of hy_memory connects and keeps its state, and can do nothing else, in a worker either. (design.md section 5,
 * issue 4)
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { type AddressInfo, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { bundle } from "../../scripts/build.mjs"
import { fenceFlags, nodes } from "../sidecar/support/Nodes.ts"

interface Tried {
  readonly replace: string
  readonly directory: string
  readonly outside: string
  readonly connect: string
  readonly listen: string
}

interface Outcome {
  readonly fences: ReadonlyArray<{ readonly name: string; readonly holds: boolean; readonly detail?: string }>
  readonly inMain: Tried
  readonly inWorker: Tried
}

const top = join(import.meta.dirname, "..", "..")
let base = ""
let server: Server
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "recall-fences-"))
  await bundle(join(import.meta.dirname, "support", "FenceProbe.ts"), join(base, "probe.cjs"))
  cpSync(join(top, "dist", "hermes", "hy_memory", "node_modules"), join(base, "node_modules"), { recursive: true })
  server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
afterAll(() => {
  server.close()
  rmSync(base, { recursive: true, force: true })
})

/** Whether this kernel's Landlock binds TCP, which version 4 brought. */
const bindsTcp = ({ fences }: Outcome): boolean =>
  Number(/^abi (\d+)/.exec(fences.find(({ name }) => name === "landlock")?.detail ?? "")?.[1] ?? 0) >= 4

describe.each(nodes)("on Node $version", (node) => {
  it("it replaces files in its state directory, connects, and can do nothing else", async () => {
    const home = mkdtempSync(join(base, "home-"))
    const state = join(home, ".one-memory")
    const { port } = server.address() as AddressInfo
    mkdirSync(state, { mode: 0o700 })
    const flags = [...fenceFlags(node), `--allow-fs-write=${state}/*`, "--allow-worker"]
    if (node.major >= 25) flags.push("--allow-net")
    const { stdout } = await promisify(execFile)(node.path, [...flags, join(base, "probe.cjs"), home, `${port}`], {
      env: {}
    })
    const outcome = JSON.parse(stdout) as Outcome
    const holding = outcome.fences.filter(({ holds }) => holds).map(({ name }) => name)
    assert.deepStrictEqual(holding, ["node_fs_write", "node_child_process", "landlock"])
    for (const tried of [outcome.inMain, outcome.inWorker]) {
      assert.strictEqual(tried.replace, "done")
      assert.strictEqual(tried.connect, "done")
      assert.notStrictEqual(tried.outside, "done")
      assert.notStrictEqual(tried.directory, "done")
      if (bindsTcp(outcome)) assert.strictEqual(tried.listen, "EACCES")
    }
    assert.deepStrictEqual(readdirSync(home), [".one-memory"])
    assert.deepStrictEqual(readdirSync(state), [])
  })
})
