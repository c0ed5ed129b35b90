/**
 * Public bug reports about search and reading in version 2, ranked by relevance: the symptom in the title, with its number
 * in cases/notes.md. What version 1 says to the same is in the same line, because there it stays as the seed has it;
 * `Cases.test.ts` has what concerns version 1 alone.
 */
import { assert, describe, it } from "@effect/vitest"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { costsLess } from "../../packages/core/test/given/Cost.ts"
import { ids, makeWorld, signalsFor, type World } from "../support/World.ts"

type Notes = Readonly<Record<string, string | Uint8Array>>

const ranked = { version: 2, names: "unicode", deny: [] }

const withNotes = (notes: Notes, test: (world: World) => void, policy: object = ranked): void => {
  const world = makeWorld()
  try {
    for (const [id, text] of Object.entries(notes)) world.write(join(world.root, id), text)
    world.policy({ ...policy })
    test(world)
  } finally {
    world.dispose()
  }
}

const found = (query: string, notes: Notes, policy: object = ranked): ReadonlyArray<string> => {
  let answer: ReadonlyArray<string> = []
  withNotes(notes, (world) => void (answer = ids(world.search(query, 10))), policy)
  return answer
}

const resultsOf = (world: World, query: string) => {
  const answer = world.search(query, 10)
  return answer.ok && "results" in answer ? answer.results : assert.fail(JSON.stringify(answer))
}

const contentOf = (world: World, id: string): string | undefined => {
  const answer = world.read(id)
  return answer.ok && "content" in answer ? answer.content : undefined
}

describe("what version 2 finds, and version 1 as the seed has it", () => {
  const tagged = {
    "a.md": "---\ntags: [redis]\n---\nx",
    "b.md": "---\ntags:\n  - redis\n---\nx",
    "c.md": "x #redis y",
    "d.md": "x"
  }
  const versions = { "a.md": "2 and 8 and 3", "b.md": "12.8.30 is out", "c.md": "release v2.8.3 is out" }

  it.each<readonly [string, string, Notes, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["the keys of front matter are no text (55)", "tags", { "a.md": "---\ntags: [x]\n---\ny" }, [], ["a.md"]],
    ["the values of front matter are (55)", "imre", { "a.md": "---\nowner: Imre\n---\ny" }, ["a.md"], ["a.md"]],
    [
      "a tag, however it is written, by its word (56)",
      "redis",
      tagged,
      ["c.md", "a.md", "b.md"],
      ["a.md", "b.md", "c.md"]
    ],
    ["a tag, however it is written, by its sign (56)", "#redis", tagged, ["c.md", "a.md", "b.md"], ["c.md"]],
    [
      "the note of that name comes first (58)",
      "lantern-garden",
      { "a.md": "lantern-garden and lantern-garden", "z/lantern-garden.md": "x" },
      ["z/lantern-garden.md", "a.md"],
      ["a.md", "z/lantern-garden.md"]
    ],
    [
      "the note of that full name comes first (58)",
      "z.md",
      { "a.md": "z.md z.md", "z.md": "x" },
      ["z.md", "a.md"],
      ["a.md", "z.md"]
    ],
    [
      "a dotted version as a whole before parts of another (62)",
      "2.8.3",
      versions,
      ["c.md", "a.md", "b.md"],
      ["b.md", "c.md"]
    ],
    ["a query of two words without spaces (61)", "東京の会議", { "a.md": "東京で会議", "b.md": "x" }, ["a.md"], []]
  ])("%s", (_, query, notes, second, first) => {
    assert.deepStrictEqual(found(query, notes), second, "version 2")
    assert.deepStrictEqual(found(query, notes, { version: 1 }), first, "version 1")
    assert.deepStrictEqual(found(query, notes, { version: 2, ranking: "path" }), first, "version 2 by path")
  })
})

