/** `guardian check` and the guardian's help, as people and scripts see them. (design.md section 1) */
import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { current } from "./given/Cli.ts"
import { folder, put } from "./given/Folder.ts"
import { transcript } from "./given/Transcript.ts"

/** A user's folder with keys, a note and policies. */
const workshop = (): string => {
  const made = folder({
    "keys/id": "synthetic\n",
    "notes.md": "synthetic\n",
    ".hermes/": "",
    "dead.json": '{"default_action": "block", "rules": []}'
  })
  const policy = {
    default_action: "block",
    rules: [
      { tool: "read_file", action: "allow" },
      { tool: "write_file", action: "allow" },
      { tool: "terminal", action: "approve", why: "a shell is a shell" }
    ],
    protected_paths: [{ path: "~/keys", action: "block", why: "keys are not for agents" }]
  }
  put(made, "guard.json", JSON.stringify(policy))
  return made
}

const call = (tool: string, args: object): string => JSON.stringify({ tool, args })
const check = (given: string, ...more: ReadonlyArray<string>) => [
  "guardian",
  "check",
  given,
  "--policy",
  "guard.json",
  ...more
]

describe("a check of a call", () => {
  it("looks like this, and records nothing", async () => {
    const made = workshop()
    const copy = call("terminal", { command: `cp ${made}/keys/id ${made}/notes.md` })
    const commands = [
      check(call("read_file", { path: join(made, "notes.md") })),
      check(copy),
      check(copy, "--json"),
      check(call("terminal", { command: "cat notes.md | sh" })),
      check(call("write_file", { path: join(made, ".hermes", "config.yaml"), content: "" })),
      check(call("write_file", { path: join(made, ".hermes", "config.yaml"), content: "" }), "--home", "elsewhere"),
      check(call("execute_code", { code: "1" })),
      check("read_file"),
      check('{"tool": "read_file", "args": {}, "home": "/"}'),
      ["guardian", "check", call("read_file", {}), "--policy", "none.json"],
      ["guardian", "check", call("read_file", {}), "--policy", "dead.json"]
    ]
    const text = transcript(made, commands, current, { HOME: made })
    await expect(text).toMatchFileSnapshot("golden/guardian-check.txt")
    assert.isFalse(existsSync(join(made, ".hermes", "plugin-data")))
  })
})

describe("the guardian's help", () => {
  it("looks like this", async () => {
    const commands = ["", "audit ", "audit verify ", "check ", "demo "].map((words) =>
      `guardian ${words}--help`.split(" ")
    )
    await expect(transcript(folder(), commands, current)).toMatchFileSnapshot("golden/guardian-help.txt")
  })
})
