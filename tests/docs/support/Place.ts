/** A home in a temporary folder in which the commands of a page run, and what each page finds there. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { auditLines, textOf } from "../../cli/given/Audit.ts"
import { environment } from "../../cli/given/Cli.ts"
import { bundle } from "../../../scripts/build.mjs"
import { top } from "./Pages.ts"

/** How the pages write the home of whoever reads them. */
export const documentedHome = "/home/me"

/** The notes that the pages speak of. */
const notes: Readonly<Record<string, string>> = {
  "notes/garden.md": "# Garden\n\nBlue asters in the garden, by the east gate.\n",
  "notes/office/plan.md": "# Plan\n\nThe plan for April.\n",
  "notes/office/reviews/ana.md": "# Review\n\nConfidential.\n",
  "notes/people/ana.md": "# Ana\n\nLikes asters.\n",
  "notes/people/ana.secret.md": "# Ana\n\nAsters for her birthday.\n",
  "notes/private/salary.md": "# Salary\n\nNot for asters.\n"
}

const policy = JSON.stringify({ version: 1, root: `${documentedHome}/notes`, allow: ["**"], deny: ["private/**"] })
const policyFile = ".hermes/plugin-data/memory-bridge/policy.json"
const home = { ".hermes/": "" }
const served = { [policyFile]: policy }
const audited = { ".hermes/plugin-data/hermes-guardian/audit.jsonl": textOf(auditLines(2)) }

/** What a page takes for granted, besides the notes. A name with a slash at its end is a directory. */
export const setups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": home,
  "docs/cookbook.md": home,
  "docs/guardian.md": home,
  "docs/mcp.md": served,
  "docs/recall.md": served,
  "docs/troubleshooting.md": served,
  "docs/upgrade.md": { ...served, ...audited }
}

export interface Product {
  readonly cli: string
  readonly dispose: () => void
}

/** The command line as it ships, from the sources of now, beside the plugins that `npm run build` has made. */
export const makeProduct = async (): Promise<Product> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "documented-product-")))
  symlinkSync(join(top, "node_modules"), join(folder, "node_modules"))
  symlinkSync(join(top, "dist", "hermes"), join(folder, "hermes"))
  const cli = join(folder, "cli", "memory-bridge.cjs")
  await bundle(join(top, "packages/cli/src/main.ts"), cli)
  await bundle(join(top, "packages/mcp-server/src/main.ts"), join(folder, "cli", "mcp-server.cjs"))
  return { cli, dispose: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface Ended {
  readonly code: number | null
  readonly output: string
}

export interface Place {
  readonly home: string
  readonly write: (name: string, content: string) => void
  /** Runs a command in the home. One that serves is ended as soon as it has said something. */
  readonly run: (command: string, serves?: boolean) => Promise<Ended>
  readonly dispose: () => void
}

/** The home of the reader becomes this one, and `~` in a file name as well. */
const settle = (text: string, to: string): string => text.replaceAll(documentedHome, to)

export const makePlace = ({ cli }: Product, setup: Readonly<Record<string, string>>): Place => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "documented-")))
  const home = join(base, "me")
  const bin = join(base, "bin")
  for (const folder of [home, bin]) mkdirSync(folder, { mode: 0o700 })
  // The command as an installed package gives it.
  writeFileSync(join(bin, "memory-bridge"), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`)
  chmodSync(join(bin, "memory-bridge"), 0o700)

  const write = (name: string, content: string): void => {
    const path = join(home, name.replace(/^~\//u, ""))
    mkdirSync(name.endsWith("/") ? path : dirname(path), { recursive: true, mode: 0o700 })
    if (!name.endsWith("/")) writeFileSync(path, settle(content, home), { mode: 0o600 })
  }
  for (const [name, content] of Object.entries({ ...notes, ...setup })) write(name, content)

  const run = (command: string, serves = false): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const child = spawn("sh", ["-c", serves ? `exec ${settle(command, home)}` : settle(command, home)], {
        cwd: home,
        env: environment({
          HOME: home,
          PATH: [bin, "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
          LC_ALL: "C.UTF-8"
        }),
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          output += chunk
          if (serves) child.kill("SIGTERM")
        })
      }
      child.once("error", reject)
      child.once("close", (code) => resolve({ code, output }))
    })

  return { home, write, run, dispose: () => rmSync(base, { recursive: true, force: true }) }
}
