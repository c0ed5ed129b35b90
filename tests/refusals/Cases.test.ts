/** Public bug reports about search and reading that concern version 1: the symptom in the title, with its number. */
import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { ids, makeWorld, type World } from "../support/World.ts"

const withNotes = (notes: Readonly<Record<string, string | Uint8Array>>, test: (world: World) => void) => () => {
  const world = makeWorld()
  try {
    for (const [id, text] of Object.entries(notes)) world.write(join(world.root, id), text)
    test(world)
  } finally {
    world.dispose()
  }
}

const contentOf = (world: World, id: string): string => {
  const answer = world.read(id)
  return answer.ok && "content" in answer ? answer.content : ""
}

const snippetsOf = (world: World, query: string): ReadonlyArray<string> => {
  const answer = world.search(query)
  return answer.ok && "results" in answer ? answer.results.map(({ snippet }) => snippet) : []
}

describe("names", () => {
  it(
    "that differ by case or punctuation alone are separate documents, and read takes back what search gave (42, 44)",
    withNotes(
      { "A.md": "needle 1", "a.md": "needle 2", "a_b.md": "needle 3", "a-b.md": "needle 4", "a.b.md": "needle 5" },
      (world) => {
        const found = ids(world.search("needle"))
        assert.deepStrictEqual(found, ["A.md", "a-b.md", "a.b.md", "a.md", "a_b.md"])
        assert.deepStrictEqual(
          found.map((id) => contentOf(world, id)),
          ["needle 1", "needle 4", "needle 5", "needle 2", "needle 3"]
        )
      }
    )
  )

  it(
    "are searched as well as text (58)",
    withNotes({ "projects/lantern-garden.md": "nothing of it in here" }, (world) => {
      assert.deepStrictEqual(ids(world.search("lantern-garden.md")), ["projects/lantern-garden.md"])
    })
  )
})

describe("text", () => {
  it(
    "after a NUL byte is not half searched: the whole note is passed over (47)",
    withNotes({ "nul.md": "needle\0needle2", "ok.md": "needle2" }, (world) => {
      assert.deepStrictEqual(ids(world.search("needle2")), ["ok.md"])
    })
  )

  it(
    "behind a byte order mark has its title, and the mark is not returned (48)",
    withNotes({ "bom.md": "\ufeff# Title\n\nneedle" }, (world) => {
      const answer = world.search("needle")
      assert.isTrue(answer.ok && "results" in answer && answer.results[0]?.title === "Title")
      assert.strictEqual(contentOf(world, "bom.md"), "# Title\n\nneedle")
    })
  )

  it(
    "holds no raw control character when it is returned (50)",
    withNotes({ "esc.md": "# \u001b[31mneedle\u0007\n\u009b2J" }, (world) => {
      const raw = ["\u001b", "\u0007", "\u009b"]
      for (const text of [...snippetsOf(world, "needle"), contentOf(world, "esc.md")]) {
        assert.isFalse(
          raw.some((control) => text.includes(control)),
          JSON.stringify(text)
        )
      }
      assert.include(contentOf(world, "esc.md"), "needle")
    })
  )

  it(
    "is shown round the match, also at column 20,000 (53)",
    withNotes({ "long.md": "x ".repeat(10_000) + "needle" + " y".repeat(10_000) }, (world) => {
      const [snippet = ""] = snippetsOf(world, "needle")
      assert.include(snippet, "needle")
      assert.isAtMost(snippet.length, 300)
    })
  )

  it.each([
    "---\ntitle: [unclosed\n---\nneedle",
    "---\ntitle: null\n---\nneedle",
    "---\na: &a [*a, *a]\n---\nneedle",
    "---\r\ntitle: x\r\n---\r\nneedle",
    "needle\n---\nmore",
    "---js\nprocess.exit(1)\n---\nneedle",
    "---\nneedle: only front matter\n---\n"
  ])("with front matter %j is searched and read like any other (54)", (text) =>
    withNotes({ "front.md": text }, (world) => {
      assert.deepStrictEqual(ids(world.search("needle")), ["front.md"])
      assert.strictEqual(contentOf(world, "front.md"), text)
    })()
  )
})

describe("a query", () => {
  it.each(["foo-bar", "v2.8.3", '"open', "a AND", "C++", "(", "*", ":", "'", "NEAR(", "[x]", "\\d+", "100%_"])(
    "of %j is the text it is, and never an error (59)",
    (query) =>
      withNotes({ "hit.md": `here is ${query} as text`, "other.md": "something else" }, (world) => {
        assert.deepStrictEqual(ids(world.search(query)).slice(0, 1), ["hit.md"])
      })()
  )

  it.each(["会议", "東京", "회의", "茶", "budget"])("of %j is found in text without spaces (61)", (query) =>
    withNotes({ "cjk.md": `明日の会议は東京で、회의 に茶とbudgetを` }, (world) => {
      assert.deepStrictEqual(ids(world.search(query)), ["cjk.md"])
    })()
  )

  it(
    "of a dotted version does not match its digits alone (62)",
    withNotes({ "exact.md": "release 2.8.3 is out", "digits.md": "2 and 8 and 3" }, (world) => {
      assert.deepStrictEqual(ids(world.search("2.8.3")), ["exact.md"])
    })
  )

  it(
    "that hits a limit says so, and one that does not does not (64)",
    withNotes(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}.md`, "needle"])), (world) => {
      const answer = world.search("needle", 10)
      assert.isTrue(answer.ok && "results" in answer && answer.results.length === 10 && answer.truncated)
      world.policy({ deny: ["n1*.md"] })
      const fewer = world.search("needle", 10)
      assert.isTrue(fewer.ok && "results" in fewer && fewer.results.length === 9 && !fewer.truncated)
    })
  )
})
