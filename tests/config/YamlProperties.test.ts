/**
 * Random files, random changes: the new data are the old ones with the change, and no byte beside the change is another.
 * The data are the generator's, so the editor's own reading is not believed; PyYAML reads all of it as a second opinion.
 */
import { spawnSync } from "node:child_process"
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Change, edit, type KeyPath, valueAt } from "memory-bridge/config/YamlEdit"
import { editReasons } from "memory-bridge/config/YamlSource"
import { parse } from "yaml"
import { forEachSeed, type Random } from "../guard/support/Random.ts"
import { makeFile, makePath, makeValue, type Plain } from "./support/Files.ts"

const utf8 = new TextEncoder()
const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes)

const isMap = (data: Plain | undefined): data is { [key: string]: Plain } =>
  typeof data === "object" && data !== null && !Array.isArray(data)

/** What a change comes to, or `undefined` where it cannot be made. */
const after = (data: Plain | undefined, path: ReadonlyArray<string>, change: Change): Plain | undefined => {
  if (data !== undefined && data !== null && !isMap(data)) return undefined
  const [key = "", ...deeper] = path
  const copy: { [key: string]: Plain } = { ...data }
  if (deeper.length > 0) {
    const absent = copy[key] === undefined || copy[key] === null
    if (absent && (change.op === "remove" || change.op === "drop")) return data ?? null
    const inner = after(copy[key], deeper, change)
    return inner === undefined ? undefined : { ...copy, [key]: inner }
  }
  const old = copy[key]
  switch (change.op) {
    case "set":
      return { ...copy, [key]: change.value as Plain }
    case "remove":
      delete copy[key]
      return copy
    case "add":
      if (old !== undefined && old !== null && !Array.isArray(old)) return undefined
      return { ...copy, [key]: old?.includes(change.item) ? old : [...(old ?? []), change.item] }
    case "drop":
      if (old === undefined) return copy
      return Array.isArray(old) ? { ...copy, [key]: old.filter((item) => item !== change.item) } : undefined
  }
}

const makeChange = (random: Random, data: Plain): Change => {
  const path = makePath(random, data) as KeyPath
  const op = random.pick(["set", "set", "set", "remove", "add", "drop"] as const)
  if (op === "set") return { op, path, value: makeValue(random) }
  return op === "remove" ? { op, path } : { op, path, item: random.pick(["one", "read_file", "new"]) }
}

const runs = 2000

describe("a change", () => {
  it("is made as meant and touches nothing else, or is refused", { timeout: 120_000 }, () => {
    const second: Array<{ old: string; new: string; want: Plain }> = []
    let refused = 0
    forEachSeed(1, runs, (random) => {
      const { data, text } = makeFile(random)
      assert.deepStrictEqual(parse(text), data, "the generator means what it says")
      const change = makeChange(random, data)
      const edited = edit(utf8.encode(text), change)
      const want = after(data, change.path, change)
      if (Result.isFailure(edited)) {
        assert.include(editReasons, edited.failure.reason)
        if (want !== undefined) {
          refused += 1
          assert.strictEqual(edited.failure.reason, "not_verified")
        }
        return
      }
      assert.isDefined(want, `${JSON.stringify(change)} of\n${text}`)
      const { bytes, splice } = edited.success
      const result = decode(bytes)
      const said = `${JSON.stringify(change)}\n${text}\n=>\n${result}`
      assert.isTrue(isDeepStrictEqual(parse(result) ?? {}, want), said)
      if (splice === undefined) assert.strictEqual(result, text, said)
      else assert.strictEqual(result, text.slice(0, splice.start) + splice.text + text.slice(splice.end), said)
      const again = edit(bytes, change)
      assert.isTrue(Result.isSuccess(again) && again.success.splice === undefined, `twice is once: ${said}`)
      if (change.op === "set") {
        const read = valueAt(bytes, change.path)
        assert.isTrue(Result.isSuccess(read) && read.success.state === "value", said)
      }
      second.push({ old: text, new: result, want: want ?? null })
    })
    assert.isBelow(refused / runs, 0.01, `${refused} changes could not be made`)
    readByPython(second)
  })

  it("and back leaves the file as it was, where the change was a new key", { timeout: 120_000 }, () => {
    let tried = 0
    forEachSeed(50_000, 600, (random) => {
      const { text } = makeFile(random)
      const made = edit(utf8.encode(text), { op: "set", path: ["fresh"], value: makeValue(random) })
      if (Result.isFailure(made)) return
      const back = edit(made.success.bytes, { op: "remove", path: ["fresh"] })
      assert.isTrue(
        Result.isSuccess(back) && decode(back.success.bytes) === text,
        `${text}\n=>\n${decode(made.success.bytes)}`
      )
      tried += 1
    })
    assert.isAbove(tried, 500)
  })

  it("of broken files never throws", { timeout: 120_000 }, () => {
    forEachSeed(90_000, 800, (random) => {
      const { data, text } = makeFile(random)
      const at = random.int(text.length + 1)
      const odd = random.pick([
        "\t",
        ":",
        "&a ",
        "*a",
        "{",
        "}",
        "- ",
        "? ",
        "\n",
        "\r",
        "<<: ",
        "!!x ",
        '"',
        "'",
        "|",
        "#",
        "\u2028",
        "---\n",
        "%YAML 1.1\n"
      ])
      const edited = edit(
        utf8.encode(text.slice(0, at) + odd + text.slice(at + random.int(2))),
        makeChange(random, data)
      )
      if (Result.isFailure(edited)) assert.include(editReasons, edited.failure.reason)
    })
  })
})

const hasPyYaml = spawnSync("python3", ["-I", "-c", "import yaml"]).status === 0

const script = `
import json, sys, yaml
wrong = []
for case in json.load(sys.stdin):
    try:
        yaml.safe_load(case["old"])
    except yaml.YAMLError:
        continue  # A tab before a comment, which this reader does not take.
    try:
        got = yaml.safe_load(case["new"])
    except Exception as error:
        got = repr(error)
    if (got or {}) != case["want"]:
        wrong.append({**case, "got": repr(got)})
print(json.dumps(wrong[:3]))
`

/** Whether the reader that hosts have used reads the same. Skipped where it is not installed. */
const readByPython = (cases: ReadonlyArray<{ old: string; new: string; want: Plain }>): void => {
  if (!hasPyYaml) return
  const { stderr, stdout } = spawnSync("python3", ["-I", "-c", script], {
    input: JSON.stringify(cases),
    encoding: "utf8"
  })
  assert.strictEqual(stdout.trim(), "[]", stderr)
}
