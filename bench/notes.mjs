#!/usr/bin/env node
/**
 * Search beside ripgrep, in one run. `npm run bench [-- --json]`
 *
 * Ours is a call to a running sidecar, over its pipes and with every check on; ripgrep is a whole process
 * (`rg -j1 -i -c`) over the same folder. The two take turns, and medians are compared: a ratio from one run means
 * something, an absolute time on a shared machine does not.
 *
 * A search reads at most 16 MiB (the scan budget), so of 10,000 notes of 6 KB it reads the first 2,800 or so. That row
 * is compared with ripgrep by the cost of a file read; the row of small notes reads all 10,000.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeCorpus } from "./corpus.mjs"
import { startSidecar } from "./sidecar.mjs"

const top = dirname(dirname(fileURLToPath(import.meta.url)))
const plugin = join(top, "dist", "hermes", "memory-bridge")
const scanBytes = 16 * 1024 * 1024
const json = process.argv.includes("--json")
const say = (text) => json || console.log(text)

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]
/** The best tenth shows what the work costs where nobody else uses the machine. */
const best = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.1)]
const p99 = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]
const round = (value, digits = 1) => Number(value.toFixed(digits))

const timed = async (work) => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const run = (program, args) => {
  const { error, status } = spawnSync(program, args, { stdio: "ignore" })
  if (error !== undefined || status > 1) throw error ?? new Error(`${program} exited with ${status}`)
}

const node = { path: process.execPath, versions: process.versions.node.split(".").map(Number) }

/** A home whose policy permits every note of a fresh corpus. */
const makeHome = (base, name, count, bytes) => {
  const root = join(base, name)
  const home = join(base, `${name}-home`)
  makeCorpus(root, count, bytes)
  const folder = join(home, "plugin-data", "memory-bridge")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const policy = { version: 1, root, allow: ["**/*.md"], deny: ["**/private/**"], limits: { max_entries: 10_000 } }
  writeFileSync(join(folder, "policy.json"), JSON.stringify(policy), { mode: 0o600 })
  return { home, root, count, read: Math.min(count, Math.ceil(scanBytes / bytes)) }
}

const compare = async (name, { count, home, read, root }, rounds) => {
  const sidecar = startSidecar(node, join(plugin, "sidecar.cjs"))
  await sidecar.read(home, "none.md")
  const cold = await timed(() => sidecar.search(home, "budget"))
  for (let i = 0; i < 3; i++) await sidecar.search(home, "budget")
  const ours = []
  const theirs = []
  for (let i = 0; i < rounds; i++) {
    ours.push(await timed(() => sidecar.search(home, "budget")))
    theirs.push(await timed(() => run("rg", ["-j1", "-i", "-c", "budget", root])))
  }
  const peakMiB = sidecar.peakMiB()
  await sidecar.stop()
  const warm = median(ours)
  const rg = median(theirs)
  return {
    name,
    notes: count,
    read,
    warmMs: round(warm),
    coldMs: round(cold),
    rgMs: round(rg),
    usPerFile: round((warm * 1000) / read, 2),
    bestUsPerFile: round((best(ours) * 1000) / read, 2),
    rgUsPerFile: round((rg * 1000) / count, 2),
    warmToRg: round(warm / read / (rg / count), 2),
    bestToRg: round(best(ours) / read / (best(theirs) / count), 2),
    coldToRg: round(cold / read / (rg / count), 2),
    peakMiB: round(peakMiB, 0)
  }
}

const measureShim = ({ home }) => {
  const id = "area0/topic0/note-00000.md"
  const args = [join(top, "bench", "shim.py"), plugin, home, id, "15", "2000", node.path]
  const { status, stderr, stdout } = spawnSync("python3", ["-B", ...args], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const base = mkdtempSync(join(tmpdir(), "memory-bridge-bench-"))
try {
  if (spawnSync("rg", ["--version"]).error !== undefined) throw new Error("ripgrep (rg) is needed beside us")
  const one = makeHome(base, "one", 1, 6000)
  const corpora = [
    ["1,000 x 6 KB", makeHome(base, "c1000", 1000, 6000), 40],
    ["2,000 x 6 KB", makeHome(base, "c2000", 2000, 6000), 40],
    ["10,000 x 6 KB", makeHome(base, "c10000", 10_000, 6000), 15],
    ["10,000 x 1.5 KB", makeHome(base, "small", 10_000, 1500), 15]
  ]
  // Text is remembered only of notes that have rested for two seconds.
  await new Promise((resolve) => setTimeout(resolve, 2500))

  say(`Node ${process.versions.node}; warm and cold: a search by a running sidecar, cold being its first; medians, and`)
  say("best: the ratio of the best tenths, which other work on the machine disturbs least")
  say(
    "notes              read   warm ms  cold ms    rg ms   us/file   rg us/file   warm/rg     best  cold/rg   peak MiB"
  )
  const rows = []
  for (const [name, home, rounds] of corpora) {
    const row = await compare(name, home, rounds)
    rows.push(row)
    say(
      [
        name.padEnd(16),
        String(row.read).padStart(6),
        ...[row.warmMs, row.coldMs, row.rgMs, row.usPerFile].map((value) => String(value).padStart(9)),
        String(row.rgUsPerFile).padStart(12),
        ...[row.warmToRg, row.bestToRg, row.coldToRg].map((value) => String(value).padStart(9)),
        String(row.peakMiB).padStart(10)
      ].join("")
    )
  }

  const shim = measureShim(one)
  const bare = []
  for (let i = 0; i < 15; i++) bare.push(await timed(() => run(node.path, ["-e", "0"])))
  const first = median(shim.first_ms)
  const shimRow = {
    firstCallMs: round(first),
    nodeMs: round(median(bare)),
    firstToNode: round(first / median(bare), 2),
    readUs: { median: round(median(shim.read_us), 0), p99: round(p99(shim.read_us), 0) },
    refusedUs: { median: round(median(shim.refused_us), 0), p99: round(p99(shim.refused_us), 0) }
  }
  say("")
  say(`first call through the shim, start included: ${shimRow.firstCallMs} ms = ${shimRow.firstToNode} x node -e 0`)
  say(`read through the shim: median ${shimRow.readUs.median} us, p99 ${shimRow.readUs.p99} us`)
  say(`way through the shim and back: median ${shimRow.refusedUs.median} us, p99 ${shimRow.refusedUs.p99} us`)
  const perFile = rows.slice(0, 3).map((row) => row.bestUsPerFile)
  const spread = round((Math.max(...perFile) / Math.min(...perFile) - 1) * 100, 0)
  say(
    `best microseconds per file: ${perFile.join(", ")}; they differ by ${spread} % from 1,000 to 10,000 notes of 6 KB`
  )
  if (json) console.log(JSON.stringify({ node: process.versions.node, rows, spreadPercent: spread, shim: shimRow }))
} finally {
  rmSync(base, { recursive: true, force: true })
}
