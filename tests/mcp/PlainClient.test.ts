/** A client of the standard library of Python alone gets the same as the bridge gives, and hears nothing unasked. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { nodes } from "../sidecar/support/Nodes.ts"
import { without } from "../support/Capabilities.ts"
import { makeWorld, type World } from "../support/World.ts"
import { commandFor, makeProduct, type Product } from "./given/Product.ts"

const script = join(dirname(fileURLToPath(import.meta.url)), "given", "client.py")
const hasPython = spawnSync("python3", ["--version"]).status === 0

let product: Product
let world: World
beforeAll(async () => {
  product = await makeProduct()
  world = makeWorld()
  world.write("memory/garden.md", "# Gar\u{1f33f}den\n\nblue asters, caf\u00e9")
  for (let index = 0; index < 130; index++) world.write(`memory/many/n${1000 + index}.md`, `# Note ${index}`)
  world.write("memory/private/secret.md", "blue secret")
})
afterAll(() => {
  product.dispose()
  world.dispose()
})

interface Outcome {
  readonly begun: { readonly result: Readonly<Record<string, unknown>> }
  readonly answers: ReadonlyArray<{
    readonly result?: Readonly<Record<string, unknown>>
    readonly error?: { readonly code: number; readonly data?: unknown }
  }>
  readonly unasked: ReadonlyArray<unknown>
  readonly code: number
  readonly log: string
}

const converse = (args: ReadonlyArray<string>, requests: ReadonlyArray<readonly [string, unknown]>): Outcome => {
  const { stderr, stdout } = spawnSync("python3", ["-I", "-B", script, ...args], {
    input: JSON.stringify(requests),
    encoding: "utf8"
  })
  assert.notStrictEqual(stdout, "", stderr)
  return JSON.parse(stdout) as Outcome
}

const tool = (name: string, args: unknown) =>
  ["tools/call", { name: `memory_bridge_${name}`, arguments: args }] as const

describe.each(nodes)(`on Node $version${without(hasPython, "python3")}`, (node) => {
  it.skipIf(!hasPython)("twelve requests at once, then the end of input", () => {
    const { args, command } = commandFor(product, node, world.home)
    const page = Buffer.from("many/n1098.md").toString("base64url")
    const outcome = converse(
      [command, ...args],
      [
        tool("search", { query: "blue" }),
        tool("search", { query: "caf\u00e9", limit: 1 }),
        tool("read", { id: "garden.md" }),
        tool("read", { id: "private/secret.md" }),
        tool("read", { id: "../home/plugin-data/memory-bridge/policy.json" }),
        tool("search", { query: "x", home: "/" }),
        ["resources/list", {}],
        ["resources/list", { cursor: page }],
        ["resources/templates/list", {}],
        ["resources/read", { uri: "memory-bridge://note/garden.md" }],
        ["resources/read", { uri: "memory-bridge://note/private%2Fsecret.md" }],
        ["roots/list", {}]
      ]
    )
    assert.strictEqual(outcome.begun.result["protocolVersion"], "2025-06-18")
    const [found, limited, note, denied, above, extra, first, rest, templates, resource, deniedResource, unknown] =
      outcome.answers
    assert.deepStrictEqual(found?.result?.["structuredContent"], world.search("blue") as never)
    assert.deepStrictEqual(limited?.result?.["structuredContent"], world.search("caf\u00e9", 1) as never)
    assert.deepStrictEqual(note?.result?.["structuredContent"], world.read("garden.md") as never)
    assert.deepStrictEqual(denied?.result?.["structuredContent"], world.read("missing.md") as never)
    for (const invalid of [above, extra]) {
      assert.deepInclude(invalid?.result?.["structuredContent"], {
        error: { code: "invalid_request", message: "The request is not valid." }
      })
    }
    assert.lengthOf(first!.result!["resources"] as ReadonlyArray<unknown>, 100)
    assert.strictEqual(first?.result?.["nextCursor"], page)
    assert.lengthOf(rest!.result!["resources"] as ReadonlyArray<unknown>, 31)
    assert.isUndefined(rest?.result?.["nextCursor"])
    assert.lengthOf(templates!.result!["resourceTemplates"] as ReadonlyArray<unknown>, 1)
    assert.deepStrictEqual(resource!.result!["contents"] as never, [
      {
        uri: "memory-bridge://note/garden.md",
        mimeType: "text/markdown",
        text: "# Gar\u{1f33f}den\n\nblue asters, caf\u00e9"
      }
    ])
    assert.deepStrictEqual(deniedResource?.error?.data, world.read("missing.md") as never)
    assert.strictEqual(unknown?.error?.code, -32601)
    assert.deepStrictEqual(outcome.unasked, [])
    assert.strictEqual(outcome.code, 0)
    assert.notInclude(outcome.log, world.base)
  })
})
