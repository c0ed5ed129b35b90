#!/usr/bin/env node
/**
 * The one entry for every npm script. It installs and builds what is missing, so that a bare clone needs nothing but
 * Node 20.19 and npm; what needs a newer Node runs on the one that npm installed.
 *
 *   node scripts/run.mjs TASK [arguments]        the tasks stand at the end
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const top = dirname(dirname(fileURLToPath(import.meta.url)))
const at = (...parts) => join(top, ...parts)

/** Runs a program with our own standard streams and returns its exit code. */
const run = (program, args, options = {}) => {
  const { error, signal, status } = spawnSync(program, args, { cwd: top, stdio: "inherit", ...options })
  if (error !== undefined) throw error
  return signal === null ? status : 1
}

const must = (program, args) => {
  const status = run(program, args)
  if (status !== 0) process.exit(status)
}

const install = () => {
  const installed = at("node_modules", ".package-lock.json")
  const lock = at("package-lock.json")
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return
  // No package of ours needs an install script: natives come as per-platform packages.
  must("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
  const now = new Date()
  utimesSync(installed, now, now)
}

/** The Node that development tools need: the installed per-platform package, else this one if it is new enough. */
const developmentNode = () => {
  const own = at("node_modules", `node-${process.platform}-${process.arch}`, "bin", "node")
  if (existsSync(own)) return own
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath
  console.error("Node 24 is needed here and no package brings it for this platform: install it and run this again.")
  return process.exit(1)
}

const build = async () => {
  const { build: bundle } = await import(pathToFileURL(at("scripts", "build.mjs")))
  await bundle()
}

const cli = (args) => process.exit(run(process.execPath, [at("dist", "cli", "memory-bridge.cjs"), ...args]))

const test = (args) => {
  mkdirSync(at(".build"), { recursive: true })
  const report = at(".build", "vitest.json")
  const vitest = run(developmentNode(), [
    at("node_modules", "vitest", "vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...args
  ])
  const { numFailedTests, numPassedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"))
  const python = args.length > 0 ? { passed: 0, failed: 0, skipped: 0 } : pythonTests()
  const failed = Math.max(numFailedTests + python.failed, vitest === 0 ? 0 : 1)
  console.log(`${numPassedTests + python.passed} passed, ${failed} failed, ${numPendingTests + python.skipped} skipped`)
  process.exit(failed === 0 ? 0 : 1)
}

const pythonTests = () => {
  const { status, stderr } = spawnSync(
    "python3",
    ["-B", "-W", "error", "-m", "unittest", "discover", "-s", "python_tests"],
    { cwd: at("packages", "hermes-plugin"), encoding: "utf8", stdio: ["ignore", "inherit", "pipe"] }
  )
  process.stderr.write(stderr ?? "")
  const count = (pattern) => Number(pattern.exec(stderr ?? "")?.[1] ?? 0)
  const ran = count(/^Ran (\d+) tests?/m)
  const skipped = count(/skipped=(\d+)/)
  const failed = Math.max(count(/failures=(\d+)/) + count(/errors=(\d+)/), status === 0 ? 0 : 1)
  return { passed: Math.max(0, ran - failed - skipped), failed, skipped }
}

const lint = () => {
  must(developmentNode(), [at("node_modules", "oxlint", "bin", "oxlint")])
  must(developmentNode(), [at("node_modules", "oxfmt", "bin", "oxfmt"), "--check"])
}

/** Subcommands of the command line that stand for a task. */
const commands = {
  demo: ["demo"],
  "demo:guardian": ["guardian", "demo"],
  "demo:recall": ["recall", "demo"]
}

/** Programs for development, run on its Node once everything is built. */
const programs = {
  bench: ["bench", "notes.mjs"],
  "bench:guard": ["bench", "guard.mjs"],
  "bench:lab": ["bench", "lab.mjs"],
  "bench:peers": ["bench", "peers.mjs"],
  "bench:recall": ["bench", "recall.mjs"],
  "bench:scaling": ["bench", "scaling.mjs"],
  eval: ["eval", "main.mjs"],
  fuzz: ["proofs", "fuzz", "main.mjs"],
  pack: ["scripts", "pack.mjs"],
  "proof:faults": ["proofs", "faults", "main.ts"],
  "proof:oracle": ["proofs", "oracle", "main.mjs"],
  "proof:race": ["proofs", "race", "main.ts"],
  "proof:trace": ["proofs", "trace", "main.ts"],
  "verify:guardian": ["scripts", "verify-guardian.mjs"]
}

const tasks = {
  build,
  check: () => must(developmentNode(), [at("node_modules", "typescript", "bin", "tsc"), "-b"]),
  lint,
  format: () => must(developmentNode(), [at("node_modules", "oxfmt", "bin", "oxfmt")]),
  cli: async (args) => {
    if (!existsSync(at("dist", "cli"))) await build()
    cli(args)
  },
  test: async (args) => {
    await build()
    test(args)
  }
}

for (const [name, command] of Object.entries(commands)) {
  tasks[name] = async (args) => {
    await build()
    cli([...command, ...args])
  }
}
for (const [name, program] of Object.entries(programs)) {
  tasks[name] = async (args) => {
    await build()
    process.exit(run(developmentNode(), [at(...program), ...args]))
  }
}

const [name, ...args] = process.argv.slice(2)
const task = tasks[name ?? ""]
if (task === undefined) {
  console.error(`There is no task "${name ?? ""}".`)
  process.exit(2)
}
install()
await task(args)