describe("a query", () => {
  const odd = [
    "foo-bar",
    "v2.8.3",
    '"open',
    "a AND",
    "C++",
    "(",
    "*",
    ":",
    "'",
    "NEAR(",
    "[x]",
    "\\d+",
    "100%_",
    "a OR b*"
  ]

  it.each([...odd, "会议", "東京", "회의", "茶", "budget", "🎉", "C#", ".NET", "--flag", "~", "title:x"])(
    "of %j is the text it is, found, and never an error (59, 61)",
    (query) => {
      // Signs are not words, and what they leave of the query may be in another note too.
      withNotes({ "a.md": "qqq", "hit.md": `明日 ${query} 、` }, (world) => {
        assert.strictEqual(resultsOf(world, query)[0]?.id, "hit.md")
      })
      withNotes({ "a.md": "qqq" }, (world) => assert.isTrue(world.search(query).ok))
    }
  )

  it.each(["会议", "東京", "회의", "茶", "redis"])("of %j is found within text that has no spaces (61)", (query) => {
    assert.deepStrictEqual(found(query, { "cjk.md": "明日の会议は東京で회의는と煎茶をRedisを" }), ["cjk.md"])
  })

  it("that would ruin a regular expression costs no more than another (5)", () => {
    withNotes({ "long.md": "a".repeat(100_000) }, (world) => {
      costsLess(5_000, () => assert.isTrue(world.search("(a+)+$").ok))
    })
  })

  it("that hits a limit says which, and one that does not says none (64)", () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}.md`, "needle"]))
    withNotes(many, (world) => {
      assert.deepInclude(world.search("needle", 10), { ok: true, truncated: true, truncated_by: ["results"] })
      world.policy({ ...ranked, limits: { max_entries: 5 } })
      assert.deepInclude(world.search("needle", 10), { ok: true, truncated: true, truncated_by: ["scan"] })
      world.policy({ ...ranked, deny: ["n1*.md"] })
      const all = world.search("needle", 10)
      assert.deepInclude(all, { ok: true, truncated: false })
      assert.notProperty(all, "truncated_by")
    })
  })

  it("is answered with no more than ten results and 4,000 characters, unless the operator says otherwise (52)", () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`n${i}.md`, `# ${"needle ".repeat(500)}`]))
    withNotes(many, (world) => {
      const results = resultsOf(world, "needle")
      assert.isAtMost(results.length, 10)
      const sizes = results.map(({ id, snippet, title = "" }) => id.length + title.length + snippet.length)
      assert.isAtMost(
        sizes.reduce((sum, size) => sum + size, 0),
        4_000
      )
    })
  })
})

describe("front matter", () => {
  it.each([
    "---\ntitle: [unclosed\n---\nneedle",
    "---\ntitle: null\n---\nneedle",
    "---\ntitle:\n---\nneedle",
    "---\na: &a [*a, *a]\n---\nneedle",
    "---\r\ntitle: x\r\n---\r\nneedle",
    "needle\n---\nmore",
    "---\ntitle: x\n---\nneedle\n\n---\n\nmore\n",
    "---js\nprocess.exit(1)\n---\nneedle",
    "---\nneedle: [\n",
    "---\nkey: needle\n---\n",
    "---\ntitle: needle\n---",
    "---\nx: !!js/function 'function(){ process.exit(1) }'\n---\nneedle",
    "---\n? [a, b]\n: needle\n---\n",
    "---\ntitle: [needle]\n---\n",
    "---\ntags: {a: needle}\n---\n",
    "---\naliases: [[needle]]\n---\n",
    "---\n__proto__: {title: evil}\n---\nneedle"
  ])("of %j hides nothing, runs nothing, and the note is read as it stands (54)", (text) => {
    withNotes({ "front.md": text }, (world) => {
      assert.deepStrictEqual(ids(world.search("needle")), ["front.md"])
      assert.strictEqual(contentOf(world, "front.md"), text)
    })
  })

  it("of aliases of aliases costs little, and hides nothing (54)", () => {
    const keys = "abcdefghijklmnop".split("")
    const bomb = keys.map((key, i) => `${key}: &${key} [${`*${keys[i - 1]},`.repeat(9)}]`).slice(1)
    withNotes({ "bomb.md": `---\na: &a [x, x, x]\n${bomb.join("\n")}\n---\nneedle` }, (world) => {
      costsLess(5_000, () => assert.deepStrictEqual(ids(world.search("needle")), ["bomb.md"]))
    })
  })

  it("is not what a snippet shows where the text says it too (55)", () => {
    withNotes({ "a.md": "---\ntags: [redis]\nowner: Imre\n---\n# Cache\n\nWe keep redis warm.\n" }, (world) => {
      const [{ line, snippet = "", title } = {}] = resultsOf(world, "redis")
      assert.strictEqual(title, "Cache")
      assert.include(snippet, "We keep redis warm.")
      assert.notInclude(snippet, "Imre")
      assert.strictEqual(line, 7)
    })
  })

  it("behind a byte order mark is front matter all the same (48)", () => {
    withNotes({ "bom.md": "\ufeff---\ntitle: Named\ntags: [redis]\n---\nbody" }, (world) => {
      const shown = resultsOf(world, "#redis").map(({ id, title }) => [String(id), title])
      assert.deepStrictEqual(shown, [["bom.md", "Named"]])
      assert.isFalse(contentOf(world, "bom.md")?.startsWith("\ufeff"))
    })
  })
})

