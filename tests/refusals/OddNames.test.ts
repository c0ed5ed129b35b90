/**
 * Names that people give their notes, on a real file system: what search returns, read accepts byte for byte, and what is
 * not served is served by no spelling. (cases/notes.md 42, 44, 45; issue 8 "Tests that must exist")
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { readdirSync, writeFileSync } from "node:fs"
import { refused, served, token, writeOddNames } from "../support/OddNames.ts"
import { ids, makeWorld, type World } from "../support/World.ts"

describe("names: unicode", () => {
  let world: World
  beforeAll(() => {
    world = makeWorld()
    writeOddNames(world)
    // Not UTF-8: no string is this name.
    writeFileSync(Buffer.concat([Buffer.from(`${world.root}/bad`), Buffer.of(0xff), Buffer.from(".md")]), "qzbadzq")
  })
  afterAll(() => world.dispose())

  it("the list holds more than sixty names, no two of them the same on the disk", () => {
    assert.isAbove(served.length, 60)
    assert.strictEqual(new Set(served).size, served.length)
    const files = readdirSync(world.root, { recursive: true }) as Array<string>
    for (const id of served) assert.include(files, id)
  })

  it.each(served.map((id, index) => [id, index] as const))("%j is found and read back, byte for byte", (id, index) => {
    const found = ids(world.search(token(index), 10))
    assert.deepStrictEqual(found, [id])
    const given = JSON.parse(JSON.stringify(found[0])) as string
    assert.deepStrictEqual(world.read(given) as unknown, {
      ok: true,
      id,
      content: `${token(index)} in\n`,
      truncated: false
    })
  })

  it.each(refused.map((id, index) => [id, served.length + index] as const))("%j is never served", (id, index) => {
    assert.deepStrictEqual(ids(world.search(token(index), 10)), [])
    const answer = world.read(id)
    assert.isFalse(answer.ok)
    // An id with control characters is none; any other is merely not there.
    if (!answer.ok && !/[\p{Cc}\u2028\u2029\\]/u.test(id)) assert.strictEqual(answer.error.code, "not_found_or_denied")
  })

  it("a name that is not UTF-8 is not served, nor is another file in its place", () => {
    assert.deepStrictEqual(ids(world.search("qzbadzq", 10)), [])
    for (const id of ["bad\ufffd.md", "bad.md", "bad\u00ff.md"]) assert.isFalse(world.read(id).ok)
  })

  it("a read is exact: the other Unicode form or case of a name is another name", () => {
    for (const id of [
      "Plain.md",
      "na\u00efve re\u0301sume\u0301.md",
      "STRASSE.md",
      "a\u00a0b.md",
      "\u{1f389}\ufe0f.md"
    ]) {
      const answer = world.read(id)
      assert.isTrue(!answer.ok && answer.error.code === "not_found_or_denied", id)
    }
  })

  it("with portable names, in both versions, only the seed's characters are served", () => {
    for (const changes of [{ version: 1 }, { version: 2 }, { version: 2, names: "portable" }]) {
      world.policy({ ...changes, deny: [] })
      for (const [index, id] of served.entries()) {
        const portable = id.split("/").every((name) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name))
        assert.deepStrictEqual(ids(world.search(token(index), 10)), portable ? [id] : [], id)
        assert.strictEqual(world.read(id).ok, portable, id)
      }
    }
    world.policy({ version: 2, names: "unicode", deny: [] })
  })
})
