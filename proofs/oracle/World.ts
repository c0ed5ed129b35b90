/** The other side of the oracle: the process that builds trees and attacks them, see world.py. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface, type Interface } from "node:readline"
import { fileURLToPath } from "node:url"
import { attackersOf, identities, type Spec } from "./Spec.ts"

/** Who succeeded first with what, or nobody. */
export interface Attacked {
  readonly by: string | null
  readonly attack?: string
  readonly path?: string
  readonly tried: number
  readonly harmless: number
}

export interface World {
  readonly build: (spec: Spec) => Promise<void>
  readonly attack: (spec: Spec, seed: number) => Promise<Attacked>
  readonly clear: (spec: Spec) => Promise<void>
  readonly end: () => void
}

const lines = (child: ChildProcess): (() => Promise<string>) => {
  const reader: Interface = createInterface({ input: child.stdout! })
  const waiting: Array<(line: string) => void> = []
  reader.on("line", (line) => waiting.shift()?.(line))
  // An answer that never comes is an answer: the process has gone.
  reader.on("close", () => {
    for (const one of waiting.splice(0)) one('{"error":"the world has ended"}')
  })
  return () => new Promise((resolve) => waiting.push(resolve))
}

/** Over an existing directory that only root may write to, or that is the tree's own top. */
export const openWorld = async (base: string): Promise<World> => {
  const program = fileURLToPath(new URL("world.py", import.meta.url))
  const child = spawn("python3", ["-B", "-u", program], { stdio: ["pipe", "pipe", "inherit"] })
  const next = lines(child)
  const tell = async (command: object): Promise<Attacked> => {
    child.stdin.write(`${JSON.stringify(command)}\n`)
    const answer = JSON.parse(await next()) as Attacked & { readonly error?: string }
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }
  const told = (spec: Spec) => ({
    base,
    root: spec.root,
    attackers: attackersOf(spec),
    entries: spec.entries.map(({ at, ...entry }) => ({ ...entry, path: `${base}${at}`, exists: at === "" }))
  })
  await tell({ do: "meet", identities })
  return {
    build: async (spec) => void (await tell({ do: "build", ...told(spec) })),
    attack: (spec, seed) => tell({ do: "attack", seed, ...told(spec) }),
    clear: async (spec) => void (await tell({ do: "clear", ...told(spec) })),
    end: () => child.stdin.end()
  }
}
