#!/usr/bin/env node
/**
 * Kernel oracle: whoever can change what would be served has been refused. `npm run proof:oracle [-- --trees N --seed S --json]`
 *
 * Random trees on real file systems; other users really try to change them, and the kernel decides. A tree that is served
 * although one of them succeeded is a violation and ends the run with its smallest form. The reverse, refused although
 * nobody who tried could change anything, is counted for the rule that refused. (issue 6 "Kernel oracle")
 *
 * Where a mount namespace can be had, half of the trees stand on a tmpfs of their own at /var/tmp, so that the exception
 * for system temporary directories is attacked too, with other modes and owners than a machine can give its own.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    trees: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false }
  }
})
const [trees, seed] = [Number(values.trees), Number(values.seed)]
const say = (text) => values.json || console.log(text)

const skip = (reason) => {
  console.log(values.json ? JSON.stringify({ skipped: reason }) : `skipped: ${reason}`)
  process.exit(0)
}
if (process.platform !== "linux") skip("needs Linux")
if (process.geteuid() !== 0) skip("needs root")
if (spawnSync("python3", ["--version"]).status !== 0) skip("needs python3")

const inside = "MEMORY_BRIDGE_ORACLE_NAMESPACE"
const namespace = ["--mount", "--propagation", "private"]
if (process.env[inside] === undefined && spawnSync("unshare", [...namespace, "true"]).status === 0) {
  const again = [...namespace, process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const { status } = spawnSync("unshare", again, { stdio: "inherit", env: { ...process.env, [inside]: "1" } })
  process.exit(status ?? 1)
}

const privateTop = "/var/tmp"
const hasTop =
  process.env[inside] === "1" &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "mode=1777,size=16m", "tmpfs", privateTop]).status === 0

const { randomFrom } = await import("../../tests/guard/support/Random.ts")
const { draw } = await import("./Spec.ts")
const { openWorld } = await import("./World.ts")
const { describeTree, isViolation, smallest, trial } = await import("./Trial.ts")

const disk = mkdtempSync(join(tmpdir(), "memory-bridge-oracle-"))
chmodSync(disk, 0o755)
const places = [{ base: disk, top: false }, ...(hasTop ? [{ base: privateTop, top: true }] : [])]
const worlds = await Promise.all(places.map(async (place) => ({ ...place, world: await openWorld(place.base) })))

const counted = (map, key) => map.set(key, (map.get(key) ?? 0) + 1)
const [attacks, overcautious, refusals] = [new Map(), new Map(), new Map()]
let [served, attackable, tried, harmless] = [0, 0, 0, 0]
let violation
const started = performance.now()

try {
  for (let index = 0; index < trees && violation === undefined; index++) {
    const random = randomFrom((seed * 1_000_003 + index) >>> 0)
    const { base, top, world } = worlds[index % worlds.length]
    const spec = draw(random, base, top)
    const outcome = await trial(world, spec, index)
    tried += outcome.attacked.tried
    harmless += outcome.attacked.harmless
    if (outcome.served) served++
    else counted(refusals, outcome.rule)
    if (outcome.attacked.by !== null) {
      attackable++
      counted(attacks, outcome.attacked.attack)
    } else if (!outcome.served) counted(overcautious, outcome.rule)
    if (isViolation(outcome)) {
      const least = await smallest(world, spec, index)
      const { attacked } = await trial(world, least, index)
      violation = { index, attacked, tree: describeTree(least) }
    }
  }
} finally {
  for (const { world } of worlds) world.end()
  rmSync(disk, { recursive: true, force: true })
  if (hasTop) spawnSync("umount", [privateTop])
}

const most = (map) => [...map].toSorted((one, other) => other[1] - one[1])
const refusedSafe = most(overcautious).reduce((sum, [, count]) => sum + count, 0)
const seconds = Math.round((performance.now() - started) / 1000)

if (values.json) {
  const named = (map) => Object.fromEntries(most(map))
  console.log(
    JSON.stringify({
      trees,
      places: places.length,
      served,
      attackable,
      tried,
      harmless,
      refusedSafe,
      attacks: named(attacks),
      refusals: named(refusals),
      overcautious: named(overcautious),
      violation: violation ?? null
    })
  )
} else {
  say(`${trees} trees on ${places.length} file systems, seed ${seed}: ${tried} attempts in ${seconds} s`)
  say(`${served} served; ${attackable} that somebody could change; ${violation === undefined ? 0 : 1} violations`)
  say(`\nattempts that changed a tree (the first in each):`)
  for (const [attack, count] of most(attacks)) say(`  ${String(count).padStart(6)}  ${attack}`)
  say(`\n${refusedSafe} refused although nobody who tried could change anything, by rule:`)
  for (const [rule, count] of most(overcautious)) {
    const share = ((100 * count) / trees).toFixed(2).padStart(6)
    say(`  ${String(count).padStart(6)}  ${share} %  ${rule} (of ${refusals.get(rule)} refusals)`)
  }
  if (violation !== undefined) {
    const { attack, by, path } = violation.attacked
    say(`\nVIOLATION in tree ${violation.index}: served, but ${by} did ${attack} on ${path}\n${violation.tree}`)
  }
}
process.exit(violation === undefined ? 0 : 1)
