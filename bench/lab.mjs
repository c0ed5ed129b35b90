#!/usr/bin/env node
/**
 * What the Policy Lab costs, in one run. `npm run bench:lab [-- --json]`
 *
 * Recorded calls replayed in a second, with 100 rules and 20 protected roots that exist, on the real file system and on one
 * snapshot of it; beside it the same calls decided one at a time with looks of their own, as the plugin must. Then
 * the exact difference of two policies of 256 rules and 256 roots each, which is the most that settings can hold.
 */
import { decide } from "@memory-bridge/core/guard/Decide"
import { make } from "@memory-bridge/core/guard/Policy"
import { decode } from "@memory-bridge/core/guard/Settings"
import { compare } from "@memory-bridge/core/lab/Difference"
import { findingsOf } from "@memory-bridge/core/lab/Findings"
import { decode as decodeRecording } from "@memory-bridge/core/lab/Recorded"
import { simulate, summaryOf } from "@memory-bridge/core/lab/Simulation"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const json = process.argv.includes("--json")
const say = (text) => json || console.log(text)

/** From the issue. */
const goals = { replayedPerSecond: 100_000 }
const recordedCalls = 100_000
const turns = 7

const base = realpathSync(mkdtempSync(join(tmpdir(), "lab-bench-")))
const directory = (...parts) => {
  const path = join(base, ...parts)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}

const home = directory("user", ".hermes")
const files = Array.from({ length: 500 }, (_, index) => {
  const path = join(directory("work", `project${index % 10}`, "src"), `file${index}.ts`)
  if (index % 2 === 0) writeFileSync(path, "x\n")
  return path
})

const inspected = ["read_file", "write_file", "patch", "terminal"]
const policy = decode(
  {
    default_action: "block",
    rules: Array.from({ length: 100 }, (_, index) => ({
      tool: inspected[index] ?? `mcp_tool_${index}`,
      action: index % 3 === 1 ? "approve" : "allow"
    })),
    protected_paths: Array.from({ length: 20 }, (_, index) => ({
      path: directory("user", `secret${index}`),
      action: "block"
    }))
  },
  join(base, "user")
).success

/** A mix as an agent has it: mostly reads and edits, some commands, some tools that are judged by name. */
const made = (index) => {
  const path = files[(index * 7) % files.length]
  const other = files[(index * 11) % files.length]
  switch (index % 10) {
    case 0:
    case 1:
    case 2:
      return { tool: "read_file", args: { path, limit: 100 } }
    case 3:
      return { tool: "write_file", args: { path, content: "x" } }
    case 4:
      return { tool: "patch", args: { path, old_string: "a", new_string: "b" } }
    case 5:
      return { tool: "terminal", args: { command: `cat ${path} ${other}`, workdir: base } }
    case 6:
      return { tool: "terminal", args: { command: `cp ${path} ${other}` } }
    case 7:
      return { tool: "terminal", args: { command: "npm test" } }
    case 8:
      return { tool: "read_file", args: { path: join(base, "user", `secret${index % 20}`, "key") } }
    default:
      return { tool: `mcp_tool_${4 + (index % 96)}`, args: { query: "x" } }
  }
}

const seconds = (work) => {
  const start = process.hrtime.bigint()
  const result = work()
  return [Number(process.hrtime.bigint() - start) / 1e9, result]
}

const best = (times) => Math.min(...times)
const middle = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]

const roots = (name) =>
  Array.from({ length: 256 }, (_, index) => ({
    path: `/home/user/${name}${index % 16}/area/part${index}`,
    action: index % 3 === 0 ? "approve" : "block",
    why: ""
  }))
const rules = (name) =>
  Array.from({ length: 256 }, (_, index) => ({
    tool: inspected[index] ?? `${name}_${index}`,
    action: "allow",
    why: ""
  }))

try {
  const text = Array.from({ length: recordedCalls }, (_, index) => JSON.stringify(made(index))).join("\n")
  const self = [join(home, "plugins", "hermes-guardian"), join(home, "plugin-data", "hermes-guardian"), home]
  const [reading, recording] = seconds(() => decodeRecording(text).success)
  const { calls } = recording
  const world = { policy, self, view: posixView }

  const replays = []
  const busy = []
  let actions
  for (let turn = 0; turn < turns; turn++) {
    const cpu = process.cpuUsage()
    const [took, summary] = seconds(() => summaryOf(simulate(world, calls)))
    const { system, user } = process.cpuUsage(cpu)
    replays.push(took)
    busy.push((system + user) / 1e6)
    actions = summary.actions
  }
  const sample = calls.slice(0, recordedCalls / 20)
  const [apart] = seconds(() => sample.map(({ args, tool }) => decide(policy, self, posixView, tool, args)))
  const perSecond = {
    best: Math.round(calls.length / best(replays)),
    median: Math.round(calls.length / middle(replays)),
    ofProcessor: Math.round(calls.length / middle(busy))
  }
  const onePerSecond = Math.round(sample.length / apart)

  const [before, after] = ["a", "b"].map((name) => make("block", rules(name), roots(name)))
  const [comparing, difference] = seconds(() => compare(before, after))
  const [oneRoot, small] = seconds(() => compare(before, make("block", before.rules, before.protectedPaths.slice(1))))
  const [finding] = seconds(() => findingsOf(before, undefined))
  const ms = (value) => Math.round(value * 1000)

  const { equal, strengthened, weakened } = difference.counts
  const reached = perSecond.median >= goals.replayedPerSecond ? "reached" : "missed"
  say(`Node ${process.versions.node}, ${calls.length} recorded calls, 100 rules, 20 roots`)
  say(`  ${actions.allow} allowed, ${actions.approve} to approve, ${actions.block} blocked`)
  say(`  read strictly in ${ms(reading)} ms`)
  say(
    `  replayed: ${perSecond.median} calls a second (best of ${turns}: ${perSecond.best})   ` +
      `goal ${goals.replayedPerSecond}: ${reached}`
  )
  say(`  for each second of processor time: ${perSecond.ofProcessor}`)
  say(`  decided one at a time with looks of their own: ${onePerSecond} calls a second`)
  say("Exact difference, 256 rules and 256 roots on both sides")
  say(`  all else: ${ms(comparing)} ms, ${weakened} classes weakened, ${strengthened} strengthened, ${equal} equal`)
  say(`  one root removed: ${ms(oneRoot)} ms, ${small.counts.weakened} weakened, ${small.counts.equal} equal`)
  say(`  findings of one policy: ${ms(finding)} ms`)
  if (json) {
    console.log(
      JSON.stringify({
        node: process.versions.node,
        goals,
        replayed: { calls: calls.length, perSecond, readMs: ms(reading), onePerSecond },
        difference: { ms: ms(comparing), counts: difference.counts, oneRootMs: ms(oneRoot), findingsMs: ms(finding) }
      })
    )
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
