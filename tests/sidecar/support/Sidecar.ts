/** A sidecar under test: the built bundle as a process, asked line by line. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { fenceFlags, type Node } from "./Nodes.ts"

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly send: (...parts: ReadonlyArray<string | Uint8Array>) => void
  /** The next answer, parsed. */
  readonly next: () => Promise<Record<string, unknown>>
  /** Everything that was logged so far, one parsed object per line. Throws where a line is not JSON. */
  readonly log: () => ReadonlyArray<Record<string, unknown>>
  /** Exit code and signal, once it has ended and all its output has arrived. */
  readonly ended: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>
}

export const start = (
  node: Node,
  bundle: string,
  flags: ReadonlyArray<string> = fenceFlags(node),
  args: ReadonlyArray<string> = []
): Running => {
  const child = spawn(node.path, [...flags, bundle, ...args], { cwd: "/", env: {}, stdio: "pipe" })
  let held = ""
  let errors = ""
  const lines: Array<string> = []
  const waiting: Array<(line: string) => void> = []
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (held + text).split("\n")
    held = parts.pop()!
    for (const line of parts) {
      const resolve = waiting.shift()
      if (resolve === undefined) lines.push(line)
      else resolve(line)
    }
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  // Writing to one that has ended is part of some tests.
  child.stdin.on("error", () => {})
  return {
    child,
    send: (...parts) => {
      for (const part of parts) child.stdin.write(part)
    },
    next: async () => {
      const line = lines.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)))
      return JSON.parse(line) as Record<string, unknown>
    },
    log: () =>
      errors
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    ended: once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  }
}

export const request = (id: unknown, method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"
