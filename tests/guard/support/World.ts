/**
 * A real tree with a protected root, at a temporary place that stands for the paths of cases/guard.md: `/srv/secret`
 * (holds `key`) is protected, `/srv/free` (holds `a`) is free, `/tmp/…` is a free place elsewhere.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decide } from "@memory-bridge/core/guard/Decide"
import type { Decision } from "@memory-bridge/core/guard/Decision"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import { policyOf } from "../../../packages/core/test/guard/Given.ts"

export interface World {
  readonly base: string
  /** Where a path of the cases lies here. */
  readonly at: (path: string) => string
  /** The same for every `/srv` and `/tmp` inside a text or inside the strings of an argument object. */
  readonly mapped: <A>(value: A) => A
  readonly decide: (tool: string, args: unknown, self?: ReadonlyArray<string>) => Decision
  readonly terminal: (command: string, rest?: object) => Decision
  /** Shows one directory at another, until the world ends. False where this system or user cannot. */
  readonly bind: (source: string, point: string) => boolean
  readonly end: () => void
}

export const secretContent = "the secret itself"

const places = /(?<![\w/.-])\/(?=srv|tmp\/)/g

const rules = {
  read_file: "allow",
  write_file: "allow",
  patch: "allow",
  terminal: "allow"
} as const

/** Whether this user may mount; asked once, of a mount that is taken away at once. */
export const mayMount: boolean = (() => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false
  const probe = fs.mkdtempSync(join(tmpdir(), "mount-probe-"))
  const mounted = spawnSync("mount", ["--bind", probe, probe]).status === 0
  if (mounted) spawnSync("umount", ["-l", probe])
  fs.rmdirSync(probe)
  return mounted
})()

export const makeWorld = (): World => {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "guard-world-")))
  const points: Array<string> = []
  const at = (path: string) => base + path
  const mapped = <A>(value: A): A =>
    JSON.parse(JSON.stringify(value), (_, part: unknown) =>
      typeof part === "string" ? part.replaceAll(places, `${base}/`) : part
    ) as A
  for (const directory of ["/srv/secret", "/srv/free", "/tmp"]) fs.mkdirSync(at(directory), { recursive: true })
  fs.writeFileSync(at("/srv/secret/key"), secretContent)
  fs.writeFileSync(at("/srv/free/a"), "free")
  const policy = policyOf(rules, { [at("/srv/secret")]: "block" })
  const decideHere: World["decide"] = (tool, args, self = []) => decide(policy, self, posixView, tool, args).decision
  return {
    base,
    at,
    mapped,
    decide: decideHere,
    terminal: (command, rest = {}) => decideHere("terminal", { command: mapped(command), ...rest }),
    bind: (source, point) => {
      const bound = mayMount && spawnSync("mount", ["--bind", at(source), at(point)]).status === 0
      if (bound) points.unshift(at(point))
      return bound
    },
    end: () => {
      for (const point of points) spawnSync("umount", ["-l", point])
      fs.rmSync(base, { recursive: true, force: true })
    }
  }
}

/** Runs with a world of its own. */
export const inWorld = <A>(use: (world: World) => A): A => {
  const world = makeWorld()
  try {
    return use(world)
  } finally {
    world.end()
  }
}
