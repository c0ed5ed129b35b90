/** The fence around a process: what it takes, what it leaves, on which Node it holds. */
import { type Purpose, type Restriction, restrictSelf } from "@memory-bridge/platform-linux/Landlock"
import { type LandlockCalls, landlockCalls } from "@memory-bridge/platform-linux/Syscalls"
import { EINVAL, ENOSYS, EOPNOTSUPP, EPERM } from "@memory-bridge/platform-posix/Errno"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { rolldown } from "rolldown"

/** A kernel of that interface version that notes what it was told. */
const kernel = (abi: number, change: Partial<LandlockCalls> = {}, directory?: number, purpose?: Purpose) => {
  const log: Array<string> = []
  const calls: LandlockCalls = {
    version: () => abi,
    noNewPrivileges: () => {
      log.push("no new privileges")
      return 0
    },
    createRuleset: (attributes) => {
      log.push(
        `ruleset ${Array.from(new BigUint64Array(attributes.slice().buffer), (word) => word.toString(2)).join(" ")}`
      )
      return 77
    },
    addPathRule: (ruleset, rule) => {
      log.push(`grant ${ruleset} ${Array.from(rule).join(" ")}`)
      return 0
    },
    restrictSelf: (ruleset, flags) => {
      log.push(`restrict ${ruleset} ${flags}`)
      return 0
    },
    close: (descriptor) => {
      log.push(`close ${descriptor}`)
      return 0
    },
    ...change
  }
  return { log, restriction: restrictSelf(calls, directory, purpose) }
}

describe("asking for the fence", () => {
  it.each([
    [1, "1111111110010"],
    [2, "10111111110010"],
    [3, "110111111110010"],
    [4, "110111111110010 11"],
    [5, "1110111111110010 11"],
    [6, "1110111111110010 11 11"],
    [7, "1110111111110010 11 11"]
  ])("version %d: every right that changes anything is handled, no right to read is", (abi) => {
    const { log, restriction } = kernel(abi)
    const words = log[1]!
      .split(" ")
      .slice(1)
      .map((word) => BigInt(`0b${word}`))
    const readers = 0b1101n // execute, read_file, read_dir
    assert.strictEqual(words[0]! & readers, 0n)
    const known = [0n, 13n, 14n, 15n, 15n, 16n, 16n, 16n][abi]!
    assert.strictEqual(words[0]! | readers, (1n << known) - 1n)
    assert.strictEqual(words.length, abi < 4 ? 1 : abi < 6 ? 2 : 3)
    assert.isTrue(words.slice(1).every((word) => word === 3n))
    assert.deepStrictEqual(
      log.filter((line) => !line.startsWith("ruleset")),
      ["no new privileges", "restrict 77 0", "close 77"]
    )
    assert.strictEqual(restriction.kind === "in_force" && restriction.everyThread, false)
  })

  it("a log's directory gets the rights to make, write and cut files, and no other; without it nothing is granted", () => {
    const { log } = kernel(7, {}, 9)
    // write_file 1 and make_reg 8, truncate 14; then the descriptor.
    assert.isTrue(log.includes("grant 77 2 65 0 0 0 0 0 0 9 0 0 0"))
    assert.isTrue(kernel(2, {}, 9).log.includes("grant 77 2 1 0 0 0 0 0 0 9 0 0 0"))
    assert.isFalse(kernel(7).log.some((line) => line.startsWith("grant")))
  })

  it("recall may also remove files in its directory, and connect; it may not listen, and says that TCP is open", () => {
    const { log, restriction } = kernel(7, {}, 9, "recall")
    // remove_file 5 besides.
    assert.isTrue(log.includes("grant 77 34 65 0 0 0 0 0 0 9 0 0 0"))
    assert.isTrue(log[1]!.endsWith(" 1 11"))
    assert.strictEqual(restriction.kind === "in_force" && restriction.tcp, false)
    assert.isFalse(kernel(7, {}, undefined, "recall").log.some((line) => line.startsWith("grant")))
  })

  it("a refused grant is told, and nothing is restricted", () => {
    const { log, restriction } = kernel(7, { addPathRule: () => -EINVAL }, 9)
    assert.deepStrictEqual(restriction, { kind: "not_in_force", reason: "refused", errno: EINVAL })
    assert.deepStrictEqual(log.slice(-1), ["close 77"])
  })

  it("version 8: it is asked for every thread, and for this one if that is refused", () => {
    const all = kernel(8)
    assert.isTrue(all.log.includes("restrict 77 8"))
    assert.strictEqual(all.restriction.kind === "in_force" && all.restriction.everyThread, true)
    const one = kernel(8, { restrictSelf: (_ruleset, flags) => (flags === 0 ? 0 : -EINVAL) })
    assert.strictEqual(one.restriction.kind === "in_force" && one.restriction.everyThread, false)
  })

  it.each<[string, number, Partial<LandlockCalls>, Restriction]>([
    ["a kernel without it", -ENOSYS, {}, { kind: "not_in_force", reason: "unsupported" }],
    ["a kernel where it is off", -EOPNOTSUPP, {}, { kind: "not_in_force", reason: "disabled" }],
    ["a sandbox that forbids it", -EPERM, {}, { kind: "not_in_force", reason: "refused", errno: EPERM }],
    ["a version of nothing", 0, {}, { kind: "not_in_force", reason: "refused", errno: 0 }],
    [
      "refused privileges",
      7,
      { noNewPrivileges: () => -EINVAL },
      { kind: "not_in_force", reason: "refused", errno: EINVAL }
    ],
    [
      "a refused rule set",
      7,
      { createRuleset: () => -EINVAL },
      { kind: "not_in_force", reason: "refused", errno: EINVAL }
    ],
    [
      "a refused restriction",
      7,
      { restrictSelf: () => -EPERM },
      { kind: "not_in_force", reason: "refused", errno: EPERM }
    ],
    [
      "a refused restriction of version 8",
      8,
      { restrictSelf: () => -EPERM },
      { kind: "not_in_force", reason: "refused", errno: EPERM }
    ]
  ])("%s is told, and the rule set is not left open", (_title, abi, change, expected) => {
    const { log, restriction } = kernel(abi, change)
    assert.deepStrictEqual(restriction, expected)
    assert.strictEqual(log.includes("close 77"), change.restrictSelf !== undefined)
  })
})

