/**
 * The sidecar cannot write: tried out, once per fence alone and with both, on every Node. (design.md section 5)
 *
 * The asynchronous writes matter. They run on Node's thread pool, and Landlock binds threads: with an ES module as the
 * entry, Node 20 has the pool running before the first line of the program, and its threads escape.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build, bundle } from "../../scripts/build.mjs"
import { fenceFlags, type Node, nodes } from "./support/Nodes.ts"

interface Outcome {
  readonly fences: ReadonlyArray<{ readonly name: string; readonly holds: boolean; readonly detail?: string }>
  readonly read: string
  readonly syncWrite: string
  readonly syncChange: string
  readonly asyncWrites: ReadonlyArray<string>
  readonly connect: string
}

let base = ""
let probe = ""
let server: Server
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "fences-"))
  // The probe goes where the product goes, so that it finds the native library in the same place.
  const [plugin] = await build(join(base, "dist"))
  probe = join(plugin!, "probe.cjs")
  await bundle(join(dirname(fileURLToPath(import.meta.url)), "support", "FenceProbe.ts"), probe)
  server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
afterAll(() => {
  server.close()
  rmSync(base, { recursive: true, force: true })
})

const run = async (
  node: Node,
  flags: ReadonlyArray<string>
): Promise<Outcome & { readonly left: ReadonlyArray<string> }> => {
  const folder = mkdtempSync(join(base, "target-"))
  writeFileSync(join(folder, "there"), "x")
  const port = String((server.address() as AddressInfo).port)
  const { stdout } = await promisify(execFile)(node.path, [...flags, probe, folder, port], { env: {} })
  return { ...(JSON.parse(stdout) as Outcome), left: readdirSync(folder) }
}

const landlockThere = process.platform === "linux" && existsSync("/proc/self/status")

describe.each(nodes)("on Node $version", (node) => {
  it("the permission model alone refuses a synchronous and an asynchronous write", async () => {
    const outcome = await run(node, fenceFlags(node))
    assert.strictEqual(outcome.read, "done")
    assert.strictEqual(outcome.syncWrite, "ERR_ACCESS_DENIED")
    assert.strictEqual(outcome.syncChange, "ERR_ACCESS_DENIED")
    assert.deepStrictEqual(
      outcome.asyncWrites,
      Array.from({ length: 8 }, () => "ERR_ACCESS_DENIED")
    )
    assert.deepStrictEqual(outcome.left, ["there"])
  })

  it.skipIf(!landlockThere)("Landlock alone refuses them too, and TCP", async (context) => {
    const outcome = await run(node, ["--no-warnings"])
    const landlock = outcome.fences.find((fence) => fence.name === "landlock")
    if (landlock?.detail === "unsupported" || landlock?.detail === "disabled") return context.skip("needs Landlock")
    assert.isTrue(landlock?.holds)
    assert.strictEqual(outcome.read, "done")
    assert.strictEqual(outcome.syncWrite, "EACCES")
    assert.strictEqual(outcome.syncChange, "EACCES")
    assert.deepStrictEqual(
      outcome.asyncWrites,
      Array.from({ length: 8 }, () => "EACCES")
    )
    if (landlock?.detail?.includes("tcp")) assert.strictEqual(outcome.connect, "EACCES")
    assert.deepStrictEqual(outcome.left, ["there"])
  })
})

describe("the probe", () => {
  it("would notice: without a fence it writes", async () => {
    const node = nodes[0]!
    const folder = mkdtempSync(join(base, "target-"))
    const script = `require("fs").promises.writeFile(${JSON.stringify(join(folder, "x"))}, "x")`
    await promisify(execFile)(node.path, ["-e", script], { env: {} })
    assert.deepStrictEqual(readdirSync(folder), ["x"])
  })
})
