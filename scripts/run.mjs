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

const [task, ...args] = process.argv.slice(2)
install()
switch (task) {
  case "build":
    await build()
    break
  case "demo":
    await build()
    cli(["demo", ...args])
    break
  case "demo:guardian":
    await build()
    cli(["guardian", "demo", ...args])
    break
  case "demo:recall":
    await build()
    cli(["recall", "demo", ...args])
    break
  case "verify:guardian":
    await build()
    process.exit(run(developmentNode(), [at("scripts", "verify-guardian.mjs"), ...args]))
    break
  case "cli":
    if (!existsSync(at("dist", "cli"))) await build()
    cli(args)
    break
  case "test":
    await build()
    test(args)
    break
  case "bench":
    await build()
    process.exit(run(developmentNode(), [at("bench", "notes.mjs"), ...args]))
    break
  case "bench:guard":
    await build()
    process.exit(run(developmentNode(), [at("bench", "guard.mjs"), ...args]))
    break
  case "bench:lab":
    process.exit(run(developmentNode(), [at("bench", "lab.mjs"), ...args]))
    break
  case "bench:recall":
    await build()
    process.exit(run(developmentNode(), [at("bench", "recall.mjs"), ...args]))
    break
  case "check":
    must(developmentNode(), [at("node_modules", "typescript", "bin", "tsc"), "-b"])
    break
  case "lint":
    lint()
    break
  case "format":
    must(developmentNode(), [at("node_modules", "oxfmt", "bin", "oxfmt")])
    break
  default:
    console.error(`There is no task "${task ?? ""}".`)
    process.exit(2)
}
