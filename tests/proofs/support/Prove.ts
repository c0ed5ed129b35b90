/** Runs a proof as its command does, over bundles that are built for it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "../../../scripts/build.mjs"

export interface Proven {
  readonly code: number | null
  readonly lines: ReadonlyArray<string>
  /** The verdict. */
  readonly last: string
}

export const prove = async (proof: string, ...args: ReadonlyArray<string>): Promise<Proven> => {
  const entry = fileURLToPath(new URL(`../../../proofs/${proof}/main.ts`, import.meta.url))
  const child = spawn(process.execPath, ["--no-warnings", entry, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const closed = once(child, "close") as Promise<[number | null]>
  let text = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part
    })
  }
  const [code] = await closed
  const lines = text.split("\n").filter((line) => line !== "")
  return { code, lines, last: lines.at(-1) ?? "" }
}

export interface Built {
  readonly folder: string
  /** The folder of the plugins. */
  readonly plugins: string
  readonly dispose: () => void
}

export const buildPlugins = async (): Promise<Built> => {
  const folder = mkdtempSync(join(tmpdir(), "memory-bridge-proof-"))
  await build(join(folder, "dist"))
  return {
    folder,
    plugins: join(folder, "dist", "hermes"),
    dispose: () => rmSync(folder, { recursive: true, force: true })
  }
}
