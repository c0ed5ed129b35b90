/** The whole of recall, bundled as the product is, on every Node of this machine. (design.md section 6) */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { bundle } from "../../scripts/build.mjs"
import { nodes } from "../sidecar/support/Nodes.ts"
import { startChild } from "./support/Child.ts"
import { allowNotes, connectHome, emptyHome, note, startBroker } from "./support/Home.ts"
import { here } from "./support/Peers.ts"

const built = mkdtempSync(join(tmpdir(), "recall-turns-"))
const program = join(built, "turns.cjs")
const modules = join(here, "..", "..", "node_modules")
beforeAll(() => bundle(join(here, "peers", "turns.ts"), program))
afterAll(() => rmSync(built, { recursive: true, force: true }))

describe.each(nodes)("on Node $version", (node) => {
  it.live("a Broker is asked, a memory is handed over once, the state is written and the process ends", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      allowNotes(home)
      note(home, "boat.md", "# The boat\n\nAda lies in the harbour of Kiel.")
      yield* connectHome(home)
      yield* startBroker(home)
      const child = yield* startChild(node.path, [program, home.path, home.plugin, "which harbour, which boat?"], {
        NODE_PATH: modules
      })
      assert.strictEqual(yield* Effect.promise(() => child.ended), 0)
      assert.deepStrictEqual(
        child.lines.filter((line) => "count" in line).map(({ count }) => count),
        [1, 0]
      )
      assert.include(readFileSync(join(home.path, ".one-memory", "hy-memory-seen.json"), "utf8"), "boat.md")
    }).pipe(Effect.scoped)
  )
})
