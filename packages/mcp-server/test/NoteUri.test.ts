/** The address of a note, there and back. */
import { assert, describe, it } from "@effect/vitest"
import { idIn, uriOf } from "@memory-bridge/mcp-server/NoteUri"

describe("an address", () => {
  it.each(["a.md", "projects/garden.md", "a b.md", "\u00e9/\u{1f33f}.md", "50%.md", "a%2fb.md", "q?x#y.md"])(
    "leads back to %j",
    (id) => {
      assert.strictEqual(idIn(uriOf(id)), id)
    }
  )

  it("has the id as the template expands it", () => {
    assert.strictEqual(uriOf("projects/a b.md"), "memory-bridge://note/projects%2Fa%20b.md")
  })

  it("may have plain slashes, and is decoded once", () => {
    assert.strictEqual(idIn("memory-bridge://note/projects/garden.md"), "projects/garden.md")
    assert.strictEqual(idIn("memory-bridge://note/%252e%252e%252fa.md"), "%2e%2e%2fa.md")
  })

  it.each([
    "",
    "file:///etc/passwd",
    "memory-bridge://other/a.md",
    "MEMORY-BRIDGE://note/a.md",
    "memory-bridge:/note/a"
  ])("is none: %j", (uri) => {
    assert.isUndefined(idIn(uri))
  })

  it.each(["%", "%zz", "%c0%af", "%ff.md"])("is none with the bad escape %j", (rest) => {
    assert.isUndefined(idIn(`memory-bridge://note/${rest}`))
  })
})
