/** A third client, Effect's own, over real standard streams: with a session, and with the version that has none. */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { McpClient, McpProtocol } from "effect/ai"
import { ChildProcess } from "effect/process"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { nodes } from "../sidecar/support/Nodes.ts"
import { ids, makeWorld, type World } from "../support/World.ts"
import { commandFor, makeProduct, type Product } from "./given/Product.ts"

let product: Product
let world: World
beforeAll(async () => {
  product = await makeProduct()
  world = makeWorld()
  world.write("memory/garden.md", "# Garden\n\nblue asters")
  for (let index = 0; index < 210; index++) world.write(`memory/many/n${1000 + index}.md`, `# Note ${index}`)
  world.write("memory/private/secret.md", "blue secret")
})
afterAll(() => {
  product.dispose()
  world.dispose()
})

const spawner = NodeChildProcessSpawner.layer.pipe(Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)))

const node = nodes[0]!

describe.each([McpProtocol.v2025_11_25, McpProtocol.v2026_07_28])("in $protocolVersion", (protocol) => {
  it.live("lists every page, finds, reads and is refused", () =>
    Effect.gen(function* () {
      const { args, command } = commandFor(product, node, world.home)
      const connection = McpClient.layerStdio({
        name: "test",
        version: "1",
        command: ChildProcess.make(command, args, { extendEnv: false, env: {} }),
        protocol
      }).pipe(Layer.provide(spawner))
      const client = yield* Effect.gen(function* () {
        const connected = yield* McpClient.McpClient
        const [search, read] = yield* connected.listTools()
        const found = yield* connected.callTool({ tool: search!, arguments: { query: "blue" } })
        const refused = yield* connected.callTool({ tool: read!, arguments: { id: "private/secret.md" } })
        const listed = yield* connected.listResources()
        const note = yield* connected.readResource({ uri: "memory-bridge://note/garden.md" })
        const denied = yield* Effect.result(connected.readResource({ uri: "memory-bridge://note/private%2Fsecret.md" }))
        return { found, refused, listed, note, denied }
      }).pipe(Effect.provide(connection))
      assert.deepStrictEqual(client.found.structuredContent, world.search("blue") as never)
      assert.isTrue(client.refused.isError)
      assert.deepStrictEqual(client.refused.structuredContent, world.read("missing.md") as never)
      assert.lengthOf(client.listed, 211)
      assert.deepStrictEqual(
        client.listed.filter(({ name }) => !name.startsWith("many/")).map(({ name }) => name),
        [...ids(world.search("blue"))]
      )
      assert.deepInclude(client.note.contents[0], { text: "# Garden\n\nblue asters" })
      assert.isTrue(Result.isFailure(client.denied))
    })
  )
})
