/**
 * The guard over real looks and a real audit file: a fault never makes a decision weaker, and nothing is let through whose
 * record is not in the file. (seed 004 "Audit and operations", design.md section 4 "fail closed")
 */
import { approveMessage, blockMessages, type Directive } from "@memory-bridge/core/guard/Directive"
import { Guard } from "@memory-bridge/core/guard/Guard"
import { auditFileOf } from "@memory-bridge/core/guard/Installation"
import * as AuditFile from "@memory-bridge/platform-posix/guard/AuditFile"
import * as PathFacts from "@memory-bridge/platform-posix/guard/PathFacts"
import * as FreshIds from "@memory-bridge/platform-posix/FreshIds"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Plan, real } from "./Injection.ts"
import type { Program } from "./Program.ts"

export interface Guarded {
  readonly user: string
  readonly home: string
  readonly dispose: () => void
}

/** A protected folder, a link that leads there, a second name of a file in it, and a free folder. */
export const makeGuarded = (): Guarded => {
  const user = real.realpathSync(real.mkdtempSync(join(tmpdir(), "memory-bridge-faults-")))
  for (const directory of ["home", "work", "secret"]) real.mkdirSync(join(user, directory), { mode: 0o700 })
  real.writeFileSync(join(user, "work/free"), "free")
  real.writeFileSync(join(user, "secret/key"), "key")
  real.symlinkSync("../secret", join(user, "work/link"))
  real.linkSync(join(user, "secret/key"), join(user, "work/second-name"))
  return { user, home: join(user, "home"), dispose: () => real.rmSync(user, { recursive: true, force: true }) }
}

interface Outcome {
  readonly directive: Directive
  /** Whole lines of the audit afterwards. */
  readonly records: number
}

const rank = { allow: 0, approve: 1, block: 2 } as const

const linesOf = (home: string): ReadonlyArray<string> => {
  const path = auditFileOf(home)
  return real.existsSync(path) ? real.readFileSync(path, "utf8").split("\n").slice(0, -1) : []
}

const messages: ReadonlySet<string> = new Set([approveMessage, ...Object.values(blockMessages)])

const defectOf = (baseline: Outcome, { directive, records }: Outcome): string | undefined => {
  if (!(directive.action in rank)) return "a directive of another form"
  if (directive.action !== "allow" && !messages.has(directive.message)) return "a message of another form"
  if (rank[directive.action] < rank[baseline.directive.action]) return `weaker: ${directive.action}`
  if (directive.action !== "block" && records !== baseline.records) return "let through without a record"
  return undefined
}

const settingsOf = (user: string) => ({
  state: "value",
  value: {
    default_action: "block",
    rules: [
      { tool: "read_file", action: "allow" },
      { tool: "write_file", action: "approve" },
      { tool: "terminal", action: "allow" }
    ],
    protected_paths: [{ path: join(user, "secret"), action: "block" }]
  }
})

export const guardPrograms = ({ home, user }: Guarded): ReadonlyArray<Program> => {
  const installation = { hermes_home: home, user_home: user, plugin_source: join(home, "plugins"), backups: [] }
  const services = Guard.layer.pipe(Layer.provide([PathFacts.layer, AuditFile.layer({ chain: true }), FreshIds.layer]))
  const layer = Layer.fresh(Layer.merge(services, Logger.layer([])))
  const evaluate = (tool: string, args: unknown): Outcome => {
    const directive = Effect.runSync(
      Guard.use((guard) => guard.evaluate({ settings: settingsOf(user), installation, call: { tool, args } })).pipe(
        Effect.provide(layer)
      )
    )
    return { directive, records: linesOf(home).length }
  }

  const clear = () => real.rmSync(join(home, "plugin-data"), { recursive: true, force: true })
  clear()
  evaluate("read_file", { path: join(user, "work/free") })
  const begun = real.readFileSync(auditFileOf(home), "utf8")
  const states: ReadonlyArray<readonly [string, () => void]> = [
    ["a new home", clear],
    [
      "a begun audit",
      () => {
        clear()
        real.mkdirSync(dirname(auditFileOf(home)), { recursive: true, mode: 0o700 })
        real.writeFileSync(auditFileOf(home), begun, { mode: 0o600 })
      }
    ]
  ]
  const calls: ReadonlyArray<readonly [Directive["action"], string, unknown]> = [
    ["allow", "read_file", { path: join(user, "work/free") }],
    ["approve", "write_file", { path: join(user, "work/new"), content: "x" }],
    ["allow", "terminal", { command: `cat ${join(user, "work/free")}` }],
    ["block", "read_file", { path: join(user, "work/link/key") }],
    ["block", "write_file", { path: join(user, "work/second-name"), content: "x" }],
    ["block", "terminal", { command: `cat ${join(user, "work/link/key")}` }]
  ]
  const plans: ReadonlyArray<readonly [string, Plan]> = [
    ["", () => undefined],
    // So that the table of mounts is read for each call, and reading it can fail.
    [", mounts changed", (name) => (name === "poll" ? { errno: "EIO" } : undefined)]
  ]
  return states.flatMap(([state, reset]) =>
    plans.flatMap(([more, plan]) =>
      calls.map(([action, tool, args]): Program => ({
        title: `${tool} to ${action} in ${state}${more}`,
        plan,
        reset,
        run: () => evaluate(tool, args),
        baselineDefect: (baseline) =>
          (baseline as Outcome).directive.action === action ? undefined : "the decision without a fault",
        defect: (baseline, outcome) => defectOf(baseline as Outcome, outcome as Outcome)
      }))
    )
  )
}
