/**
 * Names that people give their notes, over the built Hermes sidecar: what its search returns, its read takes back byte for
 * byte, through two processes and JSON. (cases/notes.md 42, 44, 45; issue 8 "Tests that must exist")
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "../../scripts/build.mjs"
import { refused, served, token, writeOddNames } from "../support/OddNames.ts"
import { makeWorld, signalsFor, type World } from "../support/World.ts"
import { nodes } from "./support/Nodes.ts"
import { request, start } from "./support/Sidecar.ts"

let folder = ""
let world: World
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sidecar-names-"))
  await build(join(folder, "dist"))
  world = makeWorld()
  writeOddNames(world)
})
afterAll(() => {
  world.dispose()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(nodes)("the sidecar on Node $version", (node) => {
  it("serves each of the odd names under itself alone, and none of the others", async () => {
    const sidecar = start(node, join(folder, "dist", "hermes", "memory-bridge", "sidecar.cjs"))
    let asked = 0
    const ask = async (tool: string, args: object): Promise<unknown> => {
      asked += 1
      sidecar.send(request(asked, `memory_bridge.${tool}`, { signals: signalsFor(world.home), arguments: args }))
      return (await sidecar.next())["result"]
    }
    const found = async (index: number) =>
      ((await ask("search", { query: token(index) })) as { results: ReadonlyArray<{ id: string }> }).results.map(
        ({ id }) => id
      )
    try {
      for (const [index, id] of served.entries()) {
        const [given, ...others] = await found(index)
        assert.deepStrictEqual([given, others], [id, []])
        const expected = { ok: true, id, content: `${token(index)} in\n`, truncated: false }
        assert.deepStrictEqual(await ask("read", { id: given }), expected)
      }
      for (const [index, id] of refused.entries()) {
        assert.deepStrictEqual(await found(served.length + index), [], id)
        assert.propertyVal(await ask("read", { id }), "ok", false, id)
      }
    } finally {
      sidecar.child.stdin.end()
      assert.deepStrictEqual(await sidecar.ended, [0, null])
    }
  })
})
