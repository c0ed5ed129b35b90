/** `search` and `read` as people and scripts see them. (seed 000 "Tools") */
import { assert, describe, it } from "@effect/vitest"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { built, current, type Ended, type Program, run, runInTerminal } from "./given/Cli.ts"
import { exampleFolder, folder, put } from "./given/Folder.ts"
import { transcript } from "./given/Transcript.ts"

const policy = ["--policy", "policy.json"]

const everyday = [
  ["search", "garden", ...policy],
  ["search", "blue asters april", ...policy, "--limit", "1"],
  ["search", "zebra", ...policy],
  ["search", "garden", ...policy, "--json"],
  ["read", "projects/garden.md", ...policy],
  ["read", "projects/garden.md", ...policy, "--json"],
  ["read", "projects/private/budget.md", ...policy],
  ["read", "projects/private/budget.md", ...policy, "--json"],
  ["read", "people/contact.md", ...policy],
  ["read", "projects/none.md", ...policy],
  ["read", "../policy.json", ...policy],
  ["read", "../policy.json", ...policy, "--json"]
]

const mistakes = [
  [],
  ["serch", "garden"],
  ["search"],
  ["search", "garden"],
  ["search", "blue", "asters", ...policy],
  ["search", "garden", ...policy, "--limt", "2"],
  ["search", "garden", ...policy, "--limit", "many"],
  ["search", "garden", ...policy, "--limit", "11"],
  ["search", " ", ...policy],
  ["read", ...policy],
  ["try", "."]
]

describe("search and read", () => {
  it("look like this in everyday use", async () => {
    await expect(transcript(exampleFolder(), everyday)).toMatchFileSnapshot("golden/everyday.txt")
  })

  it("look like this when they are called wrongly", async () => {
    await expect(transcript(exampleFolder(), mistakes)).toMatchFileSnapshot("golden/mistakes.txt")
  })

  it("have help that names the exit codes", async () => {
    const help = ["search", "read", "try", "demo"].map((command) => [command, "--help"])
    const text = transcript(folder(), help)
    await expect(text).toMatchFileSnapshot("golden/help.txt")
    for (const code of [0, 1, 2, 3]) assert.match(text, new RegExp(`^  ${code}    \\S`, "m"))
  })

  it.skipIf(typeof built === "string")(
    `are the same when built, on Node 20${typeof built === "string" ? ` (skipped: ${built})` : ""}`,
    async () => {
      const program = built as Program
      await expect(transcript(exampleFolder(), everyday, program)).toMatchFileSnapshot("golden/everyday.txt")
      await expect(transcript(exampleFolder(), mistakes, program)).toMatchFileSnapshot("golden/mistakes.txt")
    }
  )
})

describe("--json", () => {
  it("prints what the seed's example shows, on one line, and nothing else", () => {
    const made = exampleFolder()
    const { code, stderr, stdout } = run(current, ["search", "garden", ...policy, "--json"], { cwd: made })
    assert.strictEqual(code, 0)
    assert.strictEqual(stderr, "")
    assert.strictEqual(stdout.indexOf("\n"), stdout.length - 1)
    assert.deepStrictEqual(JSON.parse(stdout), {
      ok: true,
      results: [
        {
          id: "decisions/watering.md",
          title: "Watering decision",
          snippet: "# Watering decision Synthetic memory: water the garden at dawn using collected rainwater."
        },
        {
          id: "projects/garden.md",
          title: "Lantern Garden",
          snippet: "# Lantern Garden Synthetic memory: plant blue asters beside the east gate. Opening day is April 12."
        },
        {
          id: "workflows/visit.md",
          title: "Garden visit",
          snippet: "# Garden visit Synthetic memory: bring a notebook and count the blue asters."
        }
      ],
      truncated: false
    })
  })

  it("is the same twice, and the same in a colour terminal", () => {
    const args = ["search", "garden", "--policy", join(exampleFolder(), "policy.json"), "--json"]
    const first = run(current, args).stdout
    assert.strictEqual(run(current, args, { env: { FORCE_COLOR: "1" } }).stdout, first)
    assert.strictEqual(runInTerminal(current, args, 200).stdout.replaceAll("\n", ""), first.trimEnd())
  })
})

const escape = "\u001b["

const search = (columns: number, env: Readonly<Record<string, string>> = {}): Ended =>
  runInTerminal(current, ["search", "aster", "--policy", join(exampleFolder(), "policy.json")], columns, env)

describe("a terminal", () => {
  it("gets the matched terms emphasised", () => {
    assert.include(search(120).stdout, `plant blue ${escape}33master${escape}39ms beside`)
  })

  it.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("gets no escape with %o", (env) => {
    const { code, stdout } = search(120, env)
    assert.strictEqual(code, 0)
    assert.notInclude(stdout, "\u001b")
    assert.include(stdout, "plant blue asters beside")
  })

  it("that is narrow gets lines that fit", () => {
    const lines = search(40, { NO_COLOR: "1" }).stdout.split("\n")
    assert.isAbove(lines.length, 8)
    for (const line of lines) assert.isAtMost(line.length, 40)
  })

  it("gets help in its colours, and none with NO_COLOR", () => {
    assert.include(runInTerminal(current, ["--help"], 120).stdout, escape)
    assert.notInclude(runInTerminal(current, ["--help"], 120, { NO_COLOR: "1" }).stdout, escape)
  })
})

describe("the policy path", () => {
  it("may be relative, with dots, or absolute", () => {
    const made = exampleFolder()
    put(made, "below/", "")
    for (const path of ["policy.json", "./policy.json", "below/../policy.json", join(made, "policy.json")]) {
      assert.strictEqual(run(current, ["search", "garden", "--policy", path], { cwd: made }).code, 0, path)
    }
  })

  it("may not lead through a link, even one that the operator named", () => {
    const made = exampleFolder()
    symlinkSync("policy.json", join(made, "link.json"))
    const { code, stderr } = run(current, ["search", "garden", "--policy", "link.json"], { cwd: made })
    assert.strictEqual(code, 2)
    assert.include(stderr, `component  ${made}/link.json`)
    assert.include(stderr, "rule       link")
  })
})

describe("what a note says", () => {
  it("reaches the terminal without control characters", () => {
    const made = folder({ "notes/a.md": "# A\u001b]0;title\u0007\n\ngarden \u001b[2J\u202eend\n" })
    put(made, "policy.json", JSON.stringify({ version: 1, root: join(made, "notes"), allow: ["**"] }))
    const found = run(current, ["search", "garden", ...policy], { cwd: made }).stdout
    assert.notMatch(found.replaceAll("\n", ""), /[\p{Cc}\u202e]/u)
    const read = run(current, ["read", "a.md", ...policy], { cwd: made }).stdout
    assert.notMatch(read.replaceAll("\n", ""), /\p{Cc}/u)
  })
})
