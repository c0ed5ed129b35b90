/** The server as a process: its streams, its end, its fences, and what it does with lines that no client should send. */
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { fenceFlags, type Node, nodes } from "../sidecar/support/Nodes.ts"
import { makeWorld, type World } from "../support/World.ts"
import { bundleInto, bareArgs, commandFor, makeProduct, type Product } from "./given/Product.ts"

let product: Product
let probe = ""
beforeAll(async () => {
  product = await makeProduct()
  probe = await bundleInto(product, "tests/mcp/given/FenceProbe.ts", "probe.cjs")
})
afterAll(() => product.dispose())

let world: World
beforeEach(() => {
  world = makeWorld()
  world.write("memory/garden.md", "# Garden\n\nblue asters")
})
afterEach(() => world.dispose())

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly answers: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly log: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const parsed = (text: string): Ended["answers"] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

/** All that a process writes, each line parsed: standard output can hold nothing but the protocol. */
const outcome = async (child: ChildProcess): Promise<Ended> => {
  let [out, err] = ["", ""]
  child.stdout!.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (err += text))
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
  return { code, signal, answers: parsed(out), log: parsed(err) }
}

const start = (node: Node, env: Record<string, string> = {}): ChildProcess => {
  const { args, command } = commandFor(product, node, world.home)
  const child = spawn(command, args, { env, stdio: "pipe" })
  child.stdin!.on("error", () => undefined)
  return child
}

const request = (id: number, method: string, params: unknown = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"
const notification = (method: string, params: unknown = {}) => JSON.stringify({ jsonrpc: "2.0", method, params }) + "\n"

const begin =
  request(1, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" }
  }) + notification("notifications/initialized")

const call = (id: number, name: string, args: unknown) =>
  request(id, "tools/call", { name: `memory_bridge_${name}`, arguments: args })

const idsOf = ({ answers }: Ended) => answers.map(({ id }) => id)

/** Writes all of it at once and ends the input. */
const converse = (node: Node, ...text: ReadonlyArray<string | Uint8Array>): Promise<Ended> => {
  const child = start(node)
  const ended = outcome(child)
  for (const part of text) child.stdin!.write(part)
  child.stdin!.end()
  return ended
}

interface Probed {
  readonly fences: ReadonlyArray<{ readonly name: string; readonly holds: boolean }>
  readonly syncWrite: string
  readonly asyncWrites: ReadonlyArray<string>
}

const tryWriting = async (node: Node, flags: ReadonlyArray<string>): Promise<Probed> => {
  const folder = mkdtempSync(join(world.base, "target-"))
  writeFileSync(join(folder, "there"), "x")
  const { stdout } = await promisify(execFile)(node.path, [...flags, probe, folder, "9"], { env: {} })
  assert.deepStrictEqual(readdirSync(folder), ["there"])
  return JSON.parse(stdout) as Probed
}

const holds = ({ fences }: Probed): boolean => fences.some((fence) => fence.name === "landlock" && fence.holds)
const landlockHolds = async (node: Node) => holds(await tryWriting(node, fenceFlags(node)))

