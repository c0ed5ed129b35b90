/**
 * Check and use are one descriptor: while another process exchanges names, no answer ever holds outside content. (case 6;
 * a short run of `npm run proof:race`)
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isLinux, without } from "../support/Capabilities.ts"
import { type Built, buildPlugins, prove } from "./support/Prove.ts"

let built: Built
beforeAll(async () => {
  built = await buildPlugins()
})
afterAll(() => built.dispose())

/** A sidecar that answers every call with this. */
const answering = (name: string, answer: unknown): string => {
  const file = join(built.folder, `${name}.cjs`)
  writeFileSync(
    file,
    `require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, result: ${JSON.stringify(answer)} }))
    })`
  )
  return file
}

describe.skipIf(!isLinux)(`while another process exchanges names${without(isLinux, "Linux")}`, () => {
  it("search and read show the permitted note or nothing, and answer", { timeout: 180_000 }, async () => {
    const { code, last, lines } = await prove(
      "race",
      "--seconds",
      "6",
      "--sidecar",
      join(built.plugins, "memory-bridge", "sidecar.cjs")
    )
    assert.match(last, /^race: held, .* 0 answers with outside content, 0 hangs/, lines.join("\n"))
    assert.strictEqual(code, 0)
  })

  it("one answer of anything else is seen", { timeout: 180_000 }, async () => {
    const leak = { ok: true, id: "top/folder/note.md", content: "something else", truncated: false }
    const { code, last } = await prove("race", "--seconds", "1", "--sidecar", answering("leaking", leak))
    assert.match(last, /^race: BROKEN, .* [1-9]\d* answers with outside content/)
    assert.strictEqual(code, 1)
  })
})
