/** Everybody who works during an attack: the process that exchanges, two engines, and the sidecar. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import { nodeCommand, ordinarySignals, type Running, startSidecar } from "../trace/Sidecar.ts"
import type { Task } from "./engine.ts"
import { noteId } from "./Place.ts"
import { count, emptyTally, type Tally } from "./Tally.ts"

/** A call that has no answer after so many milliseconds hangs. Answers take one; a busy machine may take a hundred. */
export const patience = 10_000

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Runs `work` while the two entries are exchanged; the number of exchanges. */
export const whileExchanging = async (
  [inside, other]: readonly [string, string],
  work: () => Promise<void>
): Promise<number> => {
  const child = spawn("python3", ["-I", here("exchange.py"), inside, other], { stdio: ["pipe", "pipe", "inherit"] })
  const exited = once(child, "exit") as Promise<[number | null]>
  const lines: Array<string> = []
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line)
      resolve()
    })
  })
  await Promise.race([ready, exited])
  await work()
  child.stdin.end()
  const [code] = await exited
  if (code !== 0) throw new Error("the entries could not be exchanged")
  return Number(lines[1])
}

export interface Engine {
  readonly hammer: (task: Task) => Promise<Tally>
  readonly end: () => void
}

type Message = { readonly ready?: true; readonly alive?: Tally; readonly done?: Tally }

const ignore = () => {}

/** An engine that hangs is killed, counted, and started anew for the next attack. */
export const startEngine = (walk: "openat2" | "openat"): Engine => {
  let child: ChildProcess | undefined
  let heard: (message: Message | "ended") => void = ignore

  const start = async (): Promise<ChildProcess> => {
    const started = spawn(process.execPath, ["--no-warnings", here("engine.ts"), walk], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    const ready = new Promise<void>((resolve, reject) => {
      heard = (message) => (message === "ended" ? reject(new Error("the engine does not start")) : resolve())
    })
    createInterface({ input: started.stdout }).on("line", (line) => heard(JSON.parse(line) as Message))
    started.on("exit", () => heard("ended"))
    await ready
    return started
  }

  return {
    hammer: async (task) => {
      const running = (child ??= await start())
      return new Promise((resolve, reject) => {
        let last = emptyTally()
        const hung = () => {
          heard = ignore
          running.kill("SIGKILL")
          child = undefined
          resolve({ ...last, hangs: 1 })
        }
        let timer = setTimeout(hung, patience)
        heard = (message) => {
          clearTimeout(timer)
          if (message === "ended") return reject(new Error("the engine ended in the middle of an attack"))
          if (message.done !== undefined) return resolve(message.done)
          last = message.alive ?? last
          timer = setTimeout(hung, patience)
        }
        running.stdin?.write(JSON.stringify(task) + "\n")
      })
    },
    end: () => {
      heard = ignore
      child?.kill()
    }
  }
}

/** Calls under way at once; the sidecar answers one after the other. */
const lanes = 4

/** The shipped process, asked as its host asks it until `over`. */
export const startBridge = (file: string) => {
  let running: Running | undefined
  return {
    hammer: async (home: string, over: () => boolean): Promise<Tally> => {
      const tally = emptyTally()
      const signals = ordinarySignals(home)
      const lane = async (first: number): Promise<void> => {
        for (let turn = first; !over() && tally.hangs === 0; turn++) {
          const now = performance.now()
          const [method, args] =
            turn % 2 === 0 ? ["memory_bridge.read", { id: noteId }] : ["memory_bridge.search", { query: "needle" }]
          running ??= startSidecar([...nodeCommand(), file])
          try {
            const answer = await running.ask(method, { signals, arguments: args }, patience)
            count(tally, answer as PublicAnswer, performance.now() - now)
          } catch {
            tally.hangs = 1
            running?.kill()
            running = undefined
          }
        }
      }
      await Promise.all(Array.from({ length: lanes }, (_, first) => lane(first)))
      return tally
    },
    end: async () => {
      await running?.end()
    }
  }
}
