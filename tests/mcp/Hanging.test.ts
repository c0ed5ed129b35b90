/**
 * A call that hangs in the system, and what the client, the operator and the machine see of it. (issue 8 item 4; a dead
 * network mount, a reader that stands still, fifty calls and an end in the middle of them)
 */
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { fenceFlags, type Node, nodes } from "../sidecar/support/Nodes.ts"
import { makeWorld, type World } from "../support/World.ts"
import { bundleInto, makeProduct, type Product } from "./given/Product.ts"

const top = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const deadMount = join(top, "packages", "hermes-plugin", "python_tests", "dead_mount.py")

let product: Product
let short = ""
beforeAll(async () => {
  product = await makeProduct()
  short = await bundleInto(product, "tests/mcp/given/ShortServer.ts", "short-server.cjs")
})
afterAll(() => product.dispose())

let world: World
const undo: Array<() => Promise<unknown>> = []
beforeEach(() => {
  world = makeWorld()
  world.write("memory/garden.md", "# Garden\n\nblue asters")
})
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
  world.dispose()
})

type Line = Readonly<Record<string, unknown>>

interface Session {
  readonly child: ChildProcess
  readonly ask: (id: number, method: string, params?: unknown) => Promise<Line>
  readonly tell: (method: string, params: unknown) => void
  /** Ids in the order in which they were answered. */
  readonly answered: ReadonlyArray<unknown>
  readonly log: () => ReadonlyArray<Line>
  readonly ended: Promise<ReadonlyArray<unknown>>
}

const open = async (node: Node, deadlineMillis: number): Promise<Session> => {
  const args = [...fenceFlags(node), "--allow-child-process", short, world.home, String(deadlineMillis)]
  const child = spawn(node.path, args, { env: {}, stdio: "pipe" })
  let [held, errors] = ["", ""]
  const answered: Array<unknown> = []
  const waiting = new Map<unknown, (line: Line) => void>()
  child.stdin.on("error", () => undefined)
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (held + text).split("\n")
    held = lines.pop()!
    for (const line of lines) {
      const answer = JSON.parse(line) as Line
      answered.push(answer["id"])
      waiting.get(answer["id"])?.(answer)
    }
  })
  const write = (message: object) => void child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
  const ask: Session["ask"] = (id, method, params = {}) =>
    new Promise((resolve) => {
      waiting.set(id, resolve)
      write({ id, method, params })
    })
  const ended: Session["ended"] = once(child, "close")
  undo.push(async () => {
    child.kill("SIGKILL")
    await ended
  })
  await ask(0, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "1" }
  })
  write({ method: "notifications/initialized" })
  return {
    child,
    ask,
    tell: (method, params) => write({ method, params }),
    answered,
    log: () =>
      errors
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line),
    ended
  }
}

const tool = (session: Session, id: number, name: string, args: unknown): Promise<unknown> =>
  session
    .ask(id, "tools/call", { name: `memory_bridge_${name}`, arguments: args })
    .then(({ result }) => (result as { readonly structuredContent: unknown }).structuredContent)
const search = (session: Session, id: number) => tool(session, id, "search", { query: "blue" })

const unavailable = { ok: false, error: { code: "unavailable", message: "Memory is not available for this request." } }

const reasons = ({ log }: Session) =>
  log()
    .filter(({ code }) => code === "refused")
    .map(({ reason }) => reason)

/** Processes that run the file, those of other tests aside. */
const processes = (): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(short)
      } catch {
        return false
      }
    })
    .map(Number)

const readerOf = ({ child }: Session): number => processes().find((pid) => pid !== child.pid)!

