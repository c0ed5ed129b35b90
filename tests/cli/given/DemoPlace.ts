/** A place of its own for a demo to run in, and what is left of it afterwards. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { top } from "./Cli.ts"
import { folder } from "./Folder.ts"

export interface DemoPlace {
  /** Where the demo makes its files. */
  readonly temporary: string
  readonly env: Readonly<Record<string, string>>
  /** Files of the demo that are still there. */
  readonly files: () => ReadonlyArray<string>
  /** Processes that still work on such files. */
  readonly processes: () => Promise<ReadonlyArray<string>>
}

const commandLines = (): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")]
      } catch {
        return []
      }
    })

/** Milliseconds that a process which has been told to end may take to be gone from the process table. */
const patience = 2000

export const demoPlace = (): DemoPlace => {
  const made = folder({ "tmp/": "", "home/.hermes/config.yaml": "model: none\n" })
  const temporary = join(made, "tmp")
  const processes = async (): Promise<ReadonlyArray<string>> => {
    const until = Date.now() + patience
    for (;;) {
      const left = commandLines().filter((line) => line.includes(temporary))
      if (left.length === 0 || Date.now() > until) return left
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return {
    temporary,
    env: { TMPDIR: temporary, HOME: join(made, "home"), HERMES_HOME: join(made, "home", ".hermes") },
    files: () => readdirSync(temporary),
    processes
  }
}

/** A copy of a built plugin with one text in one file replaced. */
export const changedPlugin = (file: string, before: string, after: string, plugin = "memory-bridge"): string => {
  const copy = join(folder(), plugin)
  cpSync(join(top, "dist/hermes", plugin), copy, { recursive: true })
  const text = readFileSync(join(copy, file), "utf8")
  if (!text.includes(before)) throw new Error(`${file} has no "${before}"`)
  writeFileSync(join(copy, file), text.replace(before, after))
  return copy
}

/** A folder for PATH with a `python3` that is this script, or without any. */
export const pathWith = (python: string | undefined): string => {
  const made = folder({ "bin/": "" })
  for (const name of ["sh", "bash", "env"]) symlinkSync(join("/bin", name), join(made, "bin", name))
  if (python !== undefined) {
    mkdirSync(dirname(join(made, "bin/python3")), { recursive: true })
    writeFileSync(join(made, "bin/python3"), python, { mode: 0o700 })
  }
  return join(made, "bin")
}
