#!/usr/bin/env node
/**
 * Search beside other servers, ripgrep and the bare system calls, in one run. `npm run bench:peers [-- --notes 1000,10000]`
 *
 * `PEERS` names the folder in which peers are installed, see eval/README.md; what is not there is left out. All engines take
 * turns, question by question, over the same vault, so a ratio means something and an absolute time on a shared machine does
 * not. `first` is the first answer of a server that has just shaken hands, `warm` is what follows. Memory is the sum of peak
 * resident memories of a server and its children; pages that they share, some 45 MiB of each Node, count each time.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { connect, startPeers } from "../eval/Peers.ts"
import { makeVault } from "./corpus.mjs"
import { startSidecar } from "./sidecar.mjs"

const top = dirname(dirname(fileURLToPath(import.meta.url)))
const { values } = parseArgs({
  options: {
    notes: { type: "string", default: "1000,10000" },
    rounds: { type: "string", default: "1" },
    json: { type: "boolean", default: false }
  }
})
const say = (text) => values.json || console.log(text)
const node = { path: process.execPath, versions: process.versions.node.split(".").map(Number) }
const rounds = Number(values.rounds)
const warmUps = 3

const sorted = (times) => times.toSorted((a, b) => a - b)
const median = (times) => sorted(times)[Math.floor(times.length / 2)]
const p95 = (times) => sorted(times)[Math.floor(times.length * 0.95)]
const round = (value, digits = 1) => Number(value.toFixed(digits))

/** MiB, of a process and all that it started. */
const peakOf = (pid) => {
  const parents = new Map()
  const peaks = new Map()
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/u.test(entry))) {
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8")
      parents.set(Number(name), Number(/PPid:\s+(\d+)/u.exec(status)?.[1]))
      peaks.set(Number(name), Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024)
    } catch {
      // It has ended.
    }
  }
  const isBelow = (one) => one === pid || (parents.has(one) && parents.get(one) > 1 && isBelow(parents.get(one)))
  return [...peaks].reduce((sum, [one, peak]) => (isBelow(one) ? sum + peak : sum), 0)
}

const homeFor = (base, name, root, keys) => {
  const home = join(base, name)
  const folder = join(home, "plugin-data", "memory-bridge")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const policy = { version: 2, root, allow: ["**/*.md"], names: "unicode", limits: { max_entries: 10_000 }, ...keys }
  writeFileSync(join(folder, "policy.json"), JSON.stringify(policy), { mode: 0o600 })
  return home
}

const sidecarOver = (name, home) => {
  const sidecar = startSidecar(node, join(top, "dist", "hermes", "memory-bridge", "sidecar.cjs"))
  return {
    name,
    ask: async (query) => (await sidecar.search(home, query, 10)).results.map(({ id }) => id),
    peak: () => sidecar.peakMiB(),
    stop: () => sidecar.stop()
  }
}

const serverOver = (name, peer) => ({
  name,
  ask: async (query) => (await peer.ask(query))?.map(({ id }) => id) ?? [],
  peak: () => peakOf(peer.pid),
  stop: () => peer.stop()
})

const ripgrep = (root) => ({
  name: "rg -j1 -i -c, a process each",
  ask: async (query) => {
    spawnSync("rg", ["-j1", "-i", "-c", query.split(" ")[0], root], { stdio: "ignore" })
    return undefined
  },
  peak: () => undefined,
  stop: () => undefined
})

const enginesOver = async (base, root) => {
  const ranked = homeFor(base, "ranked", root, {})
  const ordered = homeFor(base, "ordered", root, { ranking: "path" })
  const mcp = [node.path, join(top, "dist", "cli", "memory-bridge.cjs"), "mcp", "--profile", ranked]
  const engines = [
    sidecarOver("ours, sidecar, by relevance", ranked),
    sidecarOver("ours, sidecar, by path", ordered),
    serverOver(
      "ours, MCP server, by relevance",
      await connect(mcp, process.env, "memory_bridge_search", (query) => ({ query, limit: 10 }), root)
    )
  ]
  for (const [name, peer] of await startPeers(root)) {
    if (typeof peer === "string") say(`${name}: ${peer}`)
    else engines.push(serverOver(name, peer))
  }
  if (spawnSync("rg", ["--version"]).error === undefined) engines.push(ripgrep(root))
  else say("rg: not installed")
  return engines
}

/** Makes the bare calls of a warm search and answers with the milliseconds; `undefined` without a compiler. */
const bareCalls = (base, root) => {
  const program = join(base, "floor")
  const made = spawnSync("gcc", ["-O2", "-o", program, join(top, "bench", "floor.c")])
  if (made.error !== undefined || made.status !== 0) return undefined
  // The twenty notes at the top are looked at for words in a row; the ten that are shown are among them.
  return () => Number(execFileSync(program, [root, "10", "20"], { encoding: "utf8" }).split(" ")[0])
}

