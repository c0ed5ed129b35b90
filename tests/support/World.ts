/**
 * A profile home and a memory root on a real file system, and the real bridge over them.
 *
 * Everything lies in one owner-only temporary folder, which `dispose` unmounts and removes.
 */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import { Effect, Layer, Logger, ManagedRuntime, References } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { versionBeside } from "./PolicyVersion.ts"
import { ordinarySignals } from "../../proofs/trace/Sidecar.ts"

export interface LogEntry {
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

export interface World {
  readonly base: string
  readonly home: string
  readonly root: string
  readonly policyFile: string
  /** Writes a file below the base with its directories, all owner-only. The path may be absolute. */
  readonly write: (path: string, content: string | Uint8Array) => string
  /** Replaces keys of the policy and writes it. */
  readonly policy: (changes?: Readonly<Record<string, unknown>>) => void
  readonly search: (query: string, limit?: number) => PublicAnswer
  readonly read: (id: string) => PublicAnswer
  readonly call: (name: "search" | "read", signals: unknown, args: unknown) => PublicAnswer
  /** The operator's log since the last look. */
  readonly takeLog: () => ReadonlyArray<LogEntry>
  readonly mount: (...args: ReadonlyArray<string>) => void
  readonly dispose: () => void
}

/** The signals of an ordinary call of one profile, with changes. */
export const signalsFor = (home: string, changes: Readonly<Record<string, unknown>> = {}) => ({
  ...ordinarySignals(home),
  ...changes
})

export type FileSystem = "ext4" | "tmpfs" | "ramfs"

/** `ext4` stands for whatever the temporary folder lies on; the others are mounted fresh. */
export const makeWorld = (fileSystem: FileSystem = "ext4"): World => {
  const base = mkdtempSync(join(tmpdir(), "memory-bridge-"))
  const mounts: Array<string> = []
  const mount = (...args: ReadonlyArray<string>) => {
    execFileSync("mount", args)
    mounts.push(args.at(-1)!)
  }
  if (fileSystem !== "ext4") {
    mount("-t", fileSystem, "none", base)
    chmodSync(base, 0o700)
  }
  const home = join(base, "home")
  const root = join(base, "memory")
  const policyFile = join(home, "plugin-data", "memory-bridge", "policy.json")

  const write = (path: string, content: string | Uint8Array) => {
    const file = path.startsWith("/") ? path : join(base, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, content, { mode: 0o600 })
    return file
  }
  const policy = (changes: Readonly<Record<string, unknown>> = {}) => {
    write(
      policyFile,
      JSON.stringify({ ...versionBeside(changes), root, allow: ["**"], deny: ["**/private/**"], ...changes })
    )
  }
  mkdirSync(root, { mode: 0o700 })
  policy()

  let log: Array<LogEntry> = []
  const collect = Logger.layer([
    Logger.make(({ fiber, message }) => {
      log.push({ message, annotations: fiber.getRef(References.CurrentLogAnnotations) })
    })
  ])
  const runtime = ManagedRuntime.make(Layer.merge(Bridge.layer.pipe(Layer.provide(LinuxTree.layer)), collect))
  const call: World["call"] = (name, signals, args) =>
    runtime.runSync(Effect.flatMap(Bridge, (bridge) => bridge[name](signals, args)))

  return {
    base,
    home,
    root,
    policyFile,
    write,
    policy,
    call,
    search: (query, limit) => call("search", signalsFor(home), limit === undefined ? { query } : { query, limit }),
    read: (id) => call("read", signalsFor(home), { id }),
    takeLog: () => {
      const taken = log
      log = []
      return taken
    },
    mount,
    dispose: () => {
      for (const point of mounts.toReversed()) execFileSync("umount", [point])
      rmSync(base, { recursive: true, force: true })
    }
  }
}

/** Gives a file to a user who is neither root nor the running one. */
export const giveAway = (path: string): void => chownSync(path, 4242, 4242)

export const setfacl = (entry: string, path: string): void => {
  execFileSync("setfacl", ["-m", entry, path])
}

export const ids = (answer: PublicAnswer): ReadonlyArray<string> =>
  answer.ok && "results" in answer ? answer.results.map((result) => result.id) : []
