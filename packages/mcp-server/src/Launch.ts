/**
 * Starts the server behind its fences. (issue 7 item 5, design.md section 5)
 *
 * Node's permission model and a young thread pool have to be there from the first instruction, so the process that reads
 * the command line cannot become the server: a new one starts, with the flags that the shim starts a sidecar with. Where
 * Node can, it takes the place of this one, and the client keeps exactly the process that it started. Else it runs
 * below this one, on the same three streams; signals are handed on, and this process ends as that one did.
 *
 * The environment is not handed on, but for the marks of a Hermes run: `NODE_OPTIONS`, for one, could take the fences down.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"
import { serverFlags } from "./Flags.ts"
import { runMarks } from "./Run.ts"

/** Beside the command line, in dist/cli/; the second is for a command line that runs from its sources. */
const places = ["./mcp-server.cjs", "../../../dist/cli/mcp-server.cjs"]

/** The server's file, or `undefined` where there is none. */
export const findServer = (): string | undefined =>
  places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path))

const marks = (): Record<string, string> => {
  const kept: Record<string, string> = {}
  for (const name of runMarks) {
    const mark = process.env[name]
    if (mark !== undefined) kept[name] = mark
  }
  return kept
}

type Execve = (file: string, args: ReadonlyArray<string>, env: Record<string, string>) => never

/** Not there before Node 22.15, and not on every system. */
const execve = (process as { readonly execve?: Execve }).execve

const forwarded = ["SIGTERM", "SIGHUP", "SIGINT"] as const

const runBelow = (args: ReadonlyArray<string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: "inherit", env: marks() })
    const listeners = forwarded.map((signal) => [signal, () => child.kill(signal)] as const)
    for (const [signal, listener] of listeners) process.on(signal, listener)
    child.on("error", reject)
    child.on("exit", (code, signal) => {
      for (const [name, listener] of listeners) process.off(name, listener)
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })

/** The server's exit code, where it does not take the place of this process. */
export const launch = async (server: string, home: string): Promise<number> => {
  const args = [...serverFlags, server, home]
  if (execve !== undefined) {
    try {
      execve.call(process, process.execPath, [process.execPath, ...args], marks())
    } catch {
      // Refused by the system; the other way needs nothing of it.
    }
  }
  return runBelow(args)
}