/** The Nodes of this machine by major version: the running one, then those on the search path. */
const nodes = new Map<number, string>()
for (const node of [
  process.execPath,
  ...(process.env["PATH"] ?? "").split(":").map((part) => path.join(part, "node"))
]) {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" })
  const major = Number(/^v(\d+)\./.exec(stdout ?? "")?.[1])
  if (major >= 20 && !nodes.has(major)) nodes.set(major, node)
}

const supported = process.platform === "linux" && landlockCalls().version() > 0

interface Report {
  readonly fence: Restriction
  readonly outcomes: { readonly [attempt: string]: string }
}

const here = import.meta.dirname

/** Bundles the child in that format, runs it, and gives what it printed and what it left on the disk. */
const restricted = (node: string, format: "esm" | "cjs") =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "memory-bridge-landlock-"))),
      (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
    )
    const server = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<net.Server>((resolve) => {
            const server = net.createServer((socket) => socket.destroy())
            server.listen(0, "127.0.0.1", () => resolve(server))
          })
      ),
      (server) => Effect.sync(() => server.close())
    )
    const program = path.join(directory, format === "esm" ? "child.mjs" : "child.cjs")
    const work = path.join(directory, "work")
    fs.symlinkSync(path.join(here, "../../../node_modules"), path.join(directory, "node_modules"))
    fs.mkdirSync(work)
    fs.writeFileSync(path.join(work, "existing"), "as it was")
    yield* Effect.promise(async () => {
      const bundle = await rolldown({
        input: path.join(here, "LandlockChild.ts"),
        external: ["koffi"],
        platform: "node"
      })
      await bundle.write({ file: program, format })
      await bundle.close()
    })
    const printed = yield* Effect.promise(
      () =>
        new Promise<string>((resolve, reject) => {
          const port = String((server.address() as net.AddressInfo).port)
          execFile(node, [program, work, port], { timeout: 20_000 }, (error, stdout, stderr) =>
            error ? reject(new Error(stderr)) : resolve(stdout)
          )
        })
    )
    return {
      ...(JSON.parse(printed) as Report),
      left: fs.readdirSync(work),
      content: fs.readFileSync(path.join(work, "existing"), "utf8")
    }
  })

const changing = ["write", "append", "truncate", "mkdir", "link", "symlink", "rename", "unlink"]

const skipped = (major: number): string | undefined =>
  !supported ? "this kernel has no Landlock" : nodes.has(major) ? undefined : `no Node ${major} on this machine`

const holds = (major: number, format: "esm" | "cjs"): void => {
  const reason = skipped(major)
  const title = `Node ${major}, ${format}: nothing can be written, at once or later, and everything can be read`
  it.live.skipIf(reason !== undefined)(
    reason === undefined ? title : `${title} (skipped: ${reason})`,
    () =>
      Effect.gen(function* () {
        const { content, fence, left, outcomes } = yield* restricted(nodes.get(major)!, format)
        assert.strictEqual(fence.kind, "in_force")
        if (fence.kind !== "in_force") return
        for (const attempt of [...changing, "write later"]) assert.strictEqual(outcomes[attempt], "EACCES", attempt)
        for (const attempt of ["read", "list", "read later"]) assert.strictEqual(outcomes[attempt], "done", attempt)
        for (const attempt of ["connect", "listen"]) {
          assert.strictEqual(outcomes[attempt], fence.tcp ? "EACCES" : "done", attempt)
        }
        assert.strictEqual(outcomes["signal"], fence.scopes ? "EPERM" : "done")
        assert.deepStrictEqual(left, ["existing"])
        assert.strictEqual(content, "as it was")
      }),
    60_000
  )
}

describe("inside the fence", () => {
  holds(24, "esm")
  holds(24, "cjs")
  holds(20, "cjs")

  const reason = skipped(20)
  const title = "Node 20, esm: the thread pool runs before the program does, so writes at once fail and later ones pass"
  it.live.skipIf(reason !== undefined)(
    reason === undefined ? title : `${title} (skipped: ${reason})`,
    () =>
      Effect.gen(function* () {
        const { fence, outcomes } = yield* restricted(nodes.get(20)!, "esm")
        for (const attempt of changing) assert.strictEqual(outcomes[attempt], "EACCES", attempt)
        const everyThread = fence.kind === "in_force" && fence.everyThread
        assert.strictEqual(outcomes["write later"], everyThread ? "EACCES" : "done")
      }),
    60_000
  )
})
