/**
 * Names that people give their notes, over the built MCP server and the official client: what search returns, read and the
 * note's resource take back byte for byte. (cases/notes.md 42, 44, 45; issue 8 "Tests that must exist")
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { nodes } from "../sidecar/support/Nodes.ts"
import { refused, served, token, writeOddNames } from "../support/OddNames.ts"
import { makeWorld, type World } from "../support/World.ts"
import { connect, makeProduct, type Product } from "./given/Product.ts"

let product: Product
let world: World
beforeAll(async () => {
  product = await makeProduct()
  world = makeWorld()
  writeOddNames(world)
})
afterAll(() => {
  world.dispose()
  product.dispose()
})

describe.each(nodes)("on Node $version", (node) => {
  it("each of the odd names is served under itself alone, and none of the others", async () => {
    const { client } = await connect(product, node, world.home)
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name: `memory_bridge_${name}`, arguments: args })).structuredContent as Record<
        string,
        unknown
      >
    const found = async (index: number) =>
      ((await call("search", { query: token(index) }))["results"] as ReadonlyArray<{ id: string }>).map(({ id }) => id)
    const resource = (id: string) =>
      client.readResource({ uri: `memory-bridge://note/${encodeURIComponent(id)}` }).then(
        ({ contents }) => contents.map((each) => ("text" in each ? each.text : "")),
        () => "refused"
      )
    try {
      for (const [index, id] of served.entries()) {
        const [given, ...others] = await found(index)
        assert.deepStrictEqual([given, others], [id, []])
        const content = `${token(index)} in\n`
        assert.deepStrictEqual(await call("read", { id: given }), { ok: true, id, content, truncated: false })
        assert.deepStrictEqual(await resource(given!), [content], id)
      }
      for (const [index, id] of refused.entries()) {
        assert.deepStrictEqual(await found(served.length + index), [], id)
        assert.propertyVal(await call("read", { id }), "ok", false, id)
        assert.strictEqual(await resource(id), "refused", id)
      }
    } finally {
      await client.close()
    }
  })
})
