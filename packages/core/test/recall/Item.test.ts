/** recall-contract 1.4: "one bad item is dropped, not the whole response; >limit items truncated"; cases 49. */
import { assert, describe, it } from "@effect/vitest"
import { channelsOf, itemsOf } from "@memory-bridge/core/recall/Item"

const spelling = { id: ["memory_id", "id"], content: ["content", "memory"] }
const item = (memory_id: unknown, content: unknown = `about ${String(memory_id)}`) => ({ memory_id, content })
const channel = (name: string) => [item(`${name}1`), item(`${name}2`), item(`${name}3`)]
const ids = (channels: ReadonlyArray<ReadonlyArray<unknown>>, limit = 20): string =>
  itemsOf(channels, spelling, limit)
    .map(({ id }) => id)
    .join(" ")

describe("an item stands alone", () => {
  it.each([
    ["no record", null],
    ["an array", ["a", "b"]],
    ["no id", { content: "x" }],
    ["an empty id", item("", "x")],
    ["a number for an id", item(7, "x")],
    ["an id with a line break", item("a\nb", "x")],
    ["an id with a separator", item("a\u2028b", "x")],
    ["half a surrogate pair in the id", item("a\ud800", "x")],
    ["an id of 257 characters", item("i".repeat(257), "x")],
    ["no content", { memory_id: "bad" }],
    ["content that is no text", item("bad", ["x"])],
    ["blank content", item("bad", " \n")],
    ["content that fits into no block", item("bad", "x".repeat(9_001))]
  ])("%s is dropped, and the others stay", (_, bad) => {
    assert.strictEqual(ids([[item("a"), bad, item("b")]]), "a b")
  })

  it("may have an id of 256 characters, and members nobody asked for", () => {
    const long = "i".repeat(256)
    assert.strictEqual(ids([[{ ...item(long), score: 0.3, memory_at: 5, evolution_chain: [{}] }]]), long)
  })

  it("is read by the first of its names that is there", () => {
    assert.deepStrictEqual(itemsOf([[{ id: "a", memory: "x" }]], spelling, 5), [
      { id: "a", content: "x", revision: "x" }
    ])
    assert.strictEqual(ids([[{ memory_id: 5, id: "a", content: "x" }]]), "")
  })
})

describe("of two items with one id the first counts", () => {
  it("in one channel and across channels", () => {
    const found = itemsOf(
      [
        [item("a", "first"), item("a", "second")],
        [item("a", "third"), item("b")]
      ],
      spelling,
      20
    )
    assert.deepStrictEqual(
      found.map(({ content, id }) => `${id} ${content}`),
      ["a first", "b about b"]
    )
  })

  it("and equal text under two ids stays two", () => {
    assert.strictEqual(ids([[item("a", "same"), item("b", "same")]]), "a b")
  })
})

describe("more than was asked for is cut off", () => {
  it("good items count, bad ones do not", () => {
    assert.strictEqual(ids([[item("a"), null, item("a"), item("b"), item("c")]], 2), "a b")
  })

  it("every channel has its turn", () => {
    assert.strictEqual(ids([channel("p"), [], channel("n")], 4), "p1 n1 p2 n2")
  })

  it("a flood of bad items gives nothing, and soon", () => {
    assert.strictEqual(ids([Array.from({ length: 100_000 }, () => null)]), "")
  })
})

describe("channels of an answer", () => {
  it.each([
    ["a list", [1], [[1]]],
    ["all channels, in a fixed order", { normal: [3], profile: [1], proactive: [2] }, [[1], [2], [3]]],
    ["a profile alone", { profile: [1] }, [[1]]],
    ["none", {}, []],
    ["a channel that is no list", { profile: [1], normal: {} }, undefined],
    ["channels of other names", { facts: [1] }, undefined],
    ["a text", "x", undefined],
    ["null", null, undefined]
  ])("%s", (_, memories, expected) => {
    assert.deepStrictEqual(channelsOf(memories), expected)
  })
})
