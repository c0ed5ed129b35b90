/** Seed 000 "Which files": an allow pattern must match, a deny pattern must not, deny always wins. */
import { assert, describe, it } from "@effect/vitest"
import * as AccessRules from "@memory-bridge/core/policy/AccessRules"

const rules = (allow: ReadonlyArray<string>, deny: ReadonlyArray<string> = []) => AccessRules.make(allow, deny)
const example = rules(["projects/**", "decisions/**"], ["**/private/**"])

describe("nothing is served that no allow pattern names", () => {
  it("without allow patterns nothing at all", () => {
    assert.deepStrictEqual(rules([]).decide("a.md"), { verdict: "no_allow" })
    assert.isFalse(rules([]).permits("a.md"))
    assert.isFalse(rules([]).mayEnter("a"))
  })

  it("a path beside the allowed ones is not served", () => {
    assert.deepStrictEqual(example.decide("people/contact.md"), { verdict: "no_allow" })
    assert.deepStrictEqual(example.decide("projectsx/a.md"), { verdict: "no_allow" })
    assert.deepStrictEqual(example.decide("x/projects/a.md"), { verdict: "no_allow" })
  })

  it("a deny that does not match permits nothing", () => {
    assert.strictEqual(rules(["a/**"], ["b/**"]).decide("c.md").verdict, "no_allow")
  })
})

describe("deny always wins", () => {
  it("over the same pattern, over a longer one and over one that names the file", () => {
    const path = "projects/private/budget.md"
    assert.strictEqual(rules([path], [path]).decide(path).verdict, "denied")
    assert.strictEqual(rules([path, "**", "projects/**"], ["**/private/**"]).decide(path).verdict, "denied")
    assert.strictEqual(rules([path], ["**"]).decide(path).verdict, "denied")
  })

  it("wherever the deny stands in its list", () => {
    for (const deny of [
      ["a.md", "x", "y"],
      ["x", "a.md", "y"],
      ["x", "y", "a.md"]
    ]) {
      assert.isFalse(rules(["**"], deny).permits("a.md"))
    }
  })

  it("whether or not an allow matches, a denied path is called denied", () => {
    assert.deepStrictEqual(rules([], ["a/**"]).decide("a/b.md"), { verdict: "denied", pattern: "a/**" })
  })
})

describe("a decision names the pattern that made it, as the operator wrote it", () => {
  it("the first of several in the file", () => {
    const given = rules(["Projects/**", "projects/A.md"], ["**/Private/**", "**/private/x.md"])
    assert.deepStrictEqual(given.decide("projects/a.md"), { verdict: "allowed", pattern: "Projects/**" })
    assert.deepStrictEqual(given.decide("projects/private/x.md"), { verdict: "denied", pattern: "**/Private/**" })
  })
})

describe("case and Unicode form do not slip past a deny (case 35)", () => {
  it("in the path and in the pattern", () => {
    for (const deny of ["**/private/**", "**/PRIVATE/**", "**/Private/**"]) {
      for (const name of ["private", "PRIVATE", "pRiVaTe"]) {
        assert.isFalse(rules(["**"], [deny]).permits(`projects/${name}/budget.md`))
      }
    }
    assert.isFalse(rules(["**"], ["caf\u00e9/**"]).permits("CAFE\u0301/a.md"))
  })

  it("permits and decide agree on every spelling", () => {
    const given = rules(["projects/**"], ["**/private/**"])
    for (const id of ["projects/a.md", "PROJECTS/a.md", "projects/PRIVATE/a.md", "people/a.md", "Projects/private"]) {
      assert.strictEqual(given.permits(id), given.decide(id).verdict === "allowed", id)
    }
  })
})

describe("a directory is entered only if something permitted may lie in it", () => {
  it("a fully denied directory is never entered, at any depth", () => {
    assert.isFalse(example.mayEnter("projects/private"))
    assert.isFalse(example.mayEnter("projects/x/private"))
    assert.isFalse(example.mayEnter("projects/private/deeper"))
    assert.isFalse(example.mayEnter("PROJECTS/Private"))
    assert.isFalse(rules(["**"], ["**"]).mayEnter("a"))
  })

  it("a directory on the way to an allowed one is entered, another is not", () => {
    const deep = rules(["a/b/c/*.md"])
    assert.deepStrictEqual(["a", "a/b", "a/b/c", "a/b/c/d", "b", "a/c"].map(deep.mayEnter), [
      true,
      true,
      true,
      false,
      false,
      false
    ])
    assert.isFalse(example.mayEnter("people"))
  })

  it("a directory that is denied in part is entered, and its denied notes are still denied", () => {
    const given = rules(["**"], ["a/*.md"])
    assert.isTrue(given.mayEnter("a"))
    assert.isFalse(given.permits("a/x.md"))
    assert.isTrue(given.permits("a/b/x.md"))
  })
})

describe("answers are remembered without getting mixed up", () => {
  it("the second answer is the first one, and a directory is not taken for a note of that name", () => {
    const given = rules(["a/**"], ["a/x.md/**"])
    for (let i = 0; i < 3; i++) {
      assert.isTrue(given.permits("a/b.md"))
      assert.isFalse(given.permits("a/x.md"))
      assert.isTrue(given.mayEnter("a"))
      assert.isFalse(given.mayEnter("a/x.md"))
      assert.isFalse(given.permits("b.md"))
    }
  })

  it("more paths than are remembered are still decided rightly", () => {
    const given = rules(["keep/**"], ["keep/denied-*"])
    for (let i = 0; i < 45_000; i++) {
      assert.strictEqual(given.permits(i % 2 === 0 ? `keep/${i}.md` : `keep/denied-${i}.md`), i % 2 === 0)
    }
    assert.isTrue(given.permits("keep/0.md"))
    assert.isFalse(given.permits("keep/denied-1.md"))
  })

  it("two sets of rules share nothing", () => {
    assert.isTrue(rules(["a.md"]).permits("a.md"))
    assert.isFalse(rules(["b.md"]).permits("a.md"))
  })
})
