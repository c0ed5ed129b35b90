/** Processes that a test starts, hears line by line and never leaves behind. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"

export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>
  /** The next line of output that satisfies the condition, parsed; lines before it stay heard. */
  readonly heard: <A>(pick: (line: Record<string, unknown>) => A | undefined) => Promise<A>
  /** All lines so far. */
  readonly lines: ReadonlyArray<Record<string, unknown>>
  readonly ended: Promise<number | null>
  readonly kill: () => Promise<void>
}

export const startChild = (
  program: string,
  args: ReadonlyArray<string>,
  environment: NodeJS.ProcessEnv = {}
): Effect.Effect<Child, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync((): Child => {
      const child = spawn(program, args, { env: environment, stdio: ["pipe", "pipe", "inherit"] })
      const lines: Array<Record<string, unknown>> = []
      // It may end before it has read anything.
      child.stdin.on("error", () => {})
      const listeners = new Set<() => void>()
      let held = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const parts = (held + text).split("\n")
        held = parts.pop()!
        for (const part of parts) lines.push(JSON.parse(part) as Record<string, unknown>)
        for (const listener of listeners) listener()
      })
      const ended = new Promise<number | null>((resolve) => {
        child.once("close", (code) => resolve(code))
        child.once("error", () => resolve(null))
      })
      return {
        process: child,
        lines,
        ended,
        heard: (pick) =>
          new Promise((resolve, reject) => {
            const look = () => {
              for (const line of lines) {
                const found = pick(line)
                if (found === undefined) continue
                listeners.delete(look)
                resolve(found)
                return
              }
            }
            listeners.add(look)
            void ended.then((code) => reject(new Error(`ended with ${code} before it was heard`)))
            look()
          }),
        kill: async () => {
          child.kill("SIGKILL")
          await ended
        }
      }
    }),
    (child) => Effect.promise(child.kill)
  )

export const heard = <A>(child: Child, pick: (line: Record<string, unknown>) => A | undefined): Effect.Effect<A> =>
  Effect.promise(() => child.heard(pick))
