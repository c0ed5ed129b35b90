#!/usr/bin/env node
/**
 * The release check of the guardian: its tests, its demo, and what the host's own validation says of the built plugin.
 * (seed 004 "verify.py", issue 3 part 6)
 *
 *   npm run verify:guardian [-- --require-hermes]
 *
 * Without a `hermes` command the last part is skipped, and said to be; with `--require-hermes` that is a failure. A host
 * that does not know `plugins validate` is asked for `plugins doctor` instead, which older hosts have.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const top = dirname(dirname(fileURLToPath(import.meta.url)))
const plugin = join(top, "dist", "hermes", "hermes-guardian")
const suites = [
  "packages/core/test/guard",
  "packages/platform-posix/test/guard",
  "tests/guard",
  "tests/guardian-plugin"
]

const unknown = process.argv.slice(2).filter((argument) => argument !== "--require-hermes")
if (unknown.length > 0) {
  console.error(`verify:guardian knows no "${unknown[0]}"; it takes --require-hermes and nothing else.`)
  process.exit(2)
}
const required = process.argv.includes("--require-hermes")

/** Whether the program ended with 0. */
const passes = (program, args, options = {}) =>
  spawnSync(program, args, { cwd: top, stdio: "inherit", ...options }).status === 0

const tests = () => passes(process.execPath, [join(top, "node_modules", "vitest", "vitest.mjs"), "run", ...suites])

const pythonTests = () =>
  passes(
    "python3",
    ["-B", "-W", "error", "-m", "unittest", "discover", "-s", "python_tests", "-p", "test_guardian*.py"],
    { cwd: join(top, "packages", "hermes-plugin") }
  )

const demo = () => passes(process.execPath, [join(top, "dist", "cli", "memory-bridge.cjs"), "guardian", "demo"])

/** A home of its own, so that nothing of the operator's takes part and nothing is left behind. */
const withHome = (use) => {
  const home = mkdtempSync(join(tmpdir(), "verify-guardian-"))
  try {
    return use({ ...process.env, HERMES_HOME: home })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const hasHermes = () => spawnSync("hermes", ["--version"], { stdio: "ignore" }).error === undefined

const knowsValidate = (env) =>
  spawnSync("hermes", ["plugins", "validate", "--help"], { env, stdio: "ignore" }).status === 0

const hermes = () => {
  if (!hasHermes())
    return required ? "failed: there is no hermes command on PATH" : "skipped: there is no hermes command on PATH"
  return withHome((env) => {
    const args = knowsValidate(env) ? ["validate", plugin, "--install-deps"] : ["doctor", plugin, "--ci"]
    return passes("hermes", ["plugins", ...args], { env })
      ? `passed (plugins ${args[0]})`
      : `failed (plugins ${args[0]})`
  })
}

const outcome = (passed) => (passed ? "passed" : "failed")
const results = [
  ["tests", outcome(tests())],
  ["tests of the hook", outcome(pythonTests())],
  ["demo", outcome(demo())],
  ["hermes", hermes()]
]
console.log("")
for (const [name, result] of results) console.log(`${name.padEnd(18)} ${result}`)
process.exit(results.some(([, result]) => result.startsWith("failed")) ? 1 : 0)
