/** The command line and the server as they ship, built into a folder of their own, and ways to start them. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle } from "../../../scripts/build.mjs"
import { fenceFlags, type Node } from "../../sidecar/support/Nodes.ts"

const top = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..")
const native = join("node_modules", "@koromix", `koffi-${process.platform}-${process.arch}`)

export interface Product {
  readonly folder: string
  readonly cli: string
  readonly server: string
  readonly dispose: () => void
}

/** Bundles a file into the product's folder, where it finds the native library. */
export const bundleInto = async ({ folder }: { readonly folder: string }, entry: string, name: string) => {
  const file = join(folder, name)
  await bundle(join(top, entry), file)
  return file
}

export const makeProduct = async (): Promise<Product> => {
  const folder = mkdtempSync(join(tmpdir(), "memory-bridge-mcp-"))
  mkdirSync(dirname(join(folder, native)), { recursive: true })
  cpSync(join(top, native), join(folder, native), { recursive: true })
  return {
    folder,
    cli: await bundleInto({ folder }, "packages/cli/src/main.ts", "memory-bridge.cjs"),
    server: await bundleInto({ folder }, "packages/mcp-server/src/main.ts", "mcp-server.cjs"),
    dispose: () => rmSync(folder, { recursive: true, force: true })
  }
}

/** The command that a client is configured with. */
export const commandFor = ({ cli }: Product, node: Node, home: string) => ({
  command: node.path,
  args: [cli, "mcp", "--profile", home]
})

/** The server behind the flags, without the command line before it. */
export const bareArgs = ({ server }: Product, node: Node, home: string) => [
  ...fenceFlags(node),
  "--allow-child-process",
  server,
  home
]

export interface Connected {
  readonly client: Client
  /** What the server has logged, a parsed object a line; throws where a line is no JSON. */
  readonly log: () => ReadonlyArray<Record<string, unknown>>
  readonly pid: number
}

/** The official client, connected over standard input and output. */
export const connect = async (
  product: Product,
  node: Node,
  home: string,
  {
    client = new Client({ name: "test", version: "1" }),
    env = {}
  }: { client?: Client; env?: Record<string, string> } = {}
): Promise<Connected> => {
  const transport = new StdioClientTransport({ ...commandFor(product, node, home), env, stderr: "pipe" })
  let errors = ""
  transport.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  await client.connect(transport)
  return {
    client,
    log: () =>
      errors
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    pid: transport.pid!
  }
}
