/**
 * The official client over real standard input and output, on every Node of this machine: what it is told, what it gets,
 * and that nothing it says about itself widens anything. (issue 7 item 5)
 */
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { ListRootsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js"
import { chmodSync, rmSync } from "node:fs"
import { nodes } from "../sidecar/support/Nodes.ts"
import { makeWorld, type World } from "../support/World.ts"
import { type Connected, connect, makeProduct, type Product } from "./given/Product.ts"

let product: Product
beforeAll(async () => {
  product = await makeProduct()
})
afterAll(() => product.dispose())

let world: World
let connected: Connected
beforeEach(() => {
  world = makeWorld()
  world.write("memory/garden.md", "# Garden\n\nblue asters")
  world.write("memory/d/deep.md", "no heading, blue")
  world.write("memory/private/secret.md", "blue secret")
})
afterEach(async () => {
  await connected.client.close()
  world.dispose()
})

const search = (query: unknown, more: object = {}) =>
  connected.client.callTool({ name: "memory_bridge_search", arguments: { query, ...more } })
const read = (id: unknown) => connected.client.callTool({ name: "memory_bridge_read", arguments: { id } })
const resource = (id: string) =>
  connected.client.readResource({ uri: `memory-bridge://note/${encodeURIComponent(id)}` })

const refused = async (promise: Promise<unknown>): Promise<McpError> => {
  try {
    await promise
  } catch (error) {
    assert.instanceOf(error, McpError)
    return error
  }
  return assert.fail("was answered")
}

const unavailable = {
  ok: false,
  error: { code: "unavailable", message: "Memory is not available for this request." }
}
const notFound = {
  ok: false,
  error: { code: "not_found_or_denied", message: "The document does not exist or may not be read." }
}

describe.each(nodes)("on Node $version", (node) => {
  it("finds two read-only tools, searches, reads, and lists and reads the notes", async () => {
    connected = await connect(product, node, world.home)
    assert.deepStrictEqual(connected.client.getServerCapabilities(), { tools: {}, resources: {} })
    assert.strictEqual(connected.client.getServerVersion()?.name, "memory-bridge")
    const { tools } = await connected.client.listTools()
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      ["memory_bridge_search", "memory_bridge_read"]
    )
    for (const tool of tools) {
      assert.deepStrictEqual(tool.annotations, {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false
      })
      assert.strictEqual(tool.outputSchema?.type, "object")
    }
    // From here on the client holds each structured answer to the output schema.
    const found = await search("blue")
    const expected = world.search("blue")
    assert.deepStrictEqual(found.structuredContent, expected as never)
    assert.deepStrictEqual(found.content, [{ type: "text", text: JSON.stringify(expected) }])
    assert.isUndefined(found.isError)
    const note = await read("garden.md")
    assert.deepStrictEqual(note.structuredContent, world.read("garden.md") as never)

    const { nextCursor, resources } = await connected.client.listResources()
    assert.isUndefined(nextCursor)
    assert.deepStrictEqual(resources, [
      { uri: "memory-bridge://note/d%2Fdeep.md", name: "d/deep.md", mimeType: "text/markdown" },
      { uri: "memory-bridge://note/garden.md", name: "garden.md", title: "Garden", mimeType: "text/markdown" }
    ])
    const { resourceTemplates } = await connected.client.listResourceTemplates()
    assert.deepStrictEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ["memory-bridge://note/{id}"]
    )
    assert.deepStrictEqual((await resource("d/deep.md")).contents, [
      { uri: "memory-bridge://note/d%2Fdeep.md", mimeType: "text/markdown", text: "no heading, blue" }
    ])
  })

  it("gets the uniform refusals, and the operator the reasons", async () => {
    connected = await connect(product, node, world.home)
    await connected.client.listTools()
    for (const id of ["private/secret.md", "missing.md"]) {
      const answer = await read(id)
      assert.isTrue(answer.isError)
      assert.deepStrictEqual(answer.structuredContent, notFound)
      const error = await refused(resource(id))
      assert.strictEqual(error.code, -32002)
      assert.deepStrictEqual(error.data, notFound)
    }
    const invalid = await search("")
    assert.isTrue(invalid.isError)
    assert.deepStrictEqual(invalid.structuredContent, world.search("") as never)

    chmodSync(world.policyFile, 0o666)
    for (const answer of [await search("blue"), await read("garden.md")]) {
      assert.isTrue(answer.isError)
      assert.deepStrictEqual(answer.structuredContent, unavailable)
    }
    for (const error of [await refused(resource("garden.md")), await refused(connected.client.listResources())]) {
      assert.strictEqual(error.code, -32603)
      assert.deepStrictEqual(error.data, unavailable)
    }
    rmSync(world.policyFile)
    assert.deepStrictEqual((await search("blue")).structuredContent, unavailable)
    assert.strictEqual((await refused(connected.client.listResources())).code, -32603)

    const reasons = connected.log().map(({ reason }) => reason)
    assert.includeMembers(reasons, [
      "not_found_or_denied",
      "invalid_request",
      "policy_path_untrusted",
      "policy_unreadable"
    ])
    assert.notInclude(JSON.stringify(connected.log()), world.base)
  })

  it("loses what the operator takes back between two calls, and gets what is given", async () => {
    connected = await connect(product, node, world.home)
    assert.strictEqual((await connected.client.listResources()).resources.length, 2)
    world.policy({ deny: ["garden.md"] })
    assert.deepStrictEqual((await read("garden.md")).structuredContent, notFound)
    assert.deepStrictEqual((await refused(resource("garden.md"))).data, notFound)
    assert.deepStrictEqual(
      (await connected.client.listResources()).resources.map(({ name }) => name),
      ["d/deep.md", "private/secret.md"]
    )
    assert.deepStrictEqual((await search("blue")).structuredContent, world.search("blue") as never)
    world.policy({ allow: ["nothing/**"] })
    assert.deepStrictEqual((await connected.client.listResources()).resources, [])
    assert.deepStrictEqual((await search("blue")).structuredContent, { ok: true, results: [], truncated: false })
  })

  it("is never asked for its roots, and gains nothing by having them or by changing them", async () => {
    const client = new Client({ name: world.home, version: "/" }, { capabilities: { roots: { listChanged: true } } })
    let asked = 0
    client.setRequestHandler(ListRootsRequestSchema, () => {
      asked++
      return { roots: [{ uri: "file:///", name: "all" }, { uri: `file://${world.root}/private` }] }
    })
    connected = await connect(product, node, world.home, { client })
    const before = await connected.client.listResources()
    await client.sendRootsListChanged()
    assert.deepStrictEqual((await read("private/secret.md")).structuredContent, notFound)
    assert.deepStrictEqual(await connected.client.listResources(), before)
    for (const uri of [`file://${world.root}/garden.md`, "file:///etc/passwd", "memory-bridge://note//etc/passwd"]) {
      assert.strictEqual((await refused(client.readResource({ uri }))).code, -32602, uri)
    }
    assert.strictEqual(asked, 0)
  })

  it("stays in the run that the server was started in", async () => {
    connected = await connect(product, node, world.home, { env: { HERMES_CRON_SESSION: "1" } })
    assert.deepStrictEqual((await search("blue")).structuredContent, unavailable)
    assert.deepStrictEqual((await refused(connected.client.listResources())).data, unavailable)
    assert.includeMembers(
      connected.log().map(({ reason }) => reason),
      ["cron_refused"]
    )
    world.policy({ allow_cron: true })
    assert.deepStrictEqual((await search("blue")).structuredContent, world.search("blue") as never)
  })

  it("has its calls answered when they come at once", async () => {
    connected = await connect(product, node, world.home)
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? search("blue") : read("garden.md")))
    )
    const [found, note] = [world.search("blue"), world.read("garden.md")]
    for (const [index, { structuredContent }] of answers.entries()) {
      assert.deepStrictEqual(structuredContent, (index % 2 === 0 ? found : note) as never)
    }
  })

  it("aborts a call, and the session goes on", async () => {
    connected = await connect(product, node, world.home)
    const abort = new AbortController()
    const call = connected.client.callTool({ name: "memory_bridge_search", arguments: { query: "blue" } }, undefined, {
      signal: abort.signal
    })
    abort.abort()
    await call.then(
      () => assert.fail("was answered"),
      () => undefined
    )
    assert.deepStrictEqual((await search("blue")).structuredContent, world.search("blue") as never)
  })
})
