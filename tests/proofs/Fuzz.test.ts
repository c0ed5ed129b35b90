/** Every fuzz target in short, and the fuzzer itself: it finds what is planted, and makes it small. (issue 6 "Fuzz") */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../../proofs/fuzz/main.mjs", import.meta.url))
const runs = 1_200

interface Report {
  readonly target: string
  readonly inputs: number
  readonly reached: number
  readonly finding?: { readonly property: string; readonly input: string; readonly message: string }
}

const fuzz = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [program, ...args], { encoding: "utf8", maxBuffer: 1 << 28 })

describe("the fuzzer", () => {
  it(`finds nothing in ${runs} inputs of each target`, { timeout: 180_000 }, () => {
    const { status, stderr, stdout } = fuzz("all", "--runs", String(runs), "--seed", "11", "--json")
    const reports = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Report)
    for (const { finding, inputs, reached, target } of reports) {
      assert.isUndefined(finding, `${target}: ${finding?.message} ${JSON.stringify(finding?.input)}`)
      assert.isAtLeast(inputs, runs, target)
      assert.isAbove(reached, 0, target)
    }
    assert.isAtLeast(reports.length, 14)
    assert.strictEqual(status, 0, stderr)
  })

  it("finds a planted defect behind two nested conditions, and shrinks it to the shortest input", () => {
    const { status, stdout } = fuzz("planted", "--runs", "60000", "--seed", "3", "--json")
    const { finding } = JSON.parse(stdout) as Report
    assert.strictEqual(status, 1)
    assert.strictEqual(finding?.property, "no text holds both words in order")
    assert.strictEqual(finding?.input, "xyz")
  })

  it("names its targets when it is asked for one that does not exist", () => {
    const { status, stderr } = fuzz("nonesuch")
    assert.strictEqual(status, 2)
    assert.include(stderr, "Targets: all policy json rpc acl pattern id query markdown guard terminal broker")
  })
})
