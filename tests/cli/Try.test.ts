/** `try` searches a folder of the operator's own, under the same trust rule as any root. (seed 000 "Filesystem safety") */
import { assert, describe, it } from "@effect/vitest"
import { chmodSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { current, run } from "./given/Cli.ts"
import { folder } from "./given/Folder.ts"

const attempt = (directory: string, query: string, ...more: ReadonlyArray<string>) =>
  run(current, ["try", directory, query, ...more], { cwd: "/" })

const notes = () =>
  folder({
    "notes/top.md": "# Top\n\nasters at the top",
    "notes/a/b/deep.md": "asters deep down",
    "notes/list.txt": "asters in no Markdown",
    "notes/.hidden.md": "asters hidden"
  })

describe("try", () => {
  it("finds every served note of the folder, at any depth, and writes nothing", () => {
    const made = notes()
    const { code, stderr, stdout } = attempt(join(made, "notes"), "asters", "--json")
    assert.strictEqual(code, 0)
    assert.strictEqual(stderr, "")
    const { results } = JSON.parse(stdout) as { results: ReadonlyArray<{ id: string }> }
    assert.deepStrictEqual(
      results.map(({ id }) => id),
      ["a/b/deep.md", "top.md"]
    )
    assert.deepStrictEqual(readdirSync(made), ["notes"])
  })

  it("takes a relative folder and a limit", () => {
    const made = notes()
    const { code, stdout } = run(current, ["try", "notes", "asters", "--limit", "1"], { cwd: made })
    assert.strictEqual(code, 0)
    assert.include(stdout, "1. a/b/deep.md\n")
    assert.include(stdout, "1 result. A limit left something out")
  })

  it("resolves a link once and says where it leads", () => {
    const made = notes()
    symlinkSync("notes", join(made, "link"))
    const { code, stderr, stdout } = attempt(join(made, "link"), "asters")
    assert.strictEqual(code, 0)
    assert.strictEqual(stderr, `memory-bridge: ${made}/link leads to ${made}/notes; that folder is searched.\n`)
    assert.include(stdout, "2 results.")
  })

  it("says which names version 1 serves when nothing is found", () => {
    const made = folder({ "notes/my note.md": "asters", "notes/größe.md": "asters" })
    const { code, stdout } = attempt(join(made, "notes"), "asters")
    assert.strictEqual(code, 0)
    assert.match(stdout, /^No note matches\.\nVersion 1 serves only \.md files .*\n$/)
    assert.notInclude(attempt(join(made, "notes"), "asters", "--json").stdout, "Version")
  })

  it("refuses a folder below a group-writable one, and names that one", () => {
    const made = notes()
    chmodSync(made, 0o770)
    const { code, stderr } = attempt(join(made, "notes"), "asters")
    assert.strictEqual(code, 2)
    assert.include(stderr, `component  ${made}\n`)
    assert.include(stderr, `cure       chmod go-w '${made}'\n`)
  })

  it("says where a link leads even if that is refused", () => {
    const made = notes()
    symlinkSync("notes", join(made, "link"))
    chmodSync(join(made, "notes"), 0o777)
    const { code, stderr } = attempt(join(made, "link"), "asters")
    assert.strictEqual(code, 2)
    assert.include(stderr, "leads to")
    assert.include(stderr, `component  ${made}/notes\n`)
  })

  it.each([
    ["that is not there", "none", "missing"],
    ["that is a file", "notes/top.md", "not_directory"]
  ])("refuses a folder %s", (_, path, rule) => {
    const made = notes()
    const { code, stderr } = attempt(join(made, path), "asters")
    assert.strictEqual(code, 2)
    assert.include(stderr, `component  ${made}/${path}\n`)
    assert.match(stderr, new RegExp(`rule +${rule}:`))
  })

  it("refuses the system's temporary directory without offering to change it", () => {
    const { code, stderr } = attempt("/tmp", "asters")
    assert.strictEqual(code, 2)
    assert.include(stderr, "leave /tmp as it is")
    assert.notInclude(stderr, "chmod")
  })
})
