/**
 * Other servers, asked the same questions over their own protocol, where somebody has installed them.
 *
 * Nothing of them is in this repository. `MEMORY_BRIDGE_PEERS` names a folder with `bin/` (npm's `node_modules/.bin`); a
 * peer whose program is not there is skipped. What they answer is text, so a result is each path of a note in it, in the
 * order in which they first appear, with all of the answer as what was shown.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Shown } from "./Measures.ts"

interface Preset {
  readonly program: string
  readonly args: (root: string) => ReadonlyArray<string>
  readonly tool: string
  readonly ask: (query: string, root: string) => object
}

const longest = (query: string): string =>
  query
    .replace(/["()*]/gu, " ")
    .split(/\s+/u)
    .filter((word) => word !== "")
    .toSorted((one, other) => other.length - one.length)[0] ?? query

const presets: Readonly<Record<string, Preset>> = {
  "server-filesystem (names)": {
    program: "mcp-server-filesystem",
    args: (root) => [root],
    tool: "search_files",
    ask: (query, root) => ({ path: root, pattern: `**/*${longest(query)}*` })
  },
  mcpvault: {
    program: "mcpvault",
    args: (root) => [root],
    tool: "search_notes",
    ask: (query) => ({ query, limit: 10 })
  },
  "obsidian-mcp": {
    program: "obsidian-mcp",
    args: (root) => ["serve", "--vault", `v=${root}`],
    tool: "obsidian_search_vault",
    ask: (query) => ({ vault: "v", query, mode: "both", limit: 10 })
  },
  "mcp-ripgrep": {
    program: "mcp-ripgrep",
    args: () => [],
    tool: "search",
    ask: (query, root) => ({ pattern: longest(query), path: root, maxResults: 10, caseSensitive: false })
  }
}

export interface Peer {
  readonly ask: (query: string) => Promise<ReadonlyArray<Shown>>
  readonly stop: () => void
}

const pathsIn = (text: string, root: string): ReadonlyArray<string> => [
  ...new Set(
    Array.from(text.matchAll(/[^\s"'`:|\\][^"'`|\\\n:]*?\.md\b/gu), ([path]) =>
      path.replace(`${root}/`, "").replace(/^\/+/u, "")
    )
  )
]

const start = async (program: string, preset: Preset, root: string): Promise<Peer> => {
  mkdirSync(join(root, ".obsidian"), { recursive: true })
  const child = spawn(program, preset.args(root), { stdio: ["pipe", "pipe", "ignore"] })
  const waiting = new Map<number, (message: { readonly result?: Record<string, unknown> }) => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return
    const message = JSON.parse(line) as { readonly id?: number; readonly result?: Record<string, unknown> }
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  })
  const gone = new Promise<never>((_, reject) => {
    child.on("error", reject)
    child.on("exit", () => reject(new Error(`${program} ended`)))
  })
  gone.catch(() => undefined)
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  let last = 0
  const call = (method: string, params: object) => {
    const id = ++last
    const answered = new Promise<{ readonly result?: Record<string, unknown> }>((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    return Promise.race([answered, gone])
  }
  await call("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "evaluation", version: "1" }
  })
  send({ method: "notifications/initialized" })
  return {
    ask: async (query) => {
      const { result } = await call("tools/call", { name: preset.tool, arguments: preset.ask(query, root) })
      const content = (result?.["content"] ?? []) as ReadonlyArray<{ readonly text?: string }>
      const text = content.map((one) => one.text ?? "").join("\n")
      return result?.["isError"] === true ? [] : pathsIn(text, root).map((id) => ({ id, text }))
    },
    stop: () => child.kill()
  }
}

/** Every peer by name; a string says why one is not asked. */
export const startPeers = async (root: string): Promise<ReadonlyArray<readonly [string, Peer | string]>> => {
  const folder = process.env["MEMORY_BRIDGE_PEERS"]
  const peers: Array<readonly [string, Peer | string]> = []
  for (const [name, preset] of Object.entries(presets)) {
    const program = folder === undefined ? undefined : join(folder, preset.program)
    if (program === undefined || !existsSync(program)) peers.push([name, "skipped: not installed"])
    else peers.push([name, await start(program, preset, root).catch((error: Error) => `skipped: ${error.message}`)])
  }
  return peers
}
