/** The whole bridge over a copy of the evaluation notes, with every check on. */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { cpSync, mkdirSync, readdirSync, chmodSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ordinarySignals } from "../proofs/trace/Sidecar.ts"
import type { Shown } from "./Measures.ts"

/** A private copy of the notes, since a checkout may be writable by others. */
export interface Notes {
  readonly base: string
  readonly root: string
  readonly dispose: () => void
}

export const copyNotes = (): Notes => {
  // Some peers take no path with a capital letter, which a random name would have.
  const base = join(tmpdir(), `memory-bridge-eval-${process.pid}`)
  mkdirSync(base, { mode: 0o700 })
  const root = join(base, "notes")
  cpSync(fileURLToPath(new URL("notes", import.meta.url)), root, { recursive: true })
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600)
  chmodSync(root, 0o700)
  return { base, root, dispose: () => rmSync(base, { recursive: true, force: true }) }
}

export type Engine = (query: string) => ReadonlyArray<Shown>

/** Searches as an agent would, under a policy that permits all notes; up to ten results. */
export const ours = ({ base, root }: Notes, name: string, policy: object): Engine => {
  const home = join(base, name)
  const folder = join(home, "plugin-data", "memory-bridge")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, "policy.json"), JSON.stringify({ root, allow: ["**/*.md"], ...policy }), { mode: 0o600 })
  const signals = ordinarySignals(home)
  const runtime = ManagedRuntime.make(Layer.merge(Bridge.layer.pipe(Layer.provide(LinuxTree.layer)), Logger.layer([])))
  return (query) => {
    const answer = runtime.runSync(Effect.flatMap(Bridge, (bridge) => bridge.search(signals, { query, limit: 10 })))
    if (!answer.ok || !("results" in answer)) throw new Error(`no answer to ${query}: ${JSON.stringify(answer)}`)
    return answer.results.map(({ id, snippet, title = "" }) => ({ id, text: `${title} ${snippet}` }))
  }
}
