/**
 * Issue 7: "connect / disconnect: property test over random user edits between the two." Whatever a user writes in the
 * meantime, comments and keys of theirs survive, what is still ours goes, and with no edits every byte is as it was.
 */
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Change, edit } from "memory-bridge/config/YamlEdit"
import { planEdits } from "memory-bridge/connect/ConfigEdits"
import { undoSteps } from "memory-bridge/connect/ConfigUndo"
import type { Step } from "memory-bridge/connect/Journal"
import { pluginNames } from "memory-bridge/connect/Plugins"
import { sha256Of } from "memory-bridge/connect/Shipped"
import { parse } from "yaml"
import { makeFile } from "../config/support/Files.ts"
import { forEachSeed, type Random } from "../guard/support/Random.ts"
import { connected, disconnected, freshHome, remove, small, temporary, tree } from "./support/Homes.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes)

type Data = { [key: string]: unknown }

const handWritten: ReadonlyArray<string> = [
  "",
  "# base-1 nothing but a comment\n",
  "model: x # base-1\n",
  "plugins: # base-1\n    enabled: # base-2\n    - one # base-3\n    # base-4\nmemory:\n    provider: 'other' # base-5\n",
  'plugins:\n  enabled: [one, two] # base-1\nmemory: {provider: "other", limit: 3} # base-2\n',
  "plugins: {enabled: [], disabled: [x]}\nmemory:\n",
  "memory:\n  # base-1\n  limit: 3\n\n\nplugins:\n  disabled: []\n  entries: {a: {b: 1}}\n# base-2",
  "a: &a {x: 1}\nb: *a\nplugins:\n  enabled:\n    - 'one'\n    -   two\nlast: |\n  text\n  # no comment\n",
  "\uFEFFmodel: x\r\nplugins:\r\n  enabled:\r\n    - one # base-1\r\nmemory:\r\n  provider: builtin\r\n",
  "plugins:\n  enabled:\nmemory: {}\nlast: true",
  "---\nmemory:\n  provider: hy_memory\nplugins:\n  enabled:\n  - memory-bridge\n"
]

const baseFile = (random: Random): string => (random.chance(0.5) ? random.pick(handWritten) : makeFile(random).text)

const read = (text: string): Data => (parse(text, { version: "1.1" }) as Data | null) ?? {}

const structured: ReadonlyArray<Change> = [
  { op: "add", path: ["plugins", "enabled"], item: "users-own" },
  { op: "drop", path: ["plugins", "enabled"], item: "memory-bridge" },
  { op: "drop", path: ["plugins", "enabled"], item: "hermes-guardian" },
  { op: "set", path: ["memory", "provider"], value: "users-choice" },
  { op: "set", path: ["memory", "limit"], value: 7 },
  { op: "remove", path: ["memory", "provider"] },
  { op: "set", path: ["plugins", "entries", "hermes-guardian", "settings", "mode"], value: "log_only" },
  { op: "set", path: ["later"], value: { by: "user" } }
]

/** One edit as people make them, or the same text where it would not be one. */
const userEdit = (text: string, random: Random, serial: number): string => {
  const kind = random.int(4)
  if (kind === 0) {
    const done = edit(utf8(text), random.pick(structured))
    return Result.isSuccess(done) ? decode(done.success.bytes) : text
  }
  const lines = text.split("\n")
  const at = random.int(lines.length)
  const comment = `# user-${serial}`
  const after = (() => {
    switch (kind) {
      case 1:
        return lines.toSpliced(at, 0, " ".repeat(random.int(3) * 2) + comment).join("\n")
      case 2:
        return lines.with(at, lines[at]?.replace(/\r?$/, ` ${comment}$&`) ?? "").join("\n")
      default:
        return text.replace(/(- |: )(memory-bridge|hermes-guardian|hy_memory)(?=\r?$)/m, '$1"$2"')
    }
  })()
  try {
    return isDeepStrictEqual(read(after), read(text)) && !/["'|>].*user-/.test(after) ? after : text
  } catch {
    return text
  }
}

const enabledOf = (data: Data): ReadonlyArray<unknown> => {
  const { enabled } = (data["plugins"] ?? {}) as { readonly enabled?: unknown }
  return Array.isArray(enabled) ? enabled : []
}
const providerOf = (data: Data): unknown => ((data["memory"] ?? {}) as Data)["provider"]

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0)

/** Without what may be empty or not be there after all has gone. */
const tidy = (data: Data): Data => {
  const copy = structuredClone(data)
  for (const key of ["plugins", "memory"]) {
    const inner = copy[key] as Data | null | undefined
    if (key === "plugins" && inner && typeof inner === "object" && isEmpty(inner["enabled"])) delete inner["enabled"]
    if (isEmpty(copy[key])) delete copy[key]
  }
  return copy
}

/** What must be there at the end: the edited data without what was added, unless it was changed. */
const wanted = (edited: Data, before: Data): Data => {
  const copy = structuredClone(edited)
  const plugins = copy["plugins"] as Data | undefined
  if (Array.isArray(plugins?.["enabled"])) {
    const added = new Set<unknown>(pluginNames.filter((name) => !enabledOf(before).includes(name)))
    plugins["enabled"] = enabledOf(copy).filter((item) => !added.has(item))
  }
  if (providerOf(copy) === "hy_memory") {
    const memory = copy["memory"] as Data
    if (providerOf(before) === undefined) delete memory["provider"]
    else memory["provider"] = providerOf(before)
  }
  return tidy(copy)
}

