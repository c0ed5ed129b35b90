/** The built provider in a Python of its own, over a home of its own. */
import * as Effect from "effect/Effect"
import { cpSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { spawn } from "node:child_process"
import { emptyHome, type Home } from "../../recall/support/Home.ts"
import type * as Scope from "effect/Scope"

const top = dirname(dirname(dirname(import.meta.dirname)))
const built = join(top, "dist", "hermes", "hy_memory")

/** A home with the built plugin in it. */
export const homeWithPlugin: Effect.Effect<Home, never, Scope.Scope> = Effect.tap(emptyHome, ({ plugin }) =>
  Effect.sync(() => cpSync(built, plugin, { recursive: true }))
)

export interface Ran {
  readonly code: number | null
  readonly stderr: string
  readonly millis: number
  readonly said: Record<string, unknown>
}

/** Plays one scenario of provider.py. `node` comes first on its PATH. */
export const play = (
  home: Home,
  scenario: "turns" | "down" | "leave" | "several",
  settings: Readonly<Record<string, string>> = {},
  node: string = process.execPath
): Effect.Effect<Ran> =>
  Effect.promise(
    () =>
      new Promise((resolve) => {
        const script = join(import.meta.dirname, "provider.py")
        const started = performance.now()
        const child = spawn("python3", ["-B", "-W", "error", script, home.plugin, home.path, scenario], {
          env: { PATH: `${dirname(node)}:${process.env["PATH"] ?? ""}`, HOME: home.path, ...settings },
          stdio: ["ignore", "pipe", "pipe"]
        })
        let stdout = ""
        let stderr = ""
        child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
        child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
        child.on("close", (code) => {
          const said = stdout === "" ? {} : (JSON.parse(stdout) as Record<string, unknown>)
          resolve({ code, stderr, millis: performance.now() - started, said })
        })
      })
  )

/** Settings of direct mode at a port of this machine. */
export const directAt = (port: number, changes: Readonly<Record<string, string>> = {}) => ({
  HY_MEMORY_URL: `http://127.0.0.1:${port}`,
  HY_MEMORY_USER_ID: "owner",
  HY_MEMORY_AGENT_ID: "agent",
  HY_MEMORY_TIMEOUT: "0.5",
  ...changes
})

export const breakConnection = (home: Home): void =>
  writeFileSync(join(home.plugin, "connection.json"), "broken", { mode: 0o600 })
