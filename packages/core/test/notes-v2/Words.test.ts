/** design.md section 8 "Version 2", cases/notes.md 59, 61, 62: what is one word, and in which forms it is found. */
import { assert, describe, it } from "@effect/vitest"
import { chunksOf, foldWords, type TokenKind, wordRow } from "@memory-bridge/core/notes/Words"
import { wantedOf } from "@memory-bridge/core/notes/Wanted"

const tokens = (text: string, kind: TokenKind) => [
  ...new Set(
    chunksOf(text).flatMap((chunk) => chunk.tokens.filter((token) => token.kind === kind).map((one) => one.text))
  )
]

describe("folding", () => {
  it.each([
    ["CAFÉ", "cafe\u0301"],
    ["Straße", "STRASSE"],
    ["ẞ", "ß"],
    ["ﬁnal", "Final"],
    ["ſo", "SO"],
    ["ＡＢＣ１２", "abc12"],
    ["ｶﾞｲﾄﾞ", "ガイド"],
    ["ΟΔΟΣ", "οδος"],
    ["οδος", "οδοσ"]
  ])("%s and %s are one spelling", (one, other) => {
    assert.strictEqual(foldWords(one), foldWords(other))
  })

  it.each([
    ["résumé", "resume"],
    ["notes", "note"],
    ["東京", "东京"]
  ])("%s and %s are two: nothing is invented", (one, other) => {
    assert.notStrictEqual(foldWords(one), foldWords(other))
  })
})

describe("a word as a whole and in its pieces", () => {
  it.each<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["v1.2.3", ["v1.2.3", "1.2.3"], ["v1", "1", "2", "3"]],
    ["2.8.3", ["2.8.3"], ["2", "8", "3"]],
    ["foo_bar", ["foo_bar"], ["foo", "bar"]],
    ["getUserName", ["getusername"], ["get", "user", "name"]],
    ["HTTPServer", ["httpserver"], ["http", "server"]],
    ["ERR_X-12", ["err_x-12", "err_x", "12", "err_x12"], ["err", "x"]],
    ["point-in-time", ["point-in-time", "point", "in", "time", "pointintime"], []],
    ["C++ and C#", ["c++", "and", "c#"], ["c"]],
    ["#redis, l'accord.", ["redis", "l", "accord"], []],
    ["config.yaml:", ["config.yaml"], ["config", "yaml"]]
  ])("%s", (text, words, parts) => {
    assert.deepStrictEqual(tokens(text, "word").toSorted(), words.toSorted())
    const unexpected = tokens(text, "part").filter((part) => !parts.includes(part))
    assert.deepStrictEqual(
      unexpected.filter((part) => !/^[a-z]\+*#?$/u.test(part)),
      []
    )
    for (const part of parts.filter((one) => one !== "c")) assert.include(tokens(text, "part"), part)
  })

  it("unspaced writing has its words, its pairs and its characters", () => {
    assert.deepStrictEqual(tokens("東京の会議", "word"), ["東京", "の", "会議"])
    assert.deepStrictEqual(tokens("東京の会議", "gram"), ["東", "東京", "京", "京の", "の", "の会", "会", "会議", "議"])
    assert.includeMembers([...tokens("회의는", "gram")], ["회의", "회"])
  })

  it("a Latin word in unspaced writing is a word of its own", () => {
    assert.includeMembers([...tokens("新しいRedisを使う", "word")], ["redis"])
  })
})

describe("what a query asks for", () => {
  const texts = (query: string) => wantedOf(query).map(({ text }) => text)

  it("each distinct word once, in order, whatever its spelling", () => {
    assert.deepStrictEqual(texts("Foo bar FOO foo_bar"), ["foo", "bar", "foo_bar"])
  })

  it.each(["(", "*", ":", "'", "?!", "«»"])("%s alone is a substring to look for", (query) => {
    assert.deepStrictEqual(texts(query), [query])
  })

  it.each([`"open`, "a AND", "NEAR(", "(a+)+$", "foo-bar", "v2.8.3", "-", "\ud83c\udf89"])(
    "%s is never none",
    (query) => {
      assert.isAbove(texts(query).length, 0)
    }
  )

  it("a hiragana alone between words is grammar, and alone in a query a word", () => {
    assert.deepStrictEqual(texts("東京の会議"), ["東京", "会議"])
    assert.deepStrictEqual(texts("の"), ["の"])
  })
})

describe("a name as a row of words", () => {
  it.each([
    ["engineering-log", "Engineering  Log"],
    ["v2.8.4", "V2 8 4"],
    ["a_b/c.md", "a b c md"]
  ])("%s is %s", (one, other) => {
    assert.strictEqual(wordRow(one), wordRow(other))
  })
})
