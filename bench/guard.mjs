#!/usr/bin/env node
/**
 * What a decision of the guardian costs, in one run. `npm run bench:guard [-- --json]`
 *
 * Three questions: the pure decision, from call and facts to verdict, with 100 rules and 20 protected roots; the whole way
 * through the Python hook and back without the audit, with a sidecar that is built for this alone; and what the audit
 * costs beside a bare write and fsync of the same bytes that takes turns with it, in one process and through the hook.
 * Absolute times on a shared machine say little; the ratios are from one run.
 */
import { gather } from "@memory-bridge/core/guard/CallFacts"
import { AuditLog } from "@memory-bridge/core/guard/AuditLog"
import * as AuditRecord from "@memory-bridge/core/guard/AuditRecord"
import { evaluate } from "@memory-bridge/core/guard/Evaluation"
import { inspect } from "@memory-bridge/core/guard/Inspection"
import { decode } from "@memory-bridge/core/guard/Settings"
import * as AuditFile from "@memory-bridge/platform-posix/guard/AuditFile"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { spawnSync } from "node:child_process"
import { closeSync, cpSync, fsyncSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs"
import { writeFileSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle } from "../scripts/build.mjs"

const top = dirname(dirname(fileURLToPath(import.meta.url)))
const plugin = join(top, "dist", "hermes", "hermes-guardian")
const json = process.argv.includes("--json")
const say = (text) => json || console.log(text)

/** From the issue. Microseconds, but for the last. */
const goals = { decision: 3, shim: 300, auditToBare: 1.3 }

const percentile = (times, part) => times.toSorted((a, b) => a - b)[Math.floor(times.length * part)]
const round = (value, digits = 0) => Number(value.toFixed(digits))
/** The best tenth shows what the work costs where nobody else uses the machine. */
const summary = (times, digits = 0) => ({
  p10: round(percentile(times, 0.1), digits),
  p50: round(percentile(times, 0.5), digits),
  p99: round(percentile(times, 0.99), digits)
})

const base = realpathSync(mkdtempSync(join(tmpdir(), "guardian-bench-")))
const directory = (...parts) => {
  const path = join(base, ...parts)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}

const home = directory("user", ".hermes")
const work = directory("work", "project", "src")
writeFileSync(join(work, "file.txt"), "x\n")

const rule = (tool, action) => ({ tool, action })
/** As in the plugin's README; its roots lie in this benchmark's place. */
const small = {
  default_action: "block",
  rules: [rule("read_file", "allow"), ...["write_file", "patch", "terminal"].map((tool) => rule(tool, "approve"))],
  protected_paths: [".ssh", ".aws", ".hermes"].map((name) => ({ path: join(base, "user", name), action: "block" }))
}
/** 100 rules, and 20 roots that exist. */
const large = {
  default_action: "block",
  rules: Array.from({ length: 100 }, (_, index) =>
    rule(["read_file", "write_file", "patch", "terminal"][index] ?? `mcp_tool_${index}`, "allow")
  ),
  protected_paths: Array.from({ length: 20 }, (_, index) => ({
    path: directory("user", `secret${index}`),
    action: "block"
  }))
}

/** Allowed, but only after every root was looked at. */
const calls = {
  read_file: ["read_file", { path: join(work, "file.txt") }],
  "terminal cp": ["terminal", { command: `cp ${work}/file.txt ${work}/copy.txt`, timeout: 30 }]
}

/** Microseconds of one `work`, over batches that are long beside the clock. */
const microseconds = (work) => {
  const batch = 500
  for (let i = 0; i < 40 * batch; i++) work()
  const times = []
  for (let turn = 0; turn < 400; turn++) {
    const start = process.hrtime.bigint()
    for (let i = 0; i < batch; i++) work()
    times.push(Number(process.hrtime.bigint() - start) / batch / 1000)
  }
  return summary(times, 2)
}

const pureDecision = (tool, args) => {
  const decoded = decode(large, join(base, "user")).success
  const self = [join(home, "plugins", "hermes-guardian"), join(home, "plugin-data", "hermes-guardian"), home]
  const facts = gather(posixView, inspect(tool, args).operands, decoded.protectedPaths, self)
  const { decision } = evaluate(decoded, tool, inspect(tool, args), facts)
  if (decision.action !== "allow") throw new Error(`decided ${decision.action}, ${decision.reason}`)
  const inspection = inspect(tool, args)
  return {
    evaluated: microseconds(() => evaluate(decoded, tool, inspection, facts)),
    withInspection: microseconds(() => evaluate(decoded, tool, inspect(tool, args), facts))
  }
}

/** One record by the audit, and a bare write and fsync of the same bytes, in turns and in this process. */
const recording = async () => {
  const place = directory("recording")
  const runtime = ManagedRuntime.make(AuditFile.layer({ chain: false }))
  const log = await runtime.runPromise(AuditLog)
  const record = AuditRecord.make(
    { action: "allow", reason: "tool_rule", rule: "tool:0" },
    "read_file",
    0,
    "1".repeat(36)
  )
  const bytes = Buffer.from(`${AuditRecord.lineOf(record)}\n`)
  const beside = openSync(join(place, "bare"), "a", 0o600)
  const took = (work) => {
    const start = process.hrtime.bigint()
    work()
    return Number(process.hrtime.bigint() - start) / 1000
  }
  const times = { audit: [], bare: [] }
  for (let turn = 0; turn < 4000; turn++) {
    times.audit.push(took(() => Effect.runSync(log.append(place, record))))
    times.bare.push(
      took(() => {
        writeSync(beside, bytes)
        fsyncSync(beside)
      })
    )
  }
  closeSync(beside)
  await runtime.dispose()
  const [audit, bare] = [summary(times.audit.slice(300)), summary(times.bare.slice(300))]
  return { audit, bare, p10Ratio: round(audit.p10 / bare.p10, 2), p50Ratio: round(audit.p50 / bare.p50, 2) }
}

/** The built plugin with a sidecar that keeps no record. */
const withoutAudit = async () => {
  const copy = join(base, "without-audit")
  cpSync(plugin, copy, { recursive: true })
  await bundle(join(top, "bench", "guard-sidecar.ts"), join(copy, "sidecar.cjs"))
  return copy
}

const throughShim = (bare, [tool, args]) => {
  const { status, stderr, stdout } = spawnSync(
    "python3",
    ["-B", join(top, "bench", "guard_shim.py"), plugin, bare, home, "3000", process.execPath],
    { encoding: "utf8", input: JSON.stringify({ policies: { small, large }, tool, args }) }
  )
  if (status !== 0) throw new Error(stderr)
  const times = JSON.parse(stdout)
  const [without, audited, bareWrite] = ["without", "with", "bare"].map((name) => summary(times[name]))
  const ratio = (part) => round((audited[part] - without[part]) / bareWrite[part], 2)
  return {
    alone: { small: summary(times.alone.small), large: summary(times.alone.large) },
    without,
    with: audited,
    bare: bareWrite,
    auditToBare: { p10: ratio("p10"), p50: ratio("p50") }
  }
}

const verdict = (value, goal) => `goal ${goal}: ${value <= goal ? "reached" : "missed"}`

try {
  const decisions = Object.entries(calls).map(([name, call]) => [name, pureDecision(...call)])
  const kept = await recording()
  const shim = throughShim(await withoutAudit(), calls.read_file)
  const row = (name, { p10, p50, p99 }, goal) =>
    say(
      name.padEnd(52) +
        [p10, p50, p99].map((value) => String(value).padStart(8)).join("") +
        (goal === undefined ? "" : `   ${verdict(p50, goal)}`)
    )
  say(`Node ${process.versions.node}, microseconds`.padEnd(52) + "     p10     p50     p99")
  for (const [name, { evaluated, withInspection }] of decisions) {
    row(`pure decision, 100 rules, 20 roots: ${name}`, evaluated, goals.decision)
    row("  with the inspection of the call", withInspection)
  }
  row("hook and back, no audit, 4 rules, 3 roots", shim.alone.small, goals.shim)
  row("hook and back, no audit, 100 rules, 20 roots", shim.alone.large)
  say("taking turns:")
  row("  hook and back, no audit", shim.without)
  row("  hook and back, with audit", shim.with)
  row("  bare write + fsync of the same bytes", shim.bare)
  say(`  the audit adds ${shim.auditToBare.p50} x the bare write + fsync (best tenth: ${shim.auditToBare.p10})`)
  say("taking turns, in one process:")
  row("  one record by the audit", kept.audit)
  row("  bare write + fsync of the same bytes", kept.bare)
  say(
    `  the audit takes ${kept.p50Ratio} x (best tenth: ${kept.p10Ratio})   ${verdict(kept.p50Ratio, goals.auditToBare)}`
  )
  if (json) {
    console.log(
      JSON.stringify({
        node: process.versions.node,
        goals,
        decisions: Object.fromEntries(decisions),
        shim,
        recording: kept
      })
    )
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
