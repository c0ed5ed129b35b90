/**
 * Proof: what the built sidecars ask of the kernel, seen from outside by strace, is what they may ask.
 *
 *   node proofs/trace/main.ts [--dist FOLDER]
 *   node proofs/trace/main.ts --judge FILE [--guard HOME]      a trace that was made before (strace -f -y -s 4096 -o)
 *
 * memory-bridge answers searches and reads, once as the kernel is and once where seccomp refuses `openat2`; then
 * hermes-guardian decides calls. No ring of io_uring may be had in any of them, because strace does not see into one.
 * Exits with 1 on anything that is not allowed, and on a line that is not understood.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { makeNotes } from "../faults/Notes.ts"
import { type Refusable, without } from "./Filter.ts"
import { judge } from "./Judge.ts"
import { bridgeRules, guardRules, type Rules } from "./Rules.ts"
import { nodeCommand, ordinarySignals, type Running, startSidecar } from "./Sidecar.ts"

const { values } = parseArgs({
  options: {
    dist: { type: "string", default: fileURLToPath(new URL("../../dist/hermes", import.meta.url)) },
    judge: { type: "string" },
    guard: { type: "string" }
  }
})

const say = (line: string): void => {
  process.stdout.write(line + "\n")
}

const shown = 50
let problems = 0
let calls = 0

const report = (what: string, text: string, rules: Rules): void => {
  const verdict = judge(text, rules)
  calls += verdict.calls
  problems += verdict.problems.length
  say(
    `${what}: ${verdict.calls} calls, ${verdict.after} after the start, ${verdict.opens} of them opens; ` +
      `${verdict.problems.length} problems`
  )
  for (const problem of verdict.problems.slice(0, shown)) say(`  ${problem}`)
}

const finish = (): never => {
  say(`trace: ${problems === 0 ? "held" : "BROKEN"}, ${calls} calls, ${problems} problems`)
  return process.exit(problems === 0 ? 0 : 1)
}

if (values.judge !== undefined) {
  const rules = values.guard === undefined ? bridgeRules : guardRules(values.guard)
  report(values.judge, readFileSync(values.judge, "utf8"), rules)
  finish()
}

const straceIs = spawnSync("strace", ["-qq", "-f", "-y", "-o", "/dev/null", "/bin/true"], { encoding: "utf8" })
if (process.platform !== "linux" || straceIs.error !== undefined || straceIs.status !== 0) {
  const why = straceIs.error === undefined ? straceIs.stderr.trim() : "strace is not installed"
  say(`trace: skipped, ${process.platform === "linux" ? why : "needs Linux"}`)
  process.exit(0)
}
const strace = spawnSync("sh", ["-c", "command -v strace"], { encoding: "utf8" }).stdout.trim()

const folder = realpathSync(mkdtempSync(join(tmpdir(), "memory-bridge-trace-")))

/** Runs a sidecar under strace while `work` asks it; what strace wrote. */
const traced = async (
  command: ReadonlyArray<string>,
  refused: ReadonlyArray<Refusable>,
  work: (sidecar: Running) => Promise<void>
): Promise<string> => {
  const file = join(folder, "trace")
  const sidecar = startSidecar(
    without("ENOSYS", [...refused, "io_uring_setup"], [strace, "-f", "-qq", "-y", "-s", "4096", "-o", file, ...command])
  )
  try {
    await work(sidecar)
  } catch (error) {
    problems += 1
    say(`  ${error instanceof Error ? error.message : String(error)}`)
  }
  await sidecar.end()
  return readFileSync(file, "utf8")
}

const askBridge = async (sidecar: Running): Promise<void> => {
  const notes = makeNotes()
  try {
    const signals = ordinarySignals(notes.place.home)
    const found = await sidecar.ask("memory_bridge.search", { signals, arguments: { query: "needle", limit: 10 } })
    const { results } = found as { readonly results: ReadonlyArray<unknown> }
    if (results.length !== notes.served.length) throw new Error("the search did not find the notes")
    for (let round = 0; round < 3; round++) {
      for (const id of [...notes.served, ...notes.refused]) {
        const answer = await sidecar.ask("memory_bridge.read", { signals, arguments: { id } })
        if ((answer as { readonly ok: boolean }).ok !== notes.served.includes(id))
          throw new Error(`the answer to ${id}`)
      }
      await sidecar.ask("memory_bridge.search", { signals, arguments: { query: "text second" } })
    }
    await sidecar.ask("memory_bridge.read", { signals, arguments: { id: "../outside" } })
    await sidecar.ask("memory_bridge.search", { signals: {}, arguments: {} })
  } finally {
    notes.place.dispose()
  }
}

const askGuard = (home: string, user: string) => async (sidecar: Running) => {
  const rules = [
    { tool: "read_file", action: "allow" },
    { tool: "terminal", action: "allow" }
  ]
  const settings = {
    state: "value",
    value: { default_action: "block", rules, protected_paths: [{ path: join(user, "secret"), action: "block" }] }
  }
  const installation = { hermes_home: home, user_home: user, plugin_source: join(home, "plugins"), backups: [] }
  const free = join(user, "free")
  const linked = join(user, "link/key")
  const asked: ReadonlyArray<readonly [string, string, unknown]> = [
    ["allow", "read_file", { path: free }],
    ["block", "read_file", { path: linked }],
    ["allow", "terminal", { command: `cat ${free}` }],
    ["block", "terminal", { command: `cat ${linked}` }],
    ["block", "terminal", { command: `cp ${free} ${linked}` }],
    ["block", "write_file", { path: join(user, "new"), content: "x" }]
  ]
  for (let round = 0; round < 3; round++) {
    for (const [action, tool, args] of asked) {
      const answer = await sidecar.ask("guardian.evaluate", { settings, installation, call: { tool, args } })
      if ((answer as { readonly action: string }).action !== action) throw new Error(`the answer to ${tool}`)
    }
  }
}

try {
  const bridge = [...nodeCommand(), join(values.dist, "memory-bridge", "sidecar.cjs")]
  report("memory-bridge", await traced(bridge, [], askBridge), bridgeRules)
  report("memory-bridge without openat2", await traced(bridge, ["openat2"], askBridge), {
    start: bridgeRules.start,
    // It is asked for once in each walk, and must not be had.
    after: new Map([
      ...bridgeRules.after,
      ["openat2", ({ result }) => (result.startsWith("-1 ENOSYS") ? undefined : "had openat2")]
    ])
  })

  const user = join(folder, "user")
  const home = join(user, "home")
  for (const directory of ["home", "secret"]) mkdirSync(join(user, directory), { recursive: true, mode: 0o700 })
  writeFileSync(join(user, "free"), "free")
  writeFileSync(join(user, "secret/key"), "key")
  symlinkSync("secret", join(user, "link"))
  const data = join(home, "plugin-data")
  const guard = [
    ...nodeCommand(data, join(data, "hermes-guardian", "*")),
    join(values.dist, "hermes-guardian", "sidecar.cjs"),
    home
  ]
  report("hermes-guardian", await traced(guard, [], askGuard(home, user)), guardRules(home))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
finish()
