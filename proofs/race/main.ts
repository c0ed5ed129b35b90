/**
 * Proof: while another process exchanges names on the way to a note and to its policy, no answer ever holds anything but
 * the permitted note, and none is kept waiting.
 *
 *   node proofs/race/main.ts [--seconds N] [--operations N] [--sidecar FILE]
 *
 * Three engines work at once on each attack: core and Linux adapter in process with `openat2`, the same with the base
 * walk alone, and the built sidecar over its pipes. An operation is one call of `openat2` or `openat` by the two in
 * process; the sidecar's cannot be seen and are not counted. `--seconds` is the time of all attacks together,
 * `--operations` goes on until so many were made. Exits with 1 on a leak, on a call without an answer, where less than
 * half of the calls were answered with the note, or where an attack never hit.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type Attack, attacksOn } from "./Attacks.ts"
import { makePlace } from "./Place.ts"
import { added, emptyTally, type Tally } from "./Tally.ts"
import { startBridge, startEngine, whileExchanging } from "./Workers.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    operations: { type: "string", default: "0" },
    sidecar: {
      type: "string",
      default: fileURLToPath(new URL("../../dist/hermes/memory-bridge/sidecar.cjs", import.meta.url))
    }
  }
})

const say = (line: string): void => {
  process.stdout.write(line + "\n")
}

if (process.platform !== "linux") {
  say("race: skipped, RENAME_EXCHANGE is Linux's")
  process.exit(0)
}

const mayMount = (): boolean => {
  const point = mkdtempSync(join(tmpdir(), "mount-probe-"))
  const mounted = spawnSync("mount", ["--bind", point, point]).status === 0
  if (mounted) spawnSync("umount", ["-l", point])
  rmdirSync(point)
  return mounted
}

const root = process.geteuid?.() === 0
const attacks = attacksOn({ root, mounts: root && mayMount() })
const able = attacks.filter(({ lacks }) => lacks === undefined)
const milliseconds = (Number(values.seconds) * 1000) / able.length
const opens = Number(values.operations) / able.length / 2

const engines = [startEngine("openat2"), startEngine("openat")]
const bridge = startBridge(values.sidecar)

const attack = async ({ entries }: Attack): Promise<{ readonly tally: Tally; readonly exchanges: number }> => {
  const place = makePlace()
  try {
    let tally = emptyTally()
    const exchanges = await whileExchanging(entries(place), async () => {
      let working = true
      const inProcess = Promise.all(engines.map(({ hammer }) => hammer({ home: place.home, milliseconds, opens })))
      const asked = bridge.hammer(place.home, () => !working)
      const tallies = await inProcess.finally(() => {
        working = false
      })
      tally = [...tallies, await asked].reduce(added)
    })
    return { tally, exchanges }
  } finally {
    place.dispose()
  }
}

const number = (value: number, width: number): string => value.toLocaleString("en-US").padStart(width)
const share = ({ calls, served }: Tally): number => (calls === 0 ? 0 : (100 * served) / calls)

/** What is wrong with the outcome of one attack. */
const faultsOf = ({ alwaysServed }: Attack, { calls, hangs, outside, served }: Tally): ReadonlyArray<string> => [
  ...(outside > 0 ? ["leaked"] : []),
  ...(hangs > 0 ? ["hung"] : []),
  ...(served === 0 ? ["never served"] : []),
  ...(served === calls && alwaysServed === undefined ? ["never hit"] : [])
]

say(
  `${"attack".padEnd(44)}${"opens".padStart(12)}${"calls".padStart(11)}${"served".padStart(9)}${"outside".padStart(9)}` +
    `${"hangs".padStart(7)}${"slowest".padStart(9)}${"exchanges".padStart(12)}`
)
let total = emptyTally()
let allExchanges = 0
let wrong = 0
for (const one of attacks) {
  if (one.lacks !== undefined) {
    say(`${one.what.padEnd(44)}  skipped, needs ${one.lacks}`)
    continue
  }
  const { exchanges, tally } = await attack(one)
  const found = faultsOf(one, tally)
  say(
    `${one.what.padEnd(44)}${number(tally.opens, 12)}${number(tally.calls, 11)}${`${share(tally).toFixed(1)} %`.padStart(9)}` +
      `${number(tally.outside, 9)}${number(tally.hangs, 7)}${`${Math.ceil(tally.slowest)} ms`.padStart(9)}` +
      `${number(exchanges, 12)}${found.map((fault) => `  ${fault}`).join("")}`
  )
  total = added(total, tally)
  allExchanges += exchanges
  wrong += found.length
}
for (const { end } of engines) end()
await bridge.end()

const held = wrong === 0 && share(total) >= 50
say(
  `race: ${held ? "held" : "BROKEN"}, ${number(total.opens, 0)} opens, ${number(total.calls, 0)} calls, ` +
    `${share(total).toFixed(1)} % served, ${total.outside} answers with outside content, ${total.hangs} hangs, ` +
    `${number(allExchanges, 0)} exchanges`
)
process.exit(held ? 0 : 1)