/** Lines that no change of ours has to do with. */
const foreignLines = (text: string): ReadonlyArray<string> =>
  text.split(/\r?\n/).filter((line) => line.trim() !== "" && !/memory|plugins|enabled|provider|guardian/.test(line))

const markers = (text: string): ReadonlyArray<string> => text.match(/# (?:user|base)-\d+/g) ?? []

describe("the configuration", () => {
  it("keeps every key and comment of the user, and loses what is still ours", { timeout: 120_000 }, () => {
    let [refused, edited, runs] = [0, 0, 0]
    forEachSeed(1, 500, (random) => {
      const base = baseFile(random)
      runs += 1
      const plugins = pluginNames.filter(() => random.chance(0.8))
      const planned = planEdits(utf8(base), plugins, "config.yaml")
      if (Result.isFailure(planned)) {
        refused += 1
        return
      }
      const { bytes, edits } = planned.success
      const isNew = base === "" && random.chance(0.5)
      const step: Step = { before: isNew ? null : sha256Of(utf8(base)), after: sha256Of(bytes), edits }
      const same = undoSteps(edits.length === 0 ? utf8(base) : bytes, edits.length === 0 ? [] : [step])
      assert.isTrue(Result.isSuccess(same))
      if (Result.isSuccess(same)) {
        assert.deepStrictEqual(same.success.bytes, isNew && edits.length > 0 ? undefined : utf8(base))
        assert.deepStrictEqual(same.success.left, [])
      }
      if (edits.length === 0) return
      let text = decode(bytes)
      for (let serial = 1 + random.int(5); serial > 0; serial--) text = userEdit(text, random, serial)
      if (text === decode(bytes)) return
      edited += 1
      const undone = undoSteps(utf8(text), [step])
      const said = `\n--- base\n${base}\n--- edited\n${text}\n`
      assert.isTrue(Result.isSuccess(undone), said + (Result.isFailure(undone) ? undone.failure.reason : ""))
      if (Result.isFailure(undone)) return
      const after = undone.success.bytes === undefined ? "" : decode(undone.success.bytes)
      const all = `${said}--- after\n${after}`
      assert.deepStrictEqual(tidy(read(after)), wanted(read(text), read(base)), all)
      assert.includeMembers([...markers(after)], [...markers(text)], all)
      const lines = after.split(/\r?\n/)
      let from = 0
      for (const line of foreignLines(text)) {
        const at = lines.indexOf(line, from)
        assert.isAtLeast(at, from, `${all}\n--- lost: ${line}`)
        from = at + 1
      }
      const provider = providerOf(read(text))
      const isOurs = step.edits.some(({ plugin }) => plugin === "hy_memory")
      const isLeft = isOurs && provider !== "hy_memory" && text !== base
      assert.strictEqual(undone.success.left.includes("hy_memory"), isLeft, all)
    })
    assert.isAbove(edited, 200)
    assert.isBelow(refused, runs / 3)
  })
})

let top = ""
beforeEach(() => {
  top = temporary()
})
afterEach(() => remove(top))

const files = (home: string): ReadonlyArray<string> =>
  Object.entries(tree(home))
    .filter(([path, kind]) => path.startsWith("plugins/") && !path.includes("theirs") && kind.startsWith("file"))
    .map(([path]) => path)

describe("the plugins", () => {
  it("go but for what the user changed, and what the user put there stays", { timeout: 120_000 }, () => {
    forEachSeed(1, 40, (random) => {
      const home = join(top, "home")
      freshHome(home, random.chance(0.8) ? random.pick(handWritten) : undefined)
      const others = { "plugins/theirs/plugin.yaml": "name: theirs\n", "plugin-data/theirs/x": "1" }
      for (const [path, text] of Object.entries(others)) {
        if (random.chance(0.5)) continue
        fs.mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o700 })
        fs.writeFileSync(join(home, path), text)
      }
      const before = tree(home)
      assert.strictEqual(
        connected(home, small(pluginNames.filter((name) => random.chance(0.8) || name === "hy_memory"))),
        "done"
      )
      const changed = new Map<string, string | undefined>()
      for (let count = random.int(4); count > 0; count--) {
        const path = random.pick(files(home))
        const file = join(home, path)
        switch (random.int(4)) {
          case 0:
            fs.appendFileSync(file, "# mine\n")
            changed.set(path, fs.readFileSync(file, "latin1"))
            break
          case 1:
            fs.rmSync(file, { force: true })
            changed.delete(path)
            break
          case 2: {
            const own = `${dirname(path)}/users-own.txt`
            fs.writeFileSync(join(home, own), "mine")
            changed.set(own, "mine")
            break
          }
          default: {
            const cache = `${dirname(path)}/__pycache__`
            if (dirname(path).endsWith("shim")) {
              fs.mkdirSync(join(home, cache), { recursive: true })
              fs.writeFileSync(join(home, cache, "wire.cpython-313.pyc"), "made by Python")
            }
          }
        }
      }
      assert.strictEqual(disconnected(home), "done")
      const after = tree(home)
      for (const [path, text] of changed) assert.include(after[path], text)
      for (const [path, kind] of Object.entries(before)) assert.strictEqual(after[path], kind, path)
      const added = Object.keys(after).filter((path) => before[path] === undefined)
      const expected = [...changed.keys()].filter((path) => before[path] === undefined)
      assert.sameMembers(
        added.filter((path) => after[path]?.startsWith("file")),
        expected
      )
      assert.isTrue(added.every((path) => expected.some((file) => file === path || file.startsWith(`${path}/`))))
      assert.strictEqual(disconnected(home), "not_connected")
    })
  })
})