/**
 * Ours, one call after another, and the bare calls, one pass after another, in blocks that take turns. Among the peers each
 * finds the processor's caches full of the others. The first blocks let the compiler finish.
 */
const alone = async (engine, questions, bare) => {
  const [ours, floors] = [[], []]
  for (let block = 0; block < 12; block++) {
    const times = []
    for (const { query } of questions) {
      const start = performance.now()
      await engine.ask(query)
      times.push(performance.now() - start)
    }
    const floor = bare?.()
    if (block < 3) continue
    ours.push(median(times))
    if (floor !== undefined) floors.push(floor)
  }
  return { aloneMs: round(median(ours), 2), floorMs: floors.length === 0 ? undefined : median(floors) }
}

const readsPerCall = (name) => !name.startsWith("ours") && !name.startsWith("qmd") && !name.startsWith("rg")

const goalsOf = (rows, aloneMs, floorMs, count) => {
  const [mine] = rows
  const others = rows.filter(({ name }) => readsPerCall(name))
  const index = rows.find(({ name }) => name.startsWith("qmd"))
  return [
    ...others.map(({ name, warmMs }) => [`ahead of ${name}: ${mine.warmMs} < ${warmMs} ms`, mine.warmMs < warmMs]),
    ...(index === undefined || count < 10_000
      ? []
      : [[`at most 2 x ${index.name}: ${round(mine.warmMs / index.warmMs, 2)}`, mine.warmMs <= 2 * index.warmMs]]),
    ...(floorMs === undefined
      ? []
      : [[`at most 2 x the bare calls: ${round(aloneMs / floorMs, 2)}`, aloneMs <= 2 * floorMs]]),
    [`at most 150 MiB: ${mine.peakMiB}`, mine.peakMiB <= 150]
  ]
}

const measure = async (count) => {
  // In small letters: some peers take no other path.
  const base = join(tmpdir(), `memory-bridge-peers-${process.pid}-${count}`)
  mkdirSync(base, { mode: 0o700 })
  try {
    const root = join(base, "vault")
    const questions = makeVault(root, count)
    chmodSync(root, 0o700)
    // Only notes that have rested for two seconds are remembered.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    const engines = await enginesOver(base, root)
    const results = new Map(engines.map((engine) => [engine, { times: [], hits: 0 }]))
    for (const engine of engines) {
      const result = results.get(engine)
      for (let turn = 0; turn < warmUps; turn++) {
        const start = performance.now()
        await engine.ask(questions[turn].query)
        result.firstMs ??= performance.now() - start
      }
    }
    for (let turn = 0; turn < rounds; turn++) {
      for (const { answer, query } of questions) {
        for (const engine of engines) {
          const result = results.get(engine)
          const start = performance.now()
          const shown = await engine.ask(query)
          result.times.push(performance.now() - start)
          if (shown?.[0] === answer) result.hits++
        }
      }
    }
    const { aloneMs, floorMs } = await alone(engines[0], questions, bareCalls(base, root))
    const [, { times: mine }] = results.entries().next().value
    const rows = engines.map((engine) => {
      const { firstMs, hits, times } = results.get(engine)
      const peak = engine.peak()
      return {
        name: engine.name,
        firstMs: round(firstMs),
        warmMs: round(median(times), 2),
        p95Ms: round(p95(times), 2),
        toOurs: round(median(times) / median(mine), 2),
        hit1: engine.name.startsWith("rg") ? undefined : round(hits / times.length, 2),
        peakMiB: peak === undefined ? undefined : round(peak, 0)
      }
    })
    for (const engine of engines) await engine.stop()
    return { notes: count, rows, aloneMs, floorMs, goals: goalsOf(rows, aloneMs, floorMs, count) }
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

const all = []
for (const count of values.notes.split(",").map(Number)) {
  say(`${count} notes, Node ${process.versions.node}`)
  const measured = await measure(count)
  say(`${"".padEnd(34)}  first ms   warm ms    p95 ms   x ours   hit@1   peak MiB`)
  for (const { name, firstMs, hit1 = "", p95Ms, peakMiB = "", toOurs, warmMs } of measured.rows) {
    const cells = [firstMs, warmMs, p95Ms].map((value) => String(value).padStart(10))
    say(
      `${name.padEnd(34)}${cells.join("")}${String(toOurs).padStart(9)}${String(hit1).padStart(8)}${String(peakMiB).padStart(11)}`
    )
  }
  say(
    measured.floorMs === undefined
      ? "gcc: not there, no bare calls"
      : `one after another: ours, sidecar, by relevance ${measured.aloneMs} ms; the bare calls ${measured.floorMs} ms`
  )
  for (const [text, met] of measured.goals) say(`${met ? "met   " : "MISSED"} ${text}`)
  all.push(measured)
}
if (values.json) console.log(JSON.stringify({ node: process.versions.node, measured: all }))
