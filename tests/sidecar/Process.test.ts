/**
 * The built sidecar as a process, on every Node of this machine: what it does with its pipes, and when it ends.
 * (design.md section 6)
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { build, bundle as bundleFile } from "../../scripts/build.mjs"
import { signalsFor } from "../support/World.ts"
import { nodes } from "./support/Nodes.ts"
import { request, type Running, start as startBundle } from "./support/Sidecar.ts"

const megabyte = "x".repeat(1024 * 1024)

let base = ""
let bundle = ""
let home = ""
const running: Array<Running> = []

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "sidecar-"))
  await build(join(base, "dist"))
  bundle = join(base, "dist", "hermes", "memory-bridge", "sidecar.cjs")
  home = join(base, "home")
  const policies = join(home, "plugin-data", "memory-bridge")
  const root = join(base, "notes")
  mkdirSync(policies, { recursive: true, mode: 0o700 })
  mkdirSync(root, { mode: 0o700 })
  writeFileSync(join(policies, "policy.json"), JSON.stringify({ version: 1, root, allow: ["**"] }), { mode: 0o600 })
  writeFileSync(join(root, "garden.md"), "# Garden\n\nBlue asters.\n", { mode: 0o600 })
})

afterAll(() => {
  for (const { child } of running) child.kill("SIGKILL")
  rmSync(base, { recursive: true, force: true })
})

const search = (query: unknown) => ({ signals: signalsFor(home), arguments: { query } })

const codeOf = (answer: Record<string, unknown>) =>
  (answer["result"] as { readonly error?: { readonly code: string } } | undefined)?.error?.code

describe.each(nodes)("the sidecar on Node $version", (node) => {
  const start = (file = bundle, flags?: ReadonlyArray<string>): Running => {
    const sidecar = startBundle(node, file, flags)
    running.push(sidecar)
    return sidecar
  }

  it("serves search and read", async () => {
    const sidecar = start()
    sidecar.send(request(1, "memory_bridge.search", search("asters")))
    assert.deepStrictEqual(await sidecar.next(), {
      jsonrpc: "2.0",
      id: 1,
      result: {
        ok: true,
        results: [{ id: "garden.md", title: "Garden", snippet: "# Garden Blue asters." }],
        truncated: false
      }
    })
    sidecar.send(request(2, "memory_bridge.read", { signals: signalsFor(home), arguments: { id: "garden.md" } }))
    assert.deepStrictEqual((await sidecar.next())["result"], {
      ok: true,
      id: "garden.md",
      content: "# Garden\n\nBlue asters.\n",
      truncated: false
    })
    sidecar.child.stdin.end()
    assert.deepStrictEqual(await sidecar.ended, [0, null])
  })

  it("takes identity from the signals alone, whatever the arguments claim", async () => {
    const sidecar = start()
    const claimed = { query: "asters", signals: signalsFor(home), home, get_hermes_home: home }
    sidecar.send(request(1, "memory_bridge.search", { signals: {}, arguments: { query: "asters" } }))
    sidecar.send(request(2, "memory_bridge.search", { signals: {}, arguments: claimed }))
    sidecar.send(request(3, "memory_bridge.search", { arguments: { query: "asters" } }))
    sidecar.send(request(4, "memory_bridge.search", { ...search("asters"), home }))
    assert.strictEqual(codeOf(await sidecar.next()), "unavailable")
    assert.strictEqual(codeOf(await sidecar.next()), "invalid_request")
    for (const id of [3, 4]) {
      const answer = await sidecar.next()
      assert.deepInclude(answer, { id, error: { code: -32602, message: "invalid params" } })
    }
  })

  it("says which fences hold, in its log and when asked", async () => {
    const sidecar = start()
    sidecar.send(request(1, "status"))
    const { result } = (await sidecar.next()) as { readonly result: Record<string, unknown> }
    assert.strictEqual(result["node"], node.version)
    const fences = result["fences"] as ReadonlyArray<{ readonly name: string; readonly holds: boolean }>
    assert.deepStrictEqual(
      fences.map((fence) => fence.name),
      ["node_fs_write", "node_child_process", "node_worker", "landlock"]
    )
    assert.isTrue(fences.slice(0, 3).every((fence) => fence.holds))
    sidecar.child.stdin.end()
    await sidecar.ended
    assert.deepInclude(sidecar.log()[0], { level: "info", code: "started", node: node.version })
  })

  it("names in its log every fence that does not hold, and serves all the same", async () => {
    const sidecar = start(bundle, ["--no-warnings"])
    sidecar.send(request(1, "memory_bridge.search", search("asters")))
    assert.deepInclude((await sidecar.next())["result"], { ok: true })
    sidecar.child.stdin.end()
    await sidecar.ended
    const missing = sidecar.log().filter((line) => line["code"] === "fence_missing")
    assert.includeDeepMembers(missing, [
      { level: "warning", code: "fence_missing", fence: "node_fs_write", reason: "permission_model_off" },
      { level: "warning", code: "fence_missing", fence: "node_child_process", reason: "permission_model_off" },
      { level: "warning", code: "fence_missing", fence: "node_worker", reason: "permission_model_off" }
    ])
  })

  it("answers garbage, an unterminated multibyte character and a batch, and goes on", async () => {
    const sidecar = start()
    sidecar.send("garbage\n", Uint8Array.of(0xe8, 0x8c, 0x0a), "[]\n", request(1, "ping"))
    const codes = []
    for (let line = 0; line < 3; line++) codes.push((await sidecar.next())["error"])
    assert.deepStrictEqual(codes, [
      { code: -32700, message: "parse error" },
      { code: -32700, message: "parse error" },
      { code: -32600, message: "invalid request" }
    ])
    assert.deepStrictEqual(await sidecar.next(), { jsonrpc: "2.0", id: 1, result: "pong" })
  })

  it("answers a line of 5 MiB with one error, without holding it, and goes on", async () => {
    const sidecar = start()
    sidecar.send('{"jsonrpc":"2.0","id":1,"method":"ping","params":"')
    for (let part = 0; part < 5; part++) sidecar.send(megabyte)
    sidecar.send('"}\n', request(2, "ping"))
    assert.deepStrictEqual(await sidecar.next(), {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32000, message: "line too long" }
    })
    assert.deepStrictEqual(await sidecar.next(), { jsonrpc: "2.0", id: 2, result: "pong" })
  })

  it("answers 200 requests that come at once in their order", async () => {
    const sidecar = start()
    sidecar.send(Array.from({ length: 200 }, (_, index) => request(index, "ping")).join(""))
    for (let id = 0; id < 200; id++) assert.strictEqual((await sidecar.next())["id"], id)
  })

  it("at the end of its input finishes what it has and exits with 0, with nothing else on standard output", async () => {
    const sidecar = start()
    sidecar.send(request(1, "memory_bridge.search", search("asters")), request(2, "ping"), "unfinished line")
    sidecar.child.stdin.end()
    assert.deepStrictEqual(await sidecar.ended, [0, null])
    assert.strictEqual((await sidecar.next())["id"], 1)
    assert.strictEqual((await sidecar.next())["id"], 2)
  })

  it("exits with 0 when its input is closed before anything was asked", async () => {
    const sidecar = start()
    sidecar.child.stdin.end()
    assert.deepStrictEqual(await sidecar.ended, [0, null])
  })

  it("ends at SIGTERM and outlives the SIGINT of a terminal", async () => {
    const sidecar = start()
    sidecar.send(request(1, "ping"))
    await sidecar.next()
    sidecar.child.kill("SIGINT")
    sidecar.send(request(2, "ping"))
    assert.strictEqual((await sidecar.next())["id"], 2)
    sidecar.child.kill("SIGTERM")
    assert.deepStrictEqual(await sidecar.ended, [null, "SIGTERM"])
  })

  it("ends when nobody reads its answers", async () => {
    const sidecar = start()
    sidecar.send(request(1, "ping"))
    await sidecar.next()
    sidecar.child.stdout.destroy()
    sidecar.send(request(2, "ping"), request(3, "ping"))
    assert.deepStrictEqual(await sidecar.ended, [0, null])
  })

  it("ends with its input though a system call holds one of its threads for ever", async () => {
    const [file, fifo] = [join(base, "stuck.cjs"), join(base, `fifo-${node.major}`)]
    await bundleFile(join(import.meta.dirname, "support", "StuckThread.ts"), file)
    execFileSync("mkfifo", [fifo])
    const sidecar = startBundle(node, file, [], [fifo])
    running.push(sidecar)
    sidecar.send(request(1, "ping"))
    await sidecar.next()
    sidecar.child.stdin.end()
    assert.deepStrictEqual(await sidecar.ended, [null, "SIGKILL"])
  })

  it("refuses every call, with a reason in the log, where the native library does not load", async () => {
    const alone = join(base, `alone-${node.major}`)
    mkdirSync(alone)
    copyFileSync(bundle, join(alone, "sidecar.cjs"))
    const sidecar = start(join(alone, "sidecar.cjs"))
    sidecar.send(request(1, "memory_bridge.search", search("asters")))
    assert.deepStrictEqual((await sidecar.next())["result"], {
      ok: false,
      error: { code: "unavailable", message: "Memory is not available for this request." }
    })
    sidecar.child.stdin.end()
    assert.deepStrictEqual(await sidecar.ended, [0, null])
    assert.deepInclude(sidecar.log(), {
      level: "warning",
      code: "refused",
      call: "search",
      reason: "platform_unloadable"
    })
  })
})
