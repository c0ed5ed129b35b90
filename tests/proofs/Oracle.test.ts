/** The kernel oracle in short: some hundred trees, no violation, and an attacker who is seen to succeed. (issue 6) */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { isLinux, isRoot, without } from "../support/Capabilities.ts"

const program = fileURLToPath(new URL("../../proofs/oracle/main.mjs", import.meta.url))
const trees = 400

/** What has to have worked somewhere, or the oracle looks at nothing. */
const kinds = ["rename_aside", "change_mode", "set_default_acl", "make_link", "open_truncated"]

interface Report {
  readonly served: number
  readonly attackable: number
  readonly tried: number
  readonly attacks: Readonly<Record<string, number>>
  readonly violation: unknown
}

describe("the kernel oracle", () => {
  it.skipIf(!isLinux || !isRoot)(
    `of ${trees} trees serves none that another user could change${without(isLinux && isRoot, "root on Linux")}`,
    { timeout: 180_000 },
    () => {
      const args = [program, "--trees", String(trees), "--seed", "7", "--json"]
      const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
      assert.strictEqual(status, 0, `${stderr}\n${stdout}`)
      const { attackable, attacks, served, tried, violation } = JSON.parse(stdout) as Report
      assert.isNull(violation)
      assert.isAbove(served, trees / 10)
      assert.isAbove(attackable, trees / 5)
      assert.includeMembers(Object.keys(attacks), kinds)
      process.stdout.write(`kernel oracle: ${trees} trees, ${served} served, ${tried} attempts, no violation\n`)
    }
  )
})
