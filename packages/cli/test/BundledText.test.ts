/** The texts inside the command line are the files of this repository, to the letter. */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { examplePolicy, hostScript, notes } from "memory-bridge/demo/BundledText"
import { version } from "memory-bridge/Version"

const cli = join(import.meta.dirname, "..")
const examples = join(cli, "..", "..", "examples")
const text = (...parts: ReadonlyArray<string>) => readFileSync(join(...parts), "utf8")

describe("a bundled text (after a change: node packages/cli/demo/bundle.mjs)", () => {
  it("is there for every example note, and no other", () => {
    const files = readdirSync(join(examples, "memory"), { recursive: true, encoding: "utf8" })
    assert.deepStrictEqual(Object.keys(notes), files.filter((file) => file.endsWith(".md")).toSorted())
  })

  it.each(Object.keys(notes))("equals examples/memory/%s", (id) => {
    assert.strictEqual(notes[id], text(examples, "memory", id))
  })

  it("equals examples/policy.example.json and demo/host.py", () => {
    assert.strictEqual(examplePolicy, text(examples, "policy.example.json"))
    assert.strictEqual(hostScript, text(cli, "demo", "host.py"))
  })
})

describe("the version", () => {
  it("is that of package.json", () => {
    assert.strictEqual(version, (JSON.parse(text(cli, "package.json")) as { version: string }).version)
  })
})
