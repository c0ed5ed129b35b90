/** What docs/mcp.md tells people to put into their clients' files starts the server, each entry as it stands there. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeWorld, type World } from "../support/World.ts"
import { makeProduct, type Product } from "./given/Product.ts"

const text = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "..", "..", "docs", "mcp.md"), "utf8")
const documentedHome = "/home/me/.hermes"

interface Block {
  readonly title: string
  readonly language: string
  readonly body: string
}

const blocks: ReadonlyArray<Block> = text
  .split(/^#{2,3} /mu)
  .slice(1)
  .flatMap((section) =>
    Array.from(section.matchAll(/^```(\w+)\n([^]*?)^```$/gmu), ([, language, body]) => ({
      title: section.slice(0, section.indexOf("\n")),
      language: language!,
      body: body!
    }))
  )

/** The words that a client's entry starts the server with. */
const wordsOf = ({ body, language }: Block): ReadonlyArray<string> => {
  if (language === "toml") {
    const value = (key: string) => JSON.parse(new RegExp(`^${key} = (.*)$`, "mu").exec(body)![1]!) as unknown
    return [value("command") as string, ...(value("args") as ReadonlyArray<string>)]
  }
  const parsed = JSON.parse(body) as Record<string, Record<string, unknown>>
  const servers = parsed["mcpServers"] ?? parsed["servers"] ?? parsed["context_servers"] ?? parsed["mcp"]!["servers"]
  const { args = [], command } = (servers as Record<string, Record<string, unknown>>)["memory-bridge"]!
  return [command as string | ReadonlyArray<string>, args as ReadonlyArray<string>].flat()
}

const entries = blocks.filter(({ language }) => language === "json" || language === "toml")
const commands = blocks.filter(({ language }) => language === "sh")

let product: Product
let world: World
let path = ""
beforeAll(async () => {
  product = await makeProduct()
  world = makeWorld()
  world.write("memory/garden.md", "# Garden\n\nblue asters in the garden")
  // The command as an installed package gives it.
  path = join(product.folder, "bin")
  mkdirSync(path)
  writeFileSync(join(path, "memory-bridge"), `#!/bin/sh\nexec "${process.execPath}" "${product.cli}" "$@"\n`)
  chmodSync(join(path, "memory-bridge"), 0o755)
})
afterAll(() => {
  product.dispose()
  world.dispose()
})

const env = () => ({ PATH: `${path}:/usr/bin:/bin` })
const here = (words: string): string => words.replaceAll(documentedHome, world.home)

const initialize =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n'

describe("docs/mcp.md", () => {
  it("has an entry for each of the clients", () => {
    assert.deepStrictEqual(
      entries.map(({ title }) => title),
      ["Claude Code", "Claude Desktop", "Cursor", "VS Code", "Zed", "Codex CLI", "Gemini CLI", "opencode"]
    )
  })

  it.each(entries)("$title: the entry starts the server", (block) => {
    const [command, ...args] = wordsOf(block).map(here)
    const { stdout } = spawnSync(command!, args, { env: env(), input: initialize, encoding: "utf8" })
    assert.include(stdout, '"protocolVersion":"2025-11-25"')
  })

  it.each(commands)("$title: the command does what it says", ({ body }) => {
    // Of a client's own command, the part that the client will run.
    const added = / (?:--|memory-bridge) (memory-bridge mcp .*)$/mu.exec(body)?.[1]
    const { status, stdout } = spawnSync("sh", ["-c", here(added ?? body)], {
      env: env(),
      input: initialize,
      encoding: "utf8"
    })
    assert.strictEqual(status, 0)
    assert.include(stdout, body.includes("search") ? "garden.md" : '"protocolVersion":"2025-11-25"')
  })
})
