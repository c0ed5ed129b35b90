/**
 * The built provider inside a real host: the loader and the memory manager of the Hermes source tree that
 * `HERMES_SOURCE` names. Skipped without one. (seed 003 "Offline tests", hermes-contract.md d)
 */
import { assert, describe, it } from "@effect/vitest"
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeWorld } from "../support/World.ts"
import { source, told, top } from "./given/Host.ts"

const missing = source === "" ? " (skipped: HERMES_SOURCE names no source tree)" : ""

const run = (): unknown => {
  const world = makeWorld()
  try {
    world.write("memory/boat.md", "# The boat\n\nAda lies in the harbour of Kiel.")
    world.policy({ allow: ["**"] })
    cpSync(join(top, "dist", "hermes", "hy_memory"), join(world.home, "plugins", "hy_memory"), { recursive: true })
    writeFileSync(join(world.home, "config.yaml"), "memory:\n  provider: hy_memory\n", { mode: 0o600 })
    return told("recall_session.py", [], "ANSWERS", world)
  } finally {
    world.dispose()
  }
}

describe(`recall in a real host${missing}`, () => {
  it.skipIf(source === "")("is handed over once, armed again by compression, and kept to its session", () => {
    const { warm, ...others } = run() as { readonly warm: { readonly boat: number; readonly said: string } }
    assert.strictEqual(warm.boat, 1)
    assert.include(warm.said, "1")
    assert.deepStrictEqual(others, {
      tools: ["hy_memory_search"],
      available: true,
      cold: 0,
      again: { boat: 0, said: "" },
      compressed: { boat: 1, wrapped: 2 },
      sanitized: ["before", "after"],
      other_session: 0,
      search: 1,
      foreign_argument: "invalid_request"
    })
  })
})
