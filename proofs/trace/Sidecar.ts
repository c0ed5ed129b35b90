/** A built sidecar as a process, whatever it is started under, asked one line of JSON-RPC at a time. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

const value = (it: unknown) => ({ state: "value", value: it })

/** What the shim reports of an ordinary call of one profile. */
export const ordinarySignals = (home: string) => ({
  get_hermes_home: value(home),
  get_hermes_home_override: value(null),
  current_secret_scope_home: value(null),
  is_multiplex_active: value(false),
  is_delegated_child_process_context: value(false),
  cron_session: value(""),
  cron_execution: value(false),
  plugin_host_process: false
})

const major = Number(process.versions.node.split(".")[0])

/** The command line that the shim makes, without the script. */
export const nodeCommand = (...writable: ReadonlyArray<string>): ReadonlyArray<string> => [
  process.execPath,
  "--no-warnings",
  "--max-semi-space-size=2",
  "--heap-growing-percent=20",
  major >= 24 ? "--permission" : "--experimental-permission",
  "--allow-fs-read=*",
  ...writable.map((path) => `--allow-fs-write=${path}`),
  "--allow-addons"
]

export interface Running {
  readonly child: ChildProcess
  /** The result of a call; rejects when there is none within the time, or the process ends. */
  readonly ask: (method: string, params: unknown, milliseconds?: number) => Promise<unknown>
  /** Everything on standard error so far. */
  readonly errors: () => string
  /** Ends its input, and the whole group if that does not end it; the exit code. */
  readonly end: () => Promise<number | null>
  readonly kill: () => void
}

const endsWithin = 10_000

export class NoAnswer extends Error {}

export const startSidecar = (command: ReadonlyArray<string>, cwd = "/"): Running => {
  const [program = "", ...args] = command
  // A group of its own, so that one that hangs can be ended with whatever it was started under.
  const child = spawn(program, args, { cwd, env: {}, stdio: "pipe", detached: true })
  const exited = once(child, "exit") as Promise<[number | null]>
  const waiting = new Map<number, (answer: { readonly result?: unknown }) => void>()
  void exited.then(() => {
    for (const answer of waiting.values()) answer({})
  })
  let serial = 0
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  child.stdin.on("error", () => {})
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as { readonly id: number; readonly result?: unknown }
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    } catch {
      // It has ended.
    }
  }
  return {
    child,
    ask: (method, params, milliseconds = 30_000) =>
      new Promise((resolve, reject) => {
        const id = ++serial
        const timer = setTimeout(() => reject(new NoAnswer(`no answer: ${errors}`)), milliseconds)
        waiting.set(id, (answer) => {
          clearTimeout(timer)
          if ("result" in answer) resolve(answer.result)
          else reject(new NoAnswer(JSON.stringify(answer)))
        })
        child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n")
      }),
    errors: () => errors,
    end: async () => {
      child.stdin.end()
      const timer = setTimeout(kill, endsWithin)
      const [code] = await exited
      clearTimeout(timer)
      return code
    },
    kill
  }
}
