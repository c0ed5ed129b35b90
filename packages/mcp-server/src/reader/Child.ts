/**
 * One process that reads notes, as seen from the one that speaks with the client: lines to it, lines from it, its end.
 * (design.md section 6)
 *
 * It gets nothing of the environment, and no descriptor of this process. A process that a dead disk holds does not die
 * of SIGKILL before the disk lets go; nothing here waits for that.
 */
import { type Line, makeLines } from "@memory-bridge/hermes-plugin/rpc/Lines"
import { type ChildProcess, spawn } from "node:child_process"
import { readerFlags } from "../Flags.ts"
import { forwardLog } from "./ReaderLog.ts"

export interface Child {
  readonly send: (line: string) => void
  readonly kill: () => void
}

/** What becomes known of it: each line, and, once, that it and all its output have ended. */
export interface Heard {
  readonly line: (line: Line) => void
  readonly ended: () => void
}

/** Throws where the system starts no process. */
export type Start = (heard: Heard) => Child

/** Above any answer: a page of the list is the longest, a hundred ids and titles. */
const maxAnswerBytes = 4 * 1024 * 1024

/** The second argument, which makes the server's file the reader. */
export const readerMark = "--reader"

export interface Readers {
  readonly start: Start
  /** Kills all that were started; ends when they have gone, or are known not to go. */
  readonly end: () => Promise<void>
}

/** What a killed process that nothing holds needs at most to go. */
const goneMillis = 1_000

export const makeReaders = (script: string, environment: Readonly<Record<string, string>> = {}): Readers => {
  const there = new Set<ChildProcess>()

  const start: Start = ({ ended, line }) => {
    const child = spawn(process.execPath, [...readerFlags, script, "", readerMark], {
      cwd: "/",
      env: { ...environment },
      stdio: "pipe"
    })
    there.add(child)
    const gone = () => {
      there.delete(child)
      ended()
    }
    child.on("close", gone)
    child.on("error", () => {
      if (child.pid === undefined) gone()
    })
    // That nobody reads any more is told by the end.
    child.stdin.on("error", () => undefined)
    child.stderr.on("data", forwardLog())
    const linesOf = makeLines(maxAnswerBytes)
    child.stdout.on("data", (chunk: Uint8Array) => {
      for (const said of linesOf(chunk)) line(said)
    })
    return {
      send: (text) => void child.stdin.write(text),
      kill: () => void child.kill("SIGKILL")
    }
  }

  const end = (): Promise<void> =>
    new Promise((resolve) => {
      const patience = setTimeout(resolve, goneMillis)
      const look = () => {
        if (there.size > 0) return
        clearTimeout(patience)
        resolve()
      }
      for (const child of there) {
        child.on("close", look)
        child.kill("SIGKILL")
      }
      look()
    })

  return { start, end }
}
