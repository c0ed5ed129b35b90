/** The command line as a process, from source or as built, and what it wrote. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { delimiter, join } from "node:path"

export const top = join(import.meta.dirname, "..", "..", "..")

/** What to run the command line with: an interpreter and its first arguments. */
export interface Program {
  readonly node: string
  readonly script: string
}

export const fromSource: Program = { node: process.execPath, script: join(top, "packages/cli/src/main.ts") }

const bundle = join(top, "dist/cli/memory-bridge.cjs")
export const pluginBuilt = existsSync(join(top, "dist/hermes/memory-bridge/sidecar.cjs"))

/** The first Node 20 on PATH that is not a package of this repository. */
const node20 = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .filter((file) => !file.includes("node_modules") && existsSync(file))
  .find((file) => spawnSync(file, ["--version"], { encoding: "utf8" }).stdout?.startsWith("v20."))

/** The built command line on Node 20, or why there is none. */
export const built: Program | string = !existsSync(bundle)
  ? "dist/cli is not built"
  : node20 === undefined
    ? "no Node 20 on PATH"
    : { node: realpathSync(node20), script: bundle }

/** When the newest file below was written, in milliseconds. */
const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
  )

const sources = ["core", "platform-posix", "platform-linux", "cli"].map((name) => join(top, "packages", name, "src"))

/** The built command line on this Node where it is up to date, since it starts faster; else the source. */
export const current: Program =
  existsSync(bundle) && Math.max(...sources.map(newest)) < statSync(bundle).mtimeMs
    ? { node: process.execPath, script: bundle }
    : fromSource

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
}

/** An environment without what would colour, or pass for a host. */
export const environment = (more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(NO_COLOR|FORCE_COLOR|COLUMNS|HERMES.*|VITEST.*|NODE_.*)$/.test(name)
    )
  ),
  ...more
})

export const run = (program: Program, args: ReadonlyArray<string>, { cwd, env, input = "" }: Options = {}): Ended => {
  const { status, stderr, stdout } = spawnSync(program.node, [program.script, ...args], {
    encoding: "utf8",
    input,
    cwd: cwd ?? "/",
    env: environment(env),
    timeout: 60_000
  })
  return { code: status, stdout, stderr }
}

/** A run that can be interrupted. `ended` resolves when the process has gone. */
export interface Running {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves when standard output holds the text. */
  readonly saw: (text: string) => Promise<void>
}

export const begin = (program: Program, args: ReadonlyArray<string>, { cwd, env }: Options = {}): Running => {
  const child = spawn(program.node, [program.script, ...args], { cwd: cwd ?? "/", env: environment(env) })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk))
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
  const saw = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (stdout.includes(text)) resolve()
      }
      child.stdout.on("data", look)
      child.on("close", () => reject(new Error(`ended before "${text}": ${stderr}`)))
      look()
    })
  return { process: child, ended, saw }
}

/** Runs in a pseudo terminal of that many columns; what the terminal got. */
export const runInTerminal = (
  program: Program,
  args: ReadonlyArray<string>,
  columns: number,
  env: Readonly<Record<string, string>> = {}
): Ended => {
  const driver = join(import.meta.dirname, "terminal.py")
  const { status, stderr, stdout } = spawnSync(
    "python3",
    ["-I", driver, String(columns), program.node, program.script, ...args],
    { encoding: "utf8", env: environment({ TERM: "xterm-256color", ...env }), timeout: 60_000 }
  )
  return { code: status, stdout: stdout.replaceAll("\r\n", "\n"), stderr }
}