describe("text", () => {
  const encoded: Notes = {
    "nul.md": "needle\0needle2",
    "latin.md": Uint8Array.from([...Buffer.from("needle2 caf"), 0xe9]),
    "utf16.md": Buffer.from("\ufeffneedle2", "utf16le"),
    "ok.md": "needle2"
  }

  it("that is no text is passed over whole (47, 48)", () => {
    withNotes(encoded, (world) => {
      assert.deepStrictEqual(ids(world.search("needle2")), ["ok.md"])
      for (const id of ["nul.md", "latin.md", "utf16.md"]) assert.isUndefined(contentOf(world, id), id)
    })
  })

  it("holds no raw control character where it is shown: title, snippet, content (50)", () => {
    const text = '---\ntitle: "\\e[31mneedle\\a"\n---\n# \u001b[31mneedle\u0007\n\u009b2J needle \u202e\n'
    withNotes({ "esc.md": text, "b.md": "# \u001bneedle\n" }, (world) => {
      const shown = resultsOf(world, "needle").flatMap(({ snippet, title = "" }) => [snippet, title])
      assert.lengthOf(shown, 4)
      for (const one of [...shown, contentOf(world, "esc.md")!]) {
        assert.notMatch(one.replaceAll("\n", " "), /\p{Cc}/u, JSON.stringify(one))
      }
    })
  })

  it.each(["x ", "会"])("is shown round the match, also at column 20,000 of one line of %j (53)", (unit) => {
    withNotes({ "long.md": unit.repeat(20_000) + " needle " + unit.repeat(20_000) }, (world) => {
      const [{ snippet = "" } = {}] = resultsOf(world, "needle")
      assert.include(snippet, "needle")
      assert.isAtMost([...snippet].length, 300)
    })
  })
})

describe("names", () => {
  it("that nearly are one another are separate notes, and read is exact (42, 44, 69)", () => {
    const names = ["a b.md", "a_b.md", "a%b.md", "A.md", "a.md", "🎉.md", "x[1].md", "x1.md", "Node A.md", "Node C.md"]
    withNotes(Object.fromEntries(names.map((name) => [name, `needle of ${name}`])), (world) => {
      const given = ids(world.search("needle", 10))
      assert.deepStrictEqual(given.toSorted(), names.toSorted())
      for (const id of given) assert.strictEqual(contentOf(world, id), `needle of ${id}`)
      for (const id of ["Node B.md", "node a.md", "a*b.md", "Node A", "b.md", "🎉"]) {
        assert.isUndefined(contentOf(world, id), id)
      }
    })
  })

  it("that are hidden or of tools are served in no version (39, 40)", () => {
    const hidden = { ".git/a.md": "needle", "n/.obsidian/b.md": "needle", ".c.md": "needle" }
    withNotes({ ...hidden, "ok.md": "needle" }, (world) => {
      assert.deepStrictEqual(ids(world.search("needle")), ["ok.md"])
      for (const id of Object.keys(hidden)) assert.isUndefined(contentOf(world, id), id)
    })
  })
})

describe("every escape, in every argument (1 to 4, 14, 19)", () => {
  const secret = "TOK-77310"
  const escapes = (base: string, root: string) => [
    "../out/secret.md",
    "../memory-evil/secret.md",
    "a/../../out/secret.md",
    "./ok.md",
    "a/./ok.md",
    "a//ok.md",
    "/etc/passwd",
    join(root, "ok.md"),
    join(base, "out/secret.md"),
    "..",
    "",
    "l.md",
    "folder/secret.md",
    "．．/out/secret.md",
    "%2e%2e/out/secret.md",
    "..\\out\\secret.md",
    "ok.md\0",
    "\u2025/out/secret.md"
  ]

  it.each<readonly [string, (root: string) => object, string]>([
    ["one root", (root) => ({ root }), ""],
    [
      "roots by name",
      (root) => ({ root: undefined, allow: undefined, deny: undefined, roots: { team: root } }),
      "team:"
    ]
  ])("leads nowhere with %s, and no answer holds a path of this machine", (_, rooted, prefix) => {
    withNotes({ "ok.md": "fine", "a/ok.md": "fine" }, (world) => {
      world.write(join(world.base, "out", "secret.md"), secret)
      world.write(join(world.base, "memory-evil", "secret.md"), secret)
      symlinkSync("../out/secret.md", join(world.root, "l.md"))
      symlinkSync("../out", join(world.root, "folder"))
      const keys = rooted(world.root)
      const roots = "roots" in keys ? { roots: { team: { root: world.root, allow: ["**"], names: "unicode" } } } : {}
      world.policy({ version: 2, ...("roots" in keys ? {} : { names: "unicode", deny: [] }), ...keys, ...roots })
      assert.strictEqual(contentOf(world, `${prefix}ok.md`), "fine")
      const signals = signalsFor(world.home)
      for (const each of escapes(world.base, world.root)) {
        for (const id of new Set([each, prefix + each, `${each}:ok.md`])) {
          const answers = [
            world.call("read", signals, { id }),
            world.call("read", signals, { id, from_line: 1 }),
            world.call("read", signals, { id: `${prefix}ok.md`, from_line: each }),
            world.call("search", signals, { query: "fine", limit: each }),
            world.call("search", signals, { query: "fine", path: each })
          ]
          for (const answer of answers) assert.isFalse(answer.ok, id)
          answers.push(world.call("search", signals, { query: each === "" ? secret : each }))
          const text = JSON.stringify(answers)
          assert.notInclude(text, secret)
          assert.notInclude(text, world.base)
        }
      }
    })
  })
})
