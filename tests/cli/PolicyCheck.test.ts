/** `policy check`: would this file be used, and what would it serve? (issue 7 item 1) */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { current, run } from "./given/Cli.ts"
import { exampleFolder, masked, put } from "./given/Folder.ts"

const check = (top: string, ...more: ReadonlyArray<string>) =>
  run(current, ["policy", "check", "policy.json", ...more], { cwd: top })

describe("policy check", () => {
  it("says what a valid policy serves and what it does not", async () => {
    const top = exampleFolder()
    put(top, "notes/.hidden.md", "x")
    put(top, "notes/picture.png", "x")
    const { code, stdout } = check(top)
    assert.strictEqual(code, 0)
    await expect(masked(stdout, top)).toMatchFileSnapshot("golden/policy-check.txt")
    const report = JSON.parse(check(top, "--json").stdout) as { ok: boolean; survey: { served: ReadonlyArray<string> } }
    assert.isTrue(report.ok)
    assert.include([...report.survey.served], "projects/garden.md")
  })

  it("names every defect with its key and rule", () => {
    const top = exampleFolder({ version: 3, allow: ["a?"], limits: { max_depth: 99 }, allow_cron: "yes" })
    const { code, stderr } = check(top)
    assert.strictEqual(code, 2)
    for (const key of ["version", "allow[0]", "limits.max_depth", "allow_cron"]) assert.include(stderr, `  ${key}: `)
    const { defects } = JSON.parse(check(top, "--json").stdout) as { defects: ReadonlyArray<{ cure: string }> }
    assert.strictEqual(defects.length, 4)
    assert.isTrue(defects.every(({ cure }) => cure.startsWith("correct ")))
  })

  it.each([
    ["a file that others may write", (top: string) => fs.chmodSync(join(top, "policy.json"), 0o666), "world_writable"],
    ["a folder that others may write", (top: string) => fs.chmodSync(top, 0o777), "world_writable"],
    ["no file", (top: string) => fs.unlinkSync(join(top, "policy.json")), "missing"],
    ["a root that others may write", (top: string) => fs.chmodSync(join(top, "notes"), 0o770), "group_writable"]
  ])("refuses %s, with the cure", (_, change, rule) => {
    const top = exampleFolder()
    change(top)
    const { code, stderr } = check(top)
    assert.strictEqual(code, 2)
    assert.include(stderr, rule)
    assert.match(stderr, /cure {2,}\S/)
  })
})
