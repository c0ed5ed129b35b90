/**
 * Names that people give their notes, on a real file system: what search returns, read accepts byte for byte, and what is
 * not served is served by no spelling. (cases/notes.md 42, 44, 45; issue 8 "Tests that must exist")
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { ids, makeWorld, type World } from "../support/World.ts"

const served: ReadonlyArray<string> = [
  "plain.md",
  "a b.md",
  "a  b.md",
  "a_b.md",
  "a-b.md",
  "a%b.md",
  "a%20b.md",
  "a+b.md",
  "A.md",
  "a.md",
  " leading.md",
  "trailing .md",
  "two..dots.md",
  "v2.8.3.md",
  "-option.md",
  "--help.md",
  "~tilde.md",
  "#tag.md",
  "a&b.md",
  "a=b.md",
  "a;b.md",
  "a,b.md",
  "x[1].md",
  "(draft).md",
  "{braces}.md",
  "what?.md",
  "all *.md",
  "wow!.md",
  "it's.md",
  'say "hi".md',
  "a|b.md",
  "a<b>c.md",
  "$HOME.md",
  "`tick`.md",
  "^caret.md",
  "@home.md",
  "100% done.md",
  "caf\u00e9.md",
  "cafe\u0301.md",
  "na\u00efve r\u00e9sum\u00e9.md",
  "Stra\u00dfe.md",
  "\u017fpaet.md",
  "\u0130stanbul.md",
  "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2.md",
  "\u041c\u043e\u0441\u043a\u0432\u0430.md",
  "\u05e9\u05dc\u05d5\u05dd.md",
  "\u0645\u0631\u062d\u0628\u0627.md",
  "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35.md",
  "\u0928\u092e\u0938\u094d\u0924\u0947.md",
  "\u4f1a\u8bae.md",
  "\u6771\u4eac\u3000\u4f1a\u8b70.md",
  "\u8336.md",
  "\ud68c\uc758.md",
  "\u1112\u116c\u110b\u1174.md",
  "\u304c\u304e.md",
  "\u304b\u3099\u304d\u3099.md",
  "\u{20bb7}\u91ce\u5bb6.md",
  "\u{1f389}.md",
  "\u2764\ufe0f.md",
  "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} family.md",
  "\u{1f469}\u{1f3fd}\u200d\u{1f4bb}.md",
  "\u{1f1e9}\u{1f1ea}.md",
  "no\u00a0break.md",
  "\u202fnarrow.md".slice(1) + "\u00e5.md",
  "\u00c5ngstr\u00f6m.md",
  "\u212bngstro\u0308m.md",
  "\uff41\uff42\uff43.md",
  "\ufb01ne.md",
  "\u2160.md",
  "\u20ac \u2192 \u00a3.md",
  "\u2018quoted\u2019.md",
  "en\u2013dash.md",
  "\u00df".repeat(126) + ".md",
  "\u8336".repeat(84) + ".md",
  "Meeting notes/2026-01 \u2013 Jour fixe.md",
  "\u4f1a\u8bae/\u4e00\u6708 \u{1f5d3}\ufe0f/caf\u00e9 & cake.md",
  "cafe\u0301/twin.md",
  "caf\u00e9/twin.md"
]

const refused: ReadonlyArray<string> = [
  ".hidden.md",
  ".obsidian/n.md",
  "dir./n.md",
  "dir /n.md",
  "dir\u00a0/n.md",
  "a:b.md",
  "a\\b.md",
  "bell\u0007.md",
  "line\nbreak.md",
  "tab\t.md",
  "del\u007f.md",
  "nel\u0085.md",
  "zero\u200bwidth.md",
  "join\u200der.md",
  "non\u200cjoiner.md",
  "soft\u00adhyphen.md",
  "bom\ufeff.md",
  "rtl\u202edm.md",
  "isolate\u2066x\u2069.md",
  "mark\u200e.md",
  "line\u2028.md",
  "para\u2029.md",
  "word\u2060joiner.md",
  "filler\u3164.md",
  "grapheme\u034fjoiner.md",
  "variation\ufe00.md",
  "secret\ufe0f.md",
  "tag\u{e0041}.md",
  "private\ue000.md",
  "private\u{f0000}.md",
  "unassigned\u0378.md",
  "noncharacter\uffff.md",
  "\u{1f469}\u200d\u200d\u{1f4bb}.md"
]

const token = (index: number): string => `qz${String(index).padStart(3, "0")}zq`

describe("names: unicode", () => {
  let world: World
  beforeAll(() => {
    world = makeWorld()
    for (const [index, id] of [...served, ...refused].entries()) {
      const path = join(world.root, id)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(path, `${token(index)} in\n`, { mode: 0o600 })
    }
    // Not UTF-8: no string is this name.
    writeFileSync(Buffer.concat([Buffer.from(`${world.root}/bad`), Buffer.of(0xff), Buffer.from(".md")]), "qzbadzq")
    world.policy({ version: 2, names: "unicode", deny: [] })
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