/** Asks until it is so; the test's own time limits it. */
const until = async (so: () => boolean): Promise<void> => {
  while (!so()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Puts a mount over a directory that answers nothing. Gives what takes it away, or why there is none. */
const mountDead = async (directory: string): Promise<(() => Promise<unknown>) | string> => {
  const child = spawn("python3", [deadMount, directory], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = once(child, "close")
  const away = () => {
    child.stdin.end()
    return ended
  }
  const said = String(await Promise.race([once(child.stdout, "data"), ended.then(() => "no python3")])).trim()
  if (said.startsWith("impossible") || said === "no python3") return said
  assert.strictEqual(said, "mounted")
  undo.push(away)
  return away
}

describe.runIf(process.platform === "linux").each(nodes)("on Node $version", (node) => {
  it("a dead mount costs the call its deadline, and neither the protocol, nor other roots, nor later calls", async (context) => {
    world.write("other/lake.md", "# Lake\n\nblue water")
    const [dead, other] = [world.root, join(world.base, "other")].map((root) => ({ root, allow: ["**"] }))
    world.policy({ version: 2, root: undefined, allow: undefined, deny: undefined, roots: { dead, other } })
    const session = await open(node, 4_000)
    assert.deepInclude(await search(session, 1), { ok: true })
    const away = await mountDead(world.root)
    if (typeof away === "string") return context.skip(`no mount: ${away}`)

    const hanging = search(session, 2)
    const behind = tool(session, 3, "read", { id: "other:lake.md" })
    assert.deepStrictEqual((await session.ask(4, "ping"))["result"], {})
    assert.isDefined((await session.ask(5, "tools/list"))["result"])
    assert.deepStrictEqual(await hanging, unavailable)
    // What waits behind it gets the second half of its own time, and another reader.
    assert.deepInclude(await behind, { ok: true, id: "other:lake.md" })
    assert.deepStrictEqual(session.answered, [0, 1, 4, 5, 2, 3])
    assert.deepStrictEqual(reasons(session), ["sidecar_hung"])

    // Alone, a call has all of its time.
    assert.deepStrictEqual(await search(session, 6), unavailable)
    assert.deepStrictEqual(reasons(session).slice(1), ["deadline_passed"])

    await away()
    await until(() => processes().length <= 2)
    assert.deepInclude(await search(session, 7), { ok: true })
    session.child.stdin!.end()
    assert.deepStrictEqual(await session.ended, [0, null])
    assert.deepStrictEqual(processes(), [])
  })

  it("leaves few processes behind at a dead mount, and none when it has gone", async (context) => {
    const session = await open(node, 700)
    const away = await mountDead(world.root)
    if (typeof away === "string") return context.skip(`no mount: ${away}`)

    for (let id = 2; !reasons(session).includes("sidecar_stuck"); id++)
      assert.deepStrictEqual(await search(session, id), unavailable)
    // The four that hang, or fewer where one was too slow to get that far, and the server.
    assert.isAtMost(processes().length, 5)
    assert.deepStrictEqual((await session.ask(1000, "ping"))["result"], {})

    session.child.stdin!.end()
    assert.deepStrictEqual(await session.ended, [0, null])
    await away()
    await until(() => processes().length === 0)
  })

  it("ends with its input in the middle of a call that hangs, after that call's time at the latest", async (context) => {
    const session = await open(node, 1_000)
    const away = await mountDead(world.root)
    if (typeof away === "string") return context.skip(`no mount: ${away}`)
    const [hanging, ping] = [search(session, 1), session.ask(2, "ping")]
    session.child.stdin!.end()
    assert.deepStrictEqual((await ping)["result"], {})
    assert.deepStrictEqual(await hanging, unavailable)
    assert.deepStrictEqual(await session.ended, [0, null])
  })

  it("replaces a reader that stands still, and serves what waited meanwhile", async () => {
    const session = await open(node, 4_000)
    assert.deepInclude(await search(session, 1), { ok: true })
    const stopped = readerOf(session)
    process.kill(stopped, "SIGSTOP")
    const calls = Array.from({ length: 10 }, (_, index) => search(session, 10 + index))
    const answers = await Promise.all(calls)
    assert.deepStrictEqual(answers[0], unavailable)
    for (const answer of answers.slice(1)) assert.deepStrictEqual(answer, world.search("blue") as never)
    assert.deepStrictEqual(reasons(session), ["sidecar_hung"])
    assert.notStrictEqual(readerOf(session), stopped)
    assert.isFalse(processes().includes(stopped))
  })

  it("repairs the death of its reader within the call", async () => {
    const session = await open(node, 20_000)
    assert.deepInclude(await search(session, 1), { ok: true })
    process.kill(readerOf(session), "SIGSTOP")
    const call = search(session, 2)
    assert.deepStrictEqual((await session.ask(3, "ping"))["result"], {})
    process.kill(readerOf(session), "SIGKILL")
    assert.deepStrictEqual(await call, world.search("blue") as never)
    assert.deepStrictEqual(reasons(session), [])
  })

  it("has fifty calls at once, some of them cancelled, and its input closed in the middle: no process stays", async () => {
    const session = await open(node, 20_000)
    const cancelled = new Set([20, 25, 30, 48])
    const calls: Array<Promise<unknown>> = []
    for (let id = 1; id <= 50; id++) {
      const call = search(session, id)
      if (!cancelled.has(id)) calls.push(call)
    }
    for (const requestId of cancelled) session.tell("notifications/cancelled", { requestId, reason: "enough" })
    session.child.stdin!.end()
    for (const answer of await Promise.all(calls)) assert.deepStrictEqual(answer, world.search("blue") as never)
    assert.deepStrictEqual(await session.ended, [0, null])
    assert.strictEqual(session.answered.length, 1 + 50 - cancelled.size)
    assert.deepStrictEqual(processes(), [])
  })

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "takes a reader that stands still along when it dies of %s",
    async (signal) => {
      const session = await open(node, 20_000)
      assert.deepInclude(await search(session, 1), { ok: true })
      process.kill(readerOf(session), "SIGSTOP")
      void search(session, 2)
      assert.deepStrictEqual((await session.ask(3, "ping"))["result"], {})
      session.child.kill(signal)
      assert.deepStrictEqual(await session.ended, [null, signal])
      await until(() => processes().length === 0)
    }
  )

  it("goes with a client that reads no answer any more", async () => {
    const session = await open(node, 20_000)
    process.kill(readerOf(session), "SIGSTOP")
    void search(session, 1)
    session.child.stdout!.destroy()
    session.tell("nonsense", {})
    void session.ask(2, "ping")
    assert.deepStrictEqual(await session.ended, [0, null])
    await until(() => processes().length === 0)
  })
})
