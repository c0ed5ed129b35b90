/** recall-contract 1.4 "query (bounded)", T5, cases/recall.md 29. */
import { assert, describe, it } from "@effect/vitest"
import { boundedQuery, isTrivial, maxQueryChars } from "@memory-bridge/core/recall/Query"

describe("a query is the bounded beginning of what was written", () => {
  it("is itself when it is short", () => {
    assert.strictEqual(boundedQuery("  where is the boat?\n"), "where is the boat?")
  })

  it("is cut after 2,000 code points, of a megabyte too", () => {
    assert.strictEqual(boundedQuery("x".repeat(1_048_576)), "x".repeat(maxQueryChars))
  })

  it.each([0, 1, 2, 3])("never cuts a surrogate pair in two (%d letters before)", (before) => {
    const query = boundedQuery("x".repeat(before) + "\u{1f600}".repeat(3_000))
    assert.isTrue(query.isWellFormed())
    assert.strictEqual([...query].length, maxQueryChars)
  })

  it("has no lone surrogate and no control character", () => {
    assert.strictEqual(boundedQuery("a\ud800b\0c\u0085d\ne"), "a\ufffdb c d e")
    assert.isTrue(boundedQuery("x".repeat(1_999) + "\ud83d").isWellFormed())
  })
})

describe("what asks nothing is trivial", () => {
  it.each([
    "",
    " \n\t",
    "ok",
    "OK!",
    "Thanks.",
    "thank you",
    "hi",
    "continue…",
    "go on",
    "/new",
    "/undo 2",
    "/compress"
  ])("%j", (text) => {
    assert.isTrue(isTrivial(text))
  })

  it.each(["ok, where is the boat?", "/etc/hosts has what in it?", "boat", "hi-fi", "continue with the boat", "12"])(
    "not %j",
    (text) => {
      assert.isFalse(isTrivial(text))
    }
  )
})