describe.each(nodes)("on Node $version", (node) => {
  it("ends with its input, and answers before that what was asked before that", async () => {
    const ended = await converse(
      node,
      begin,
      ...Array.from({ length: 100 }, (_, index) => call(10 + index, "search", { query: "blue" }))
    )
    assert.deepStrictEqual([ended.code, ended.signal], [0, null])
    assert.strictEqual(ended.answers.length, 101)
    assert.deepStrictEqual(
      (ended.answers.at(-1)!["result"] as Record<string, unknown>)["structuredContent"],
      world.search("blue") as never
    )
  })

  it("ends at once with an input that says nothing, or half a line", async () => {
    for (const text of ["", begin.slice(0, 40)]) {
      const ended = await converse(node, text)
      assert.deepStrictEqual([ended.code, ended.answers], [0, []])
    }
  })

  it("outlives lines that no client should send, each with one answer", async () => {
    const long = Buffer.alloc(3 * 1024 * 1024, "x")
    const deep = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`
    const nested = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`
    const ended = await converse(
      node,
      begin,
      "nonsense\n",
      long,
      "\n",
      deep,
      '[{"jsonrpc":"2.0","id":6,"method":"ping"}]\n',
      '{"jsonrpc":"2.0","id":7,"result":{"roots":[{"uri":"file:///"}]}}\n',
      Uint8Array.of(0x7b, 0xff, 0x7d, 0x0a),
      "\r\n\n",
      `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"memory_bridge_search","arguments":{"query":${nested}}}}\n`,
      call(8, "read", { id: "garden.md" })
    )
    assert.strictEqual(ended.code, 0)
    const errors = ended.answers.filter(({ error }) => error !== undefined)
    assert.deepStrictEqual(
      errors.map(({ error }) => (error as { readonly code: number }).code),
      [-32700, -32600, -32600, -32600, -32700]
    )
    assert.includeMembers(idsOf(ended) as Array<number>, [1, 8, 9])
    assert.strictEqual(ended.answers.length, 8)
  })

  it("drops a call that is cancelled before its turn: no answer, and no look at a file", async () => {
    const ended = await converse(
      node,
      begin,
      call(2, "read", { id: "missing.md" }) +
        call(3, "read", { id: "missing.md" }) +
        notification("notifications/cancelled", { requestId: 3, reason: "enough" }) +
        request(4, "ping")
    )
    assert.sameMembers(idsOf(ended) as Array<number>, [1, 2, 4])
    assert.strictEqual(ended.log.filter(({ reason }) => reason === "not_found_or_denied").length, 1)
  })

  it("dies of SIGTERM, and lets Ctrl-C pass", async () => {
    const child = start(node)
    const ended = outcome(child)
    child.stdin!.write(begin)
    await once(child.stdout!, "data")
    child.kill("SIGINT")
    child.stdin!.write(request(2, "ping"))
    await once(child.stdout!, "data")
    child.kill("SIGTERM")
    const { code, signal } = await ended
    // In place of the command line it dies of the signal itself; below it, the command line tells it in its code.
    assert.isTrue(signal === "SIGTERM" || code === 143, `${code} ${signal}`)
  })

  it("stands behind every fence, whatever the environment says", async () => {
    // What NODE_OPTIONS loads would run before the first fence.
    const [preload, loaded] = [join(world.base, "preload.cjs"), join(world.base, "loaded")]
    writeFileSync(preload, `require("fs").appendFileSync(${JSON.stringify(loaded)}, process.argv[1] + "\\n")`)
    const child = start(node, { NODE_OPTIONS: `--require=${preload}`, HERMES_HOME: "/elsewhere", PATH: "/usr/bin" })
    const ended = outcome(child)
    child.stdin!.write(begin)
    await once(child.stdout!, "data")
    if (process.platform === "linux") {
      // In place of the command line, or below it, the server; below that, the reader.
      const below = (pid: number) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim())
      const environment = (pid: number) => readFileSync(`/proc/${pid}/environ`, "utf8")
      const server = environment(child.pid!) === "" ? child.pid! : below(child.pid!)
      assert.deepStrictEqual([environment(server), environment(below(server))], ["", ""])
    }
    child.stdin!.end(call(2, "search", { query: "blue" }))
    const started = (await ended).log.filter(({ code }) => code === "started")
    assert.strictEqual(readFileSync(loaded, "utf8"), `${product.cli}\n`)
    // The server, which may start a process and no other thing, and the reader below it.
    assert.strictEqual(started.length, 2)
    const held = started.map(({ fences }) => String(fences))
    for (const fences of held) for (const fence of ["node_fs_write", "node_worker"]) assert.include(fences, fence)
    assert.lengthOf(
      held.filter((fences) => fences.includes("node_child_process")),
      1
    )
    // Whether this kernel has it, the probe has found out.
    if (await landlockHolds(node)) for (const fences of held) assert.include(fences, "landlock")
  })

  it("cannot write, at once or through the thread pool, with either fence alone", async (context) => {
    const behindModel = await tryWriting(node, fenceFlags(node))
    assert.deepStrictEqual(
      [behindModel.syncWrite, ...new Set(behindModel.asyncWrites)],
      ["ERR_ACCESS_DENIED", "ERR_ACCESS_DENIED"]
    )
    if (!holds(behindModel)) return context.skip("needs Landlock")
    const behindLandlock = await tryWriting(node, ["--no-warnings"])
    assert.deepStrictEqual([behindLandlock.syncWrite, ...new Set(behindLandlock.asyncWrites)], ["EACCES", "EACCES"])
  })

  it("names in its log the fence that is missing where it is started without", async () => {
    const child = spawn(node.path, bareArgs(product, node, world.home).slice(-2), { env: {}, stdio: "pipe" })
    const ended = outcome(child)
    child.stdin!.end()
    assert.includeDeepMembers(
      (await ended).log.filter(({ code }) => code === "fence_missing").map(({ fence, reason }) => [fence, reason]),
      [["node_fs_write", "permission_model_off"]]
    )
  })

  it("answers unavailable where the home is none, or is not one that can be trusted", async () => {
    for (const home of ["", "relative", `${world.base}/nowhere`, `${world.base}/./home`]) {
      const child = spawn(node.path, bareArgs(product, node, home), { env: {}, stdio: "pipe" })
      const ended = outcome(child)
      child.stdin!.end(begin + call(2, "search", { query: "blue" }) + request(3, "resources/list"))
      const { answers } = await ended
      for (const answer of [answers[1]!, answers[2]!])
        assert.include(JSON.stringify(answer), '"code":"unavailable"', home)
    }
  })
})

describe("the command", () => {
  const node = nodes[0]!
  const run = (...args: ReadonlyArray<string>) =>
    spawnSync(node.path, [product.cli, "mcp", ...args], { encoding: "utf8", input: "", env: { PATH: "/usr/bin" } })

  it("wants a home, and says nothing on standard output where it gets none", () => {
    for (const args of [[], ["--profile"], ["--home", "/x"], [world.home]]) {
      const { status, stderr, stdout } = run(...args)
      assert.strictEqual(status, 1)
      assert.strictEqual(stdout, "")
      assert.include(stderr, "memory-bridge: ")
    }
  })

  it("has help", () => {
    const { status, stdout } = run("--help")
    assert.strictEqual(status, 0)
    assert.include(stdout, "--profile HOME")
  })

  it("says so where the server's file is not beside it", () => {
    const folder = join(product.folder, "alone")
    mkdirSync(folder)
    const alone = join(folder, "memory-bridge.cjs")
    copyFileSync(product.cli, alone)
    const { status, stderr, stdout } = spawnSync(node.path, [alone, "mcp", "--profile", world.home], {
      encoding: "utf8",
      input: "",
      env: {}
    })
    assert.strictEqual(status, 2)
    assert.strictEqual(stdout, "")
    assert.include(stderr, "mcp-server.cjs")
  })
})
