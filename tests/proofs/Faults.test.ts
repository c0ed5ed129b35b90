/**
 * Whatever a system call answers, nothing more is served than without it, and every descriptor is given back. (design.md
 * section 4 "fail closed"; a short run of `npm run proof:faults`)
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isLinux, without } from "../support/Capabilities.ts"
import { type Built, buildPlugins, prove } from "./support/Prove.ts"

let built: Built
beforeAll(async () => {
  built = await buildPlugins()
})
afterAll(() => built.dispose())

describe.skipIf(!isLinux)(`when system calls fail${without(isLinux, "Linux")}`, () => {
  it("less is served, decided and remembered, never more; without openat2 the same", { timeout: 180_000 }, async () => {
    const sidecar = join(built.plugins, "memory-bridge", "sidecar.cjs")
    const { code, last, lines } = await prove("faults", "--one-in", "120", "--sidecar", sidecar)
    assert.match(last, /^faults: held, \d+ faults, 0 defects$/, lines.join("\n"))
    assert.strictEqual(code, 0)
    for (const what of ["bridge", "guard", "recall's seen file"]) {
      assert.isTrue(lines.some((line) => line.startsWith(`${what}: `)))
    }
    // Where the kernel lets a process filter itself, which containers may forbid.
    const skipped = lines.some((line) => line.startsWith("seccomp: skipped"))
    assert.strictEqual(lines.filter((line) => line.startsWith("openat2 refused by seccomp")).length, skipped ? 0 : 2)
  })

  it("a sidecar that answers otherwise under the filter is seen", { timeout: 180_000 }, async (context) => {
    const real = JSON.stringify(join(built.plugins, "memory-bridge", "sidecar.cjs"))
    const file = join(built.plugins, "memory-bridge", "faltering.cjs")
    // The real one, which gives up where it finds a filter.
    writeFileSync(
      file,
      `const status = require("fs").readFileSync("/proc/self/status", "utf8")
      if (!/^Seccomp:\\t2$/m.test(status)) require(${real})
      else require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
        console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, result: { ok: false } }))
      })`
    )
    const { code, last, lines } = await prove("faults", "--one-in", "20000", "--sidecar", file)
    if (lines.some((line) => line.startsWith("seccomp: skipped"))) return context.skip("needs seccomp")
    assert.match(last, /^faults: BROKEN/)
    assert.strictEqual(code, 1)
  })
})
