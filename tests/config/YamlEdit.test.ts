/** Issue 5 item 4, issue 7 item 4: one change, and not a byte beside it. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Change, edit, type KeyPath, valueAt } from "memory-bridge/config/YamlEdit"
import { maxBytes } from "memory-bridge/config/YamlSource"
import type { Data } from "memory-bridge/config/YamlValue"

const utf8 = new TextEncoder()

const run = (text: string, change: Change): string => {
  const edited = edit(utf8.encode(text), change)
  return Result.isSuccess(edited)
    ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(edited.success.bytes)
    : `! ${edited.failure.reason} ${edited.failure.line}`
}

const set = (text: string, path: string, value: Data): string =>
  run(text, { op: "set", path: path.split(".") as unknown as KeyPath, value })
const remove = (text: string, path: string): string =>
  run(text, { op: "remove", path: path.split(".") as unknown as KeyPath })
const add = (text: string, path: string, item: string): string =>
  run(text, { op: "add", path: path.split(".") as unknown as KeyPath, item })
const drop = (text: string, path: string, item: string): string =>
  run(text, { op: "drop", path: path.split(".") as unknown as KeyPath, item })

describe("set puts a value", () => {
  it.each([
    ["into nothing", "", "a.b", 1, "a:\n  b: 1\n"],
    ["below comments alone", "# mine\n", "a", 1, "# mine\na: 1\n"],
    ["below a comment without an end", "# mine", "a", 1, "# mine\na: 1"],
    ["behind the last key", "a: 1 # one\n", "b", 2, "a: 1 # one\nb: 2\n"],
    ["behind the last key of a file without an end", "a: 1", "b", 2, "a: 1\nb: 2"],
    ["with the file's line breaks", "a: 1\r\n", "b.c", 2, "a: 1\r\nb:\r\n  c: 2\r\n"],
    ["with the file's indentation", "a:\n    x: 1\n", "b.c", 2, "a:\n    x: 1\nb:\n    c: 2\n"],
    ["at the indentation of its neighbours", "a:\n   x: 1\nz: 0\n", "a.k", 2, "a:\n   x: 1\n   k: 2\nz: 0\n"],
    [
      "before what belongs to nobody",
      "a:\n  x: 1\n  # end of a\n\nz: 0\n",
      "a.k",
      2,
      "a:\n  x: 1\n  k: 2\n  # end of a\n\nz: 0\n"
    ],
    ["before the end of the document", "---\na: 1\n...\n", "b", 2, "---\na: 1\nb: 2\n...\n"],
    ["behind a byte order mark", "\uFEFFa: 1\n", "b", 2, "\uFEFFa: 1\nb: 2\n"],
    ["alone behind a byte order mark", "\uFEFF", "b", 2, "\uFEFFb: 2\n"],
    ["in place of a word", "a:   old   # why\nb: 1\n", "a", "new", "a:   new   # why\nb: 1\n"],
    ["in place of a quoted text", "a: 'old'\n", "a", "/x y", 'a: "/x y"\n'],
    ["in place of nothing", "a:  # why\nb: 1\n", "a", 1, "a: 1  # why\nb: 1\n"],
    ["in place of null", "a: ~\n", "a.b", 1, "a:\n  b: 1\n"],
    ["in place of empty braces", "a: {}\n", "a.b", 1, "a:\n  b: 1\n"],
    [
      "in place of a mapping, behind its comment",
      "a: # why\n  b: 1\n  c: 2\nz: 0\n",
      "a",
      { d: 3 },
      "a: # why\n  d: 3\nz: 0\n"
    ],
    ["in place of a list that is not indented", "a:\n- 1\n- 2\nz: 0\n", "a", ["x"], "a:\n  - x\nz: 0\n"],
    ["in place of a block of text", "a: |\n  one\n  two\nz: 0\n", "a", 1, "a: 1\nz: 0\n"],
    ["in place of a mapping, without its end", "a:\n  b: 1", "a", { c: 2 }, "a:\n  c: 2"],
    [
      "as a list of small mappings",
      "a: 1\n",
      "r",
      [{ tool: "read_file", action: "allow" }],
      "a: 1\nr:\n  - {tool: read_file, action: allow}\n"
    ],
    ["between braces", "a: {x: 1, y: 2} # f\n", "a.z.w", 3, "a: {x: 1, y: 2, z: {w: 3}} # f\n"],
    ["between braces with a comma at the end", "a: {x: 1,}\n", "a.z", 3, "a: {x: 1, z: 3,}\n"],
    ["between braces over lines", "a: {\n  x: 1 # one\n}\n", "a.z", 3, "a: {\n  x: 1, z: 3 # one\n}\n"],
    ["in place of something between braces", "a: {x: {y: 1}, z: 2}\n", "a.x", [1], "a: {x: [1], z: 2}\n"],
    ["where braces have a key alone", "a: {x, y: 2}\n", "a.x", 1, "a: {x: 1, y: 2}\n"],
    ["in a file that is braces", '{"a": 1}\n', "b", 2, '{"a": 1, b: 2}\n'],
    ["behind a text that keeps its empty lines", "a: |+\n  x\n\n\n", "b", 1, "a: |+\n  x\n\n\nb: 1\n"],
    ["before a text that would grow", "a: |+\n  x", "b", 1, "b: 1\na: |+\n  x"],
    ["beside tabs in comments", "a: 1 #\ttab\n#\ttab\nb: 2\t# x\n", "c", 3, "a: 1 #\ttab\n#\ttab\nb: 2\t# x\nc: 3\n"],
    [
      "beside anchors that are used elsewhere",
      "x: &x {p: 1}\na:\n  k: *x\n",
      "a.b",
      1,
      "x: &x {p: 1}\na:\n  k: *x\n  b: 1\n"
    ],
    [
      "beside a merge that is not on the way",
      "x: &x {p: 1}\ny:\n  <<: *x\na:\n  k: 1\n",
      "a.k",
      2,
      "x: &x {p: 1}\ny:\n  <<: *x\na:\n  k: 2\n"
    ],
    ["over many bytes", "ключ: значение # 🐚\na: 1\n", "a", "naïve", 'ключ: значение # 🐚\na: "naïve"\n'],
    ["under a quoted key", '"a": {}\n', "a.b", 1, '"a":\n  b: 1\n']
  ] as ReadonlyArray<[string, string, string, Data, string]>)("%s", (_, text, path, value, expected) => {
    assert.strictEqual(set(text, path, value), expected)
    assert.strictEqual(set(expected, path, value), expected, "twice is once")
  })
})

describe("remove takes a key away", () => {
  it.each([
    ["with its line", "a: 1\nb: 2 # two\nc: 3\n", "b", "a: 1\nc: 3\n"],
    ["with all below it", "a: 1\nb:\n  x: 1\n\n  y: 2\nc: 3\n", "b", "a: 1\nc: 3\n"],
    ["the last one of a file without an end", "a: 1\nb: 2", "b", "a: 1"],
    ["the only one", "a: 1\n", "a", ""],
    ["the only one below another", "a: # why\n  b: 1\nc: 3\n", "a.b", "a: {}\nc: 3\n"],
    ["between braces", "{a: 1, b: 2, c: 3}\n", "b", "{a: 1, c: 3}\n"],
    ["last between braces", "{a: 1, b: 2}\n", "b", "{a: 1}\n"],
    ["the only one between braces", "a: {b: 1,}\n", "a.b", "a: {}\n"],
    ["that is not there", "a: 1\n", "b.c", "a: 1\n"],
    ["and leaves comments before it", "# about b\nb: 2\na: 1\n", "b", "# about b\na: 1\n"]
  ] as ReadonlyArray<[string, string, string, string]>)("%s", (_, text, path, expected) => {
    assert.strictEqual(remove(text, path), expected)
    assert.strictEqual(remove(expected, path), expected)
  })
})

describe("a word of a list", () => {
  it.each([
    [
      "is added behind the last",
      "p:\n  on-x:\n    - a # one\n  # end\n",
      "p.on-x",
      "b",
      "p:\n  on-x:\n    - a # one\n    - b\n  # end\n"
    ],
    ["is added to a list that is not indented", "l:\n- a\nz: 0\n", "l", "b", "l:\n- a\n- b\nz: 0\n"],
    ["is added between brackets", "l: [a, c] # x\n", "l", "b", "l: [a, c, b] # x\n"],
    ["is added to nothing", "l:\nz: 0\n", "l", "b", "l:\n  - b\nz: 0\n"],
    ["is added to empty brackets", "l: []\n", "l", "b", "l:\n  - b\n"],
    ["is added to what is not there", "z: 0\n", "p.l", "b", "z: 0\np:\n  l:\n    - b\n"],
    ["is not added twice", "l: [b]\n", "l", "b", "l: [b]\n"]
  ] as ReadonlyArray<[string, string, string, string, string]>)("%s", (_, text, path, item, expected) => {
    assert.strictEqual(add(text, path, item), expected)
  })

  it.each([
    ["is taken away with its line", "l:\n  - a\n  - b # two\n  - c\n", "b", "l:\n  - a\n  - c\n"],
    ["is taken away at the end of the file", "l:\n  - a\n  - b", "b", "l:\n  - a"],
    ["is taken away from brackets", "l: [a, b, c]\n", "b", "l: [a, c]\n"],
    ["is taken away as the last in brackets", "l: [a, b]\n", "b", "l: [a]\n"],
    ["is taken away as the only one", "l:\n  - b\nz: 0\n", "b", "l: []\nz: 0\n"],
    ["is not there", "l: [a]\n", "b", "l: [a]\n"],
    ["has no list", "z: 0\n", "b", "z: 0\n"]
  ] as ReadonlyArray<[string, string, string, string]>)("%s", (_, text, item, expected) => {
    assert.strictEqual(drop(text, "l", item), expected)
  })
})

describe("what cannot be edited safely is refused with a reason and its line", () => {
  it.each([
    ["a key that comes twice", "a: 1\nb: 1\na: 2\n", "! duplicate_key 3"],
    ["a key that comes twice elsewhere", "z:\n  q: 1\n  q: 2\n", "! duplicate_key 3"],
    ["a key that comes twice for readers of YAML 1.1", "z:\n  yes: 1\n  on: 2\n", "! duplicate_key 3"],
    ["a merge on the way", "x: &x {p: 1}\na:\n  <<: *x\n", "! merge_key 3"],
    ["an alias on the way", "x: &x {p: 1}\na: *x\n", "! alias 2"],
    ["a key that is an alias", "x: &x k\na:\n  *x : 1\n", "! alias 3"],
    ["an anchor on the way that is used elsewhere", "a: &x {p: 1}\nz: *x\n", "! shared_anchor 1"],
    ["an anchor in the value that is used elsewhere", "a:\n  b: {c: &x 1}\nz: *x\n", "! shared_anchor 2"],
    ["several documents", "a: 1\n---\nb: 2\n", "! several_documents 0"],
    ["a list on the way", "a:\n  - b\n", "! not_mapping 2"],
    ["a word on the way", "a: b\n", "! not_mapping 1"],
    ["a tag on the way", "a: !mine\n  b: 1\n", "! tag 2"],
    ["an explicit key", "? a\n: b: 1\n", "! odd_key 1"],
    ["a key with an anchor", "&k a:\n  b: 1\n", "! odd_key 1"],
    ["no YAML", "a: [1\n", "! not_yaml 2"],
    ["an alias to nothing", "z: *nowhere\n", "! not_yaml 0"],
    [
      "aliases that expand without bounds",
      `z0: &z0 [1]\n${Array.from({ length: 12 }, (_, n) => `z${n + 1}: &z${n + 1} [${Array(9).fill(`*z${n}`).join(", ")}]\n`).join("")}`,
      "! not_yaml 0"
    ],
    ["nesting that exhausts the parser", `z: ${"[".repeat(100_000)}`, "! not_yaml 1"],
    ["a line break that only some readers know", "z: 1 # x\u2028a: 2\n", "! odd_line_break 1"],
    ["a carriage return alone", "z: 1\n# x\ra: 2\n", "! odd_line_break 2"],
    ["a file that is too large", "#".repeat(maxBytes + 1), "! too_large 0"]
  ] as ReadonlyArray<[string, string, string]>)("%s", (_, text, expected) => {
    assert.strictEqual(set(text, "a.b", 2), expected)
  })

  it("bytes that are no UTF-8", () => {
    const edited = edit(Uint8Array.of(0x61, 0x3a, 0xff), { op: "remove", path: ["a"] })
    assert.isTrue(Result.isFailure(edited) && edited.failure.reason === "not_utf8")
  })

  it("keys and values without a plain form", () => {
    for (const key of ["", "on", "a b", "1", "*", "#x", "__proto__", "<<"]) {
      assert.strictEqual(run("a: 1\n", { op: "set", path: [key], value: 1 }), "! path_unsupported 0", key)
    }
    const circle: Array<unknown> = []
    for (const value of [
      undefined,
      NaN,
      1n,
      new Date(0),
      () => 1,
      "\uD800",
      { a: undefined },
      circle.concat([new Map()])
    ]) {
      const bad = run("a: 1\n", { op: "set", path: ["a"], value: value as Data })
      assert.strictEqual(bad, "! value_unsupported 0")
    }
    assert.strictEqual(add("a: 1\n", "l", "on"), "! value_unsupported 0")
    assert.strictEqual(add("l: x\n", "l", "b"), "! not_list 1")
    assert.strictEqual(drop("l: &x [b]\nz: *x\n", "l", "b"), "! shared_anchor 1")
  })
})

describe("a value is read", () => {
  const at = (text: string, ...path: KeyPath) => {
    const found = valueAt(utf8.encode(text), path)
    return Result.isSuccess(found) ? found.success : found.failure.reason
  }
  it("as plain data", () => {
    assert.deepStrictEqual(at("a:\n  b: {c: [1, x, null, true]}\n", "a", "b"), {
      state: "value",
      value: { c: [1, "x", null, true] }
    })
    assert.deepStrictEqual(at("x: &x [1]\na: {b: *x}\n", "a"), { state: "value", value: { b: [1] } })
    const own = at("a: {__proto__: {b: 1}}\n", "a")
    assert.deepStrictEqual(JSON.stringify(own), '{"state":"value","value":{"__proto__":{"b":1}}}')
  })
  it("unless it is not there", () => {
    assert.deepStrictEqual(at("a: 1\n", "b"), { state: "unset" })
    assert.deepStrictEqual(at("a:\n", "a", "b"), { state: "unset" })
    assert.deepStrictEqual(at("a:\n", "a"), { state: "value", value: null })
  })
  it("unless readers disagree about it, or it is no data", () => {
    for (const text of [
      "a: on\n",
      "a: {t: 010}\n",
      "a: {t: 1:30}\n",
      "a: {t: 2026-01-01}\n",
      "x: &x {p: 1}\na: {<<: *x}\n"
    ]) {
      assert.strictEqual(at(text, "a"), "ambiguous", text)
    }
    assert.strictEqual(at("a: {1: x}\n", "a"), "value_unsupported")
    assert.strictEqual(at("a: .nan\n", "a"), "value_unsupported")
  })
})
