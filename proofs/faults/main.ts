/**
 * Proof: whatever a system call answers, nothing more is served, decided or forgotten than without it, the host hears
 * nothing but a uniform answer, and every descriptor is given back.
 *
 *   node proofs/faults/main.ts [--one-in N] [--sidecar FILE]
 *
 * Each function that an adapter takes from the C library or from `node:fs` fails at each of its uses with nine errnos,
 * once and from then on, or answers short. `--one-in` takes each so many-th combination only. Then the built sidecar
 * runs under a seccomp filter that refuses `openat2`. Exits with 1 on any defect.
 */
import { real } from "./Injection.ts"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { bridgePrograms } from "./BridgeFaults.ts"
import { guardPrograms, makeGuarded } from "./GuardFaults.ts"
import { makeNotes } from "./Notes.ts"
import { type Findings, strike } from "./Program.ts"
import { refusedByFilter } from "./Seccomp.ts"
import { makeSeen, seenPrograms } from "./SeenFaults.ts"

const { values } = parseArgs({
  options: {
    "one-in": { type: "string", default: "1" },
    sidecar: {
      type: "string",
      default: fileURLToPath(new URL("../../dist/hermes/memory-bridge/sidecar.cjs", import.meta.url))
    }
  }
})
const oneIn = Number(values["one-in"])

const say = (line: string): void => {
  real.writeSync(1, line + "\n")
}

if (process.platform !== "linux") {
  say("faults: skipped, needs Linux")
  process.exit(0)
}

const shown = 20
let runs = 0
const defects: Array<string> = []

const report = (what: string, findings: Findings): void => {
  const functions = [...findings.functions].map(([name, count]) => `${name} ${count}`).join(", ")
  say(`${what}: ${findings.runs} faults, ${findings.defects.length} defects (${functions})`)
  for (const defect of findings.defects.slice(0, shown)) say(`  ${defect}`)
  runs += findings.runs
  defects.push(...findings.defects)
}

const notes = makeNotes()
const guarded = makeGuarded()
const seen = makeSeen()
try {
  for (const lack of notes.lacks) say(`not built: what needs ${lack}`)
  for (const [what, programs] of [
    ["bridge", bridgePrograms(notes)],
    ["guard", guardPrograms(guarded)],
    ["recall's seen file", seenPrograms(seen)]
  ] as const) {
    const findings: Findings = { runs: 0, functions: new Map(), defects: [] }
    for (const program of programs) await strike(program, oneIn, findings)
    report(what, findings)
  }
  const filtered = await refusedByFilter(notes, values.sidecar)
  for (const line of filtered.lines) say(line)
  defects.push(...filtered.defects)
} finally {
  notes.place.dispose()
  guarded.dispose()
  seen.dispose()
}

say(`faults: ${defects.length === 0 ? "held" : "BROKEN"}, ${runs} faults, ${defects.length} defects`)
process.exit(defects.length === 0 ? 0 : 1)
