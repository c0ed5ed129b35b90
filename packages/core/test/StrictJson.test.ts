/** design.md section 4 "Strict decoding": JSON with one meaning only. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parse } from "@memory-bridge/core/policy/StrictJson"

const defect = (text: string) => {
  const result = parse(text)
  return Result.isFailure(result) ? `${result.failure.rule} ${result.failure.key}`.trimEnd() : "accepted"
}

describe("what JSON.parse accepts without a repeated key is given as it stands", () => {
  it.each(["null", "0", `"a"`, "[]", "{}", `{"a": {"a": {"a": 1}}}`, `[{"a": 1}, {"a": 2}]`, ` {"a": 1, "A": 2} `])(
    "%s",
    (text) => {
      const result = parse(text)
      assert.isTrue(Result.isSuccess(result))
      assert.deepStrictEqual(Result.isSuccess(result) ? result.success : undefined, JSON.parse(text))
    }
  )

  it("a key in one object and again in a sibling, parent or child is no duplicate", () => {
    assert.strictEqual(defect(`{"a": {"b": 1, "a": 2}, "b": [{"a": 1}, {"a": 1, "b": {"a": 3}}]}`), "accepted")
  })

  it("a repeated value in a list is no duplicate", () => {
    assert.strictEqual(defect(`["a", "a", {"a": "a"}]`), "accepted")
  })
})

describe("a repeated key is refused at any depth and named by its path", () => {
  it.each([
    [`{"a": 1, "a": 1}`, "duplicate_key a"],
    [`{"a": 1, "b": 2, "a": 3}`, "duplicate_key a"],
    [`{"a": {"b": 1, "b": 2}}`, "duplicate_key a.b"],
    [`{"a": {"b": {"c": 1, "c": 2}}}`, "duplicate_key a.b.c"],
    [`{"a": 1, "\\u0061": 2}`, "duplicate_key a"],
    [`{"\\u0061": 1, "\\u0061": 2}`, "duplicate_key a"],
    [`{"": 1, "": 2}`, "duplicate_key"],
    [`{"__proto__": 1, "__proto__": 2}`, "duplicate_key __proto__"],
    [`{"toString": 1, "toString": 2}`, "duplicate_key toString"],
    [`{"a": {}, "b": [1, {"c": 1}], "a": {}}`, "duplicate_key a"],
    [`{"a": "{", "b": "}", "a": 1}`, "duplicate_key a"],
    [`{"a": "\\"", "b": 1, "b": 2}`, "duplicate_key b"]
  ])("%s", (text, expected) => {
    assert.strictEqual(defect(text), expected)
  })

  it("inside a list as well", () => {
    assert.match(defect(`{"x": [{"a": 1}, {"a": 1, "a": 2}]}`), /^duplicate_key x.*a$/)
    assert.match(defect(`[[[{"a": 1, "a": 2}]]]`), /^duplicate_key .*a$/)
  })

  it("the first of several is named", () => {
    assert.strictEqual(defect(`{"x": {"b": 1, "b": 2}, "a": 1, "a": 2}`), "duplicate_key x.b")
  })

  it("keys that differ in case or Unicode form are two keys", () => {
    assert.strictEqual(defect(`{"a": 1, "A": 2, "\\u00e9": 3, "e\\u0301": 4}`), "accepted")
  })
})

describe("everything else is not JSON", () => {
  it.each([
    "",
    "{",
    "{a: 1}",
    "{'a': 1}",
    `{"a": 1,}`,
    "[1,]",
    `{"a": 1} x`,
    "// a\n{}",
    "/* a */ {}",
    "\ufeff{}",
    "01"
  ])("%j", (text) => {
    assert.strictEqual(defect(text), "not_json")
  })

  it("a message of the JSON parser, which may quote the text, goes nowhere", () => {
    assert.notInclude(JSON.stringify(parse(`{"a": SECRET}`)), "SECRET")
  })
})
