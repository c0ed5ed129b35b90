/**
 * Other servers, asked the same questions over their own protocol, where somebody has installed them.
 *
 * Nothing of them is in this repository. `PEERS` names a folder with `inst24/` and `qmd/` (README.md says how to install
 * them); a peer whose program is not there is skipped. Where an answer has results with a file, those are its results; else
 * each path of a note in its text, in the order in which they first appear. All of the text counts as what was shown.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import type { Shown } from "./Measures.ts"

interface Preset {
  /** Within the folder of peers; the first is what is started. */
  readonly program: ReadonlyArray<string>
  readonly args: (root: string) => ReadonlyArray<string>
  readonly tool: string
  readonly ask: (query: string, root: string) => object
  /** Has an index, which is built before the first question. */
  readonly indexed?: true
}

const bin = (name: string): ReadonlyArray<string> => [`inst24/node_modules/.bin/${name}`]

const longest = (query: string): string =>
  query
    .replace(/["()*]/gu, " ")
    .split(/\s+/u)
    .filter((word) => word !== "")
    .toSorted((one, other) => other.length - one.length)[0] ?? query

const presets: Readonly<Record<string, Preset>> = {
  "server-filesystem (names)": {
    program: bin("mcp-server-filesystem"),
    args: (root) => [root],
    tool: "search_files",
    ask: (query, root) => ({ path: root, pattern: `**/*${longest(query)}*` })
  },
  mcpvault: {
    program: bin("mcpvault"),
    args: (root) => [root],
    tool: "search_notes",
    ask: (query) => ({ query, limit: 10, searchFrontmatter: true })
  },
  "mcp-obsidian (names)": {
    program: bin("mcp-obsidian"),
    args: (root) => [root],
    tool: "search_notes",
    ask: (query) => ({ query: longest(query) })
  },
  "obsidian-mcp, longest word": {
    program: bin("obsidian-mcp"),
    args: (root) => ["serve", "--vault", `v=${root}`],
    tool: "obsidian_search_vault",
    ask: (query) => ({ vault: "v", query: longest(query), mode: "both", limit: 10 })
  },
  "obsidian-mcp, whole query": {
    program: bin("obsidian-mcp"),
    args: (root) => ["serve", "--vault", `v=${root}`],
    tool: "obsidian_search_vault",
    ask: (query) => ({ vault: "v", query, mode: "both", limit: 10 })
  },
  "mcp-ripgrep": {
    program: bin("mcp-ripgrep"),
    args: () => [],
    tool: "search",
    ask: (query, root) => ({ pattern: longest(query), path: root, maxResults: 10, caseSensitive: false })
  },
  "qmd, lex": {
    program: ["qmd/node_modules/@oven/bun-linux-x64/bin/bun", "qmd/node_modules/@tobilu/qmd/dist/cli/qmd.js"],
    args: () => ["mcp"],
    tool: "query",
    ask: (query) => ({ searches: [{ type: "lex", query }], rerank: false, limit: 10 }),
    indexed: true
  }
}

export interface Peer {
  /** What is shown, or `undefined` where the answer is an error. */
  readonly ask: (query: string) => Promise<ReadonlyArray<Shown> | undefined>
  readonly pid: number
  readonly stop: () => void
}

/** Some peers write a path in their own way: in small letters, with hyphens. */
const folded = (path: string): string => path.toLowerCase().replace(/[^\p{L}\p{N}/]+/gu, "-")

interface Result {
  readonly content?: ReadonlyArray<{ readonly text?: string }>
  readonly structuredContent?: { readonly results?: ReadonlyArray<{ readonly file?: unknown; readonly id?: unknown }> }
  readonly isError?: boolean
}

const textOf = ({ content = [] }: Result): string => content.map(({ text = "" }) => text).join("\n")

const written = (result: Result): ReadonlyArray<string> => {
  const files = result.structuredContent?.results
    ?.map(({ file, id }) => file ?? id)
    .filter((file) => typeof file === "string")
  return files ?? Array.from(textOf(result).matchAll(/[^\s"'`:|\\][^"'`|\\\n:]*?\.md\b/gu), ([path]) => path)
}

/** By folded path. */
type Known = ReadonlyMap<string, string>

const notesBelow = (root: string): Known =>
  new Map(
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((note) => [folded(note), note])
  )

/** The notes that an answer names, each once. What names none (the query, said again) is left out. */
const notesIn = (result: Result, root: string, byFolded: Known): ReadonlyArray<string> => {
  const found = written(result).flatMap((path) => {
    const plain = path.replace(`${root}/`, "").replace(/^\/+/u, "")
    return byFolded.get(folded(plain)) ?? byFolded.get(folded(plain.replace(/^v\//u, ""))) ?? []
  })
  return [...new Set(found)]
}

const start = async (folder: string, preset: Preset, root: string): Promise<Peer> => {
  mkdirSync(join(root, ".obsidian"), { recursive: true, mode: 0o700 })
  const [program = "", ...script] = preset.program.map((path) => join(folder, path))
  const home = join(dirname(root), "peer-home")
  mkdirSync(home, { recursive: true })
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
    HOME: home,
    XDG_CACHE_HOME: join(home, "cache"),
    XDG_CONFIG_HOME: join(home, "config")
  }
  if (preset.indexed) {
    const { status, stderr } = spawnSync(program, [...script, "collection", "add", root, "--name", "v"], {
      encoding: "utf8",
      env
    })
    if (status !== 0) throw new Error(`no index: ${(stderr ?? "").slice(-200)}`)
  }
  return connect([program, ...script, ...preset.args(root)], env, preset.tool, preset.ask, root)
}

/** Starts an MCP server and shakes hands. */
export const connect = async (
  [program = "", ...args]: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
  tool: string,
  question: Preset["ask"],
  root: string
): Promise<Peer> => {
  const known = notesBelow(root)
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "ignore"] })
  const waiting = new Map<number, (message: { readonly result?: Result }) => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return
    const message = JSON.parse(line) as { readonly id?: number; readonly result?: Result }
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
    const answered = new Promise<{ readonly result?: Result }>((resolve) => waiting.set(id, resolve))
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
      const { result } = await call("tools/call", { name: tool, arguments: question(query, root) })
      if (result === undefined || result.isError === true) return undefined
      return notesIn(result, root, known).map((id) => ({ id, text: textOf(result) }))
    },
    pid: child.pid ?? 0,
    stop: () => child.kill()
  }
}

/** Every peer by name; a string says why one is not asked. */
export const startPeers = async (root: string): Promise<ReadonlyArray<readonly [string, Peer | string]>> => {
  const folder = process.env["PEERS"]
  const peers: Array<readonly [string, Peer | string]> = []
  for (const [name, preset] of Object.entries(presets)) {
    if (folder === undefined || !preset.program.every((path) => existsSync(join(folder, path))))
      peers.push([name, "not asked: not installed in the folder that PEERS names; eval/README.md says how"])
    else peers.push([name, await start(folder, preset, root).catch((error: Error) => `not asked: ${error.message}`)])
  }
  return peers
}
