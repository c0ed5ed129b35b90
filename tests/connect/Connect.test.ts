/**
 * Connecting a home, rule by rule: what is never overwritten, what is never trusted, what is not ours to take back.
 * (issue 7 item 4; seed 003 "MemHub-managed installation"; cases/recall.md 20, 32, 33)
 */
import * as fs from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { cureOf } from "memory-bridge/connect/Cure"
import * as Journal from "memory-bridge/connect/Journal"
import { connectCalls, lockHome, placesOf } from "memory-bridge/connect/Places"
import { planConnect } from "memory-bridge/connect/Plan"
import { connectReasons, refusal } from "memory-bridge/connect/Refused"
import { shippedIn } from "memory-bridge/connect/Shipped"
import { planUndo } from "memory-bridge/connect/UndoPlan"
import { connected, disconnected, freshHome, remove, small, smallPlugin, temporary, tree } from "./support/Homes.ts"

const config = "# mine\nmodel: x # keep\n\nmemory:\n   provider: 'mem0'  # was\nplugins: {enabled: [a,  b]} # list\n"

let top = ""
let home = ""
beforeEach(() => {
  top = temporary()
  home = join(top, "home")
  freshHome(home, config)
})
afterEach(() => remove(top))

const at = (path: string): string => join(home, path)
const text = (path = "config.yaml"): string => fs.readFileSync(at(path), "utf8")
const write = (path: string, content: string): void => fs.writeFileSync(at(path), content)
const journal = (): Journal.Journal => {
  const read = Journal.fromText(fs.readFileSync(placesOf(home).journal, "utf8"))
  assert.isDefined(read)
  return read as Journal.Journal
}

describe("connect", () => {
  it("puts plugins where the host looks, the owner's alone, and touches two keys of its configuration", () => {
    assert.strictEqual(connected(home), "done")
    assert.strictEqual(
      text(),
      config.replace("'mem0'", "hy_memory").replace("[a,  b]", "[a,  b, memory-bridge, hermes-guardian]")
    )
    assert.strictEqual(fs.statSync(at("config.yaml")).mode & 0o7777, 0o640)
    for (const [path, kind] of Object.entries(tree(home))) {
      if (path !== "config.yaml") assert.match(kind, /^(file 600|directory 700)/, path)
    }
    assert.deepStrictEqual(fs.readdirSync(at("plugins")).toSorted(), ["hermes-guardian", "hy_memory", "memory-bridge"])
    assert.deepStrictEqual(fs.readdirSync(home).toSorted(), ["config.yaml", "plugin-data", "plugins"])
    const { made, state, steps } = journal()
    assert.deepStrictEqual([state, made.length, steps.length], ["connected", 3, 1])
    assert.deepStrictEqual(steps[0]?.edits.find(({ plugin }) => plugin === "hy_memory")?.previous, {
      state: "value",
      value: "mem0"
    })
  })

  it("is for the chosen plugins alone, and for more of them later", () => {
    assert.strictEqual(connected(home, small(["memory-bridge"])), "done")
    assert.strictEqual(text(), config.replace("b]", "b, memory-bridge]"))
    assert.strictEqual(connected(home, small(["hy_memory"])), "done")
    assert.strictEqual(text(), config.replace("b]", "b, memory-bridge]").replace("'mem0'", "hy_memory"))
    assert.strictEqual(journal().steps.length, 2)
    assert.strictEqual(disconnected(home), "done")
    assert.deepStrictEqual(Object.keys(tree(home)), ["config.yaml"])
    assert.strictEqual(text(), config)
  })

  it("changes nothing the second time", () => {
    connected(home)
    const before = tree(home)
    assert.strictEqual(connected(home), "already")
    assert.deepStrictEqual(tree(home), before)
  })

  it("does not know another home", () => {
    const other = join(top, "other")
    freshHome(other, "memory:\n  provider: theirs\n")
    connected(home)
    connected(other, small(["hy_memory"]))
    const before = tree(other)
    assert.strictEqual(disconnected(home), "done")
    assert.deepStrictEqual(tree(other), before)
    assert.strictEqual(disconnected(other), "done")
    assert.strictEqual(fs.readFileSync(join(other, "config.yaml"), "utf8"), "memory:\n  provider: theirs\n")
  })

  it("replaces an older version of its own, and leaves what others put beside it", () => {
    connected(home, small(undefined, "0.9.0"))
    write("plugins/hy_memory/connection.json", "{}")
    assert.strictEqual(connected(home), "done")
    assert.include(text("plugins/hy_memory/shim/wire.py"), "1.0.0")
    assert.isTrue(fs.existsSync(at("plugins/hy_memory/shim/old.py")))
    assert.isFalse(fs.existsSync(at("plugins/hy_memory/later")))
    assert.isTrue(fs.existsSync(at("plugins/hy_memory/connection.json")))
    assert.isTrue(journal().plugins.every(({ former }) => former.length === 0))
    assert.strictEqual(disconnected(home), "done")
    assert.deepStrictEqual(Object.keys(tree(home)), [
      "config.yaml",
      "plugins",
      "plugins/hy_memory",
      "plugins/hy_memory/connection.json"
    ])
  })

  it("puts a file back that is missing", () => {
    connected(home)
    const before = tree(home)
    fs.rmSync(at("plugins/memory-bridge/shim"), { recursive: true })
    assert.strictEqual(connected(home), "done")
    assert.deepStrictEqual(tree(home), before)
  })

  it("does not make its own what the user enabled or installed", () => {
    write("config.yaml", "plugins:\n  enabled: [memory-bridge]\n")
    for (const { bytes, path } of smallPlugin("memory-bridge").files) {
      fs.mkdirSync(join(at("plugins/memory-bridge"), path, ".."), { recursive: true, mode: 0o700 })
      fs.writeFileSync(join(at("plugins/memory-bridge"), path), bytes)
    }
    const before = tree(home)
    assert.strictEqual(connected(home, small(["memory-bridge"])), "already")
    assert.strictEqual(connected(home, small(["memory-bridge", "hy_memory"])), "done")
    assert.strictEqual(disconnected(home), "done")
    assert.deepStrictEqual(tree(home), before)
  })
})

describe("connect never overwrites", () => {
  const refuses = (reason: string): void => {
    const before = tree(home)
    assert.strictEqual(connected(home), reason)
    assert.deepStrictEqual(tree(home), before)
  }

  it("a plugin's folder that somebody else made", () => {
    fs.mkdirSync(at("plugins/hermes-guardian"), { recursive: true, mode: 0o700 })
    write("plugins/hermes-guardian/plugin.yaml", "name: hermes-guardian\n")
    refuses("not_ours")
  })

  it("a folder that is a link, as developers make it", () => {
    fs.mkdirSync(at("plugins"), { mode: 0o700 })
    fs.symlinkSync(top, at("plugins/hermes-guardian"))
    refuses("link")
  })

  it("a file of its own that somebody wrote since, nor a link in its place", () => {
    connected(home, small(undefined, "0.9.0"))
    fs.appendFileSync(at("plugins/hy_memory/__init__.py"), "# mine\n")
    refuses("changed_by_user")
    fs.rmSync(at("plugins/hy_memory/__init__.py"))
    fs.symlinkSync(join(top, "home", "config.yaml"), at("plugins/hy_memory/__init__.py"))
    refuses("changed_by_user")
  })

  it("a choice to switch the plugin off", () => {
    write("config.yaml", "plugins:\n  disabled: [hermes-guardian]\n")
    refuses("plugin_disabled")
    assert.strictEqual(connected(home, small(["memory-bridge"])), "done")
  })
})

describe("a place that is not trusted is refused, and nothing is changed:", () => {
  const rows: ReadonlyArray<readonly [string, string, () => void]> = [
    ["a home that is not there", "missing", () => remove(home)],
    ["a home that others can write", "open_to_others", () => fs.chmodSync(home, 0o770)],
    [
      "a home that is a link",
      "link",
      () => {
        fs.renameSync(home, join(top, "real"))
        fs.symlinkSync(join(top, "real"), home)
      }
    ],
    ["a home that is a file", "not_directory", () => (remove(home), fs.writeFileSync(home, ""))],
    ["a configuration that others can write", "open_to_others", () => fs.chmodSync(at("config.yaml"), 0o660)],
    ["a configuration with two names", "hard_link", () => fs.linkSync(at("config.yaml"), join(top, "second"))],
    [
      "a configuration that is a link",
      "link",
      () => {
        fs.renameSync(at("config.yaml"), join(top, "real.yaml"))
        fs.symlinkSync(join(top, "real.yaml"), at("config.yaml"))
      }
    ],
    [
      "a configuration that is a directory",
      "not_regular",
      () => (remove(at("config.yaml")), fs.mkdirSync(at("config.yaml")))
    ],
    [
      "plugins that others can write",
      "open_to_others",
      () => (fs.mkdirSync(at("plugins")), fs.chmodSync(at("plugins"), 0o777))
    ],
    ["plugin data that is a link", "link", () => fs.symlinkSync(top, at("plugin-data"))],
    [
      "a staging folder that others can read",
      "open_to_others",
      () => (fs.mkdirSync(at(".memory-bridge-connect")), fs.chmodSync(at(".memory-bridge-connect"), 0o755))
    ]
  ]
  it.each(rows)("%s", (_, reason, spoil) => {
    spoil()
    const before = tree(top)
    assert.strictEqual(connected(home), reason)
    assert.deepStrictEqual(tree(top), before)
  })

  it.skipIf(process.geteuid?.() !== 0)("a home or configuration of another user (needs root to make one)", () => {
    fs.chownSync(at("config.yaml"), 65_534, 65_534)
    assert.strictEqual(connected(home), "foreign_owner")
    fs.chownSync(at("config.yaml"), 0, 0)
    fs.chownSync(home, 65_534, 65_534)
    assert.strictEqual(connected(home), "foreign_owner")
    assert.strictEqual(disconnected(home), "foreign_owner")
  })

  it("a home that another program is connecting", () => {
    const held = lockHome(connectCalls(), home)
    assert.isTrue(Result.isSuccess(held))
    const second = lockHome(connectCalls(), home)
    assert.isTrue(Result.isFailure(second) && second.failure.reason === "locked")
    if (Result.isSuccess(held)) connectCalls().close(held.success)
    const third = lockHome(connectCalls(), home)
    assert.isTrue(Result.isSuccess(third))
    if (Result.isSuccess(third)) connectCalls().close(third.success)
  })
})

describe("a configuration", () => {
  const forms: ReadonlyArray<readonly [string, string | undefined]> = [
    ["missing", undefined],
    ["empty", ""],
    ["only comments", "# one\n\n  # two"],
    ["in braces", "{plugins: {enabled: [x]}, memory: {provider: mem0}}\n"],
    ["with the line ends of Windows", "a: 1\r\nplugins:\r\n  enabled:\r\n  - x\r\n"],
    ["with anchors elsewhere", "base: &b {x: 1}\nother:\n  <<: *b\nplugins:\n   enabled: []\n"],
    [
      "with a byte order mark and odd indentation",
      "\uFEFFmemory:\n       limit: 1\nplugins:\n enabled:\n          - x\n"
    ],
    ["without a last line break", "plugins:\n  enabled:\n    - x"],
    ["with a key without a value", "plugins:\nmemory:\n# end\n"]
  ]
  it.each(forms)("that is %s is edited, and comes back byte for byte", (_, form) => {
    freshHome(home, form)
    const before = tree(home)
    assert.strictEqual(connected(home), "done")
    const edited = text()
    assert.match(edited, /hy_memory/)
    assert.strictEqual(disconnected(home), "done")
    assert.deepStrictEqual(tree(home), before)
  })

  const unsafe: ReadonlyArray<readonly [string, string, string]> = [
    ["twice the same key", "a: 1\na: 2\n", "duplicate_key"],
    ["an alias on the way", "x: &x {enabled: [a]}\nplugins: *x\n", "alias"],
    ["an anchored list that is used elsewhere", "plugins:\n  enabled: &x [a]\nb: *x\n", "shared_anchor"],
    ["a merge on the way", "x: &x {a: 1}\nplugins:\n  <<: *x\n", "merge_key"],
    ["several documents", "a: 1\n---\nb: 2\n", "several_documents"],
    ["a word in place of the list", "plugins:\n  enabled: all\n", "not_list"],
    ["a provider that readers disagree about", "memory:\n  provider: on\n", "ambiguous"],
    ["a broken file", "a: [1\n", "not_yaml"],
    ["bytes that are no text", "a: \xff\n", "not_utf8"]
  ]
  it.each(unsafe)("with %s is refused with its reason", (_, form, reason) => {
    freshHome(home, undefined)
    fs.writeFileSync(at("config.yaml"), form, form.includes("\xff") ? "latin1" : "utf8")
    const before = tree(home)
    const plan = planConnect(connectCalls(), home, small())
    assert.isTrue(Result.isFailure(plan))
    if (Result.isFailure(plan)) {
      assert.deepStrictEqual([plan.failure.reason, plan.failure.detail], ["file_unsupported", reason])
      assert.notInclude(cureOf(plan.failure).meaning, "unusual;")
    }
    assert.deepStrictEqual(tree(home), before)
  })

  it("that became unsafe to edit stops disconnecting before anything is removed", () => {
    connected(home)
    write("config.yaml", `x: &x [hy_memory]\n${text()}memory: {}\n`)
    const before = tree(home)
    assert.strictEqual(disconnected(home), "file_unsupported")
    assert.deepStrictEqual(tree(home), before)
  })

  it("that somebody writes while it is read is not overwritten", () => {
    const plan = planConnect(connectCalls(), home, small())
    fs.appendFileSync(at("config.yaml"), "late: 1\n")
    assert.isTrue(Result.isSuccess(plan))
    assert.strictEqual(connected(home, small(), { ...connectCalls(), markAt: () => ({ mark: "other" }) }), "changed")
    assert.strictEqual(text(), `${config}late: 1\n`)
    assert.strictEqual(disconnected(home), "done")
    assert.strictEqual(text(), `${config}late: 1\n`)
  })
})

describe("disconnect", () => {
  it("gives the memory provider back, unless another was chosen since", () => {
    connected(home)
    write("config.yaml", text().replace("hy_memory", "honcho"))
    const plan = planUndo(connectCalls(), home)
    assert.isTrue(Result.isSuccess(plan))
    if (Result.isSuccess(plan)) assert.deepStrictEqual(plan.success?.config.left, ["hy_memory"])
    assert.strictEqual(disconnected(home), "done")
    assert.strictEqual(text(), config.replace("'mem0'", "honcho"))
  })

  it("keeps settings that were made below a key of its own", () => {
    freshHome(home, "model: x\n")
    connected(home, small(["hermes-guardian"]))
    write("config.yaml", `${text()}  entries:\n    hermes-guardian: {settings: {mode: log_only}} # mine\n`)
    assert.strictEqual(disconnected(home), "done")
    assert.strictEqual(
      text(),
      "model: x\nplugins:\n  entries:\n    hermes-guardian: {settings: {mode: log_only}} # mine\n"
    )
  })

  it("leaves audits and policies", () => {
    connected(home)
    write("plugin-data/memory-bridge/policy.json", "{}")
    fs.mkdirSync(at("plugin-data/hermes-guardian"))
    write("plugin-data/hermes-guardian/audit.jsonl", "{}\n")
    assert.strictEqual(disconnected(home), "done")
    assert.deepStrictEqual(Object.keys(tree(home)), [
      "config.yaml",
      "plugin-data",
      "plugin-data/hermes-guardian",
      "plugin-data/hermes-guardian/audit.jsonl",
      "plugin-data/memory-bridge",
      "plugin-data/memory-bridge/policy.json"
    ])
  })

  it("removes what Python made of its sources, and nothing that Python made of others", () => {
    connected(home)
    for (const name of ["wire.cpython-313.pyc", "wire.cpython-314.opt-1.pyc", "theirs.cpython-313.pyc"]) {
      fs.mkdirSync(at("plugins/hy_memory/shim/__pycache__"), { recursive: true })
      write(`plugins/hy_memory/shim/__pycache__/${name}`, "bytecode")
    }
    assert.strictEqual(disconnected(home), "done")
    assert.deepStrictEqual(fs.readdirSync(at("plugins/hy_memory/shim/__pycache__")), ["theirs.cpython-313.pyc"])
  })

  it("does not follow a link that took the place of a plugin", () => {
    connected(home)
    const elsewhere = join(top, "elsewhere")
    fs.renameSync(at("plugins/hy_memory"), elsewhere)
    fs.symlinkSync(elsewhere, at("plugins/hy_memory"))
    const before = tree(elsewhere)
    assert.strictEqual(disconnected(home), "done")
    assert.deepStrictEqual(tree(elsewhere), before)
    assert.isTrue(fs.lstatSync(at("plugins/hy_memory")).isSymbolicLink())
  })

  it("of a home that was not connected changes nothing", () => {
    const before = tree(home)
    assert.strictEqual(disconnected(home), "not_connected")
    assert.deepStrictEqual(tree(home), before)
  })
})

describe("the journal", () => {
  it("holds no more of the configuration than the places that changed", () => {
    freshHome(home, `secret: sk-synthetic # hidden\n${config}`)
    connected(home)
    assert.notInclude(fs.readFileSync(placesOf(home).journal, "utf8"), "sk-synthetic")
  })

  const spoilt: ReadonlyArray<readonly [string, (text: string) => string]> = [
    ["is cut off", (whole) => whole.slice(0, -40)],
    ["has a key that nobody knows", (whole) => whole.replace('"version": 1', '"version": 1, "more": 1')],
    ["has a key twice", (whole) => whole.replace('"version": 1', '"version": 1, "version": 1')],
    ["is of another version", (whole) => whole.replace('"version": 1', '"version": 2')],
    ["names a path above the plugin", (whole) => whole.replace("__init__.py", "../config.yaml")],
    ["names an absolute path", (whole) => whole.replace("__init__.py", "/etc/hosts")],
    ["names the plugin's own folder", (whole) => whole.replace("__init__.py", ".")]
  ]
  it.each(spoilt)("that %s is refused by both, and removes nothing", (_, spoil) => {
    connected(home)
    const path = placesOf(home).journal
    fs.writeFileSync(path, spoil(fs.readFileSync(path, "utf8")))
    const before = tree(home)
    assert.strictEqual(disconnected(home), "journal_invalid")
    assert.strictEqual(connected(home), "journal_invalid")
    assert.deepStrictEqual(tree(home), before)
  })

  it("that others can read is refused", () => {
    connected(home)
    fs.chmodSync(placesOf(home).journal, 0o644)
    const plan = planUndo(connectCalls(), home)
    assert.isTrue(Result.isFailure(plan))
    if (Result.isFailure(plan)) {
      assert.strictEqual(plan.failure.reason, "open_to_others")
      assert.match(cureOf(plan.failure).cure, /^chmod go-rwx /)
    }
  })
})

describe("a plugin beside the program", () => {
  it("is whole, or refused", () => {
    const folder = join(top, "hy_memory")
    fs.mkdirSync(folder)
    const reason = () => {
      const read = shippedIn("hy_memory", folder)
      return Result.isFailure(read) ? read.failure.reason : "whole"
    }
    assert.strictEqual(reason(), "source_missing")
    fs.writeFileSync(join(folder, "plugin.yaml"), "version: 1.2.3\n")
    fs.writeFileSync(join(folder, "sidecar.cjs"), "")
    assert.strictEqual(reason(), "native_missing")
    const native = join(top, "node_modules", "@koromix", `koffi-${process.platform}-${process.arch}`)
    fs.mkdirSync(native, { recursive: true })
    fs.writeFileSync(join(native, "package.json"), "{}")
    assert.strictEqual(reason(), "whole")
    const read = shippedIn("hy_memory", folder)
    if (Result.isFailure(read)) return
    assert.strictEqual(read.success.version, "1.2.3")
    assert.include(
      read.success.files.map(({ path }) => path),
      `node_modules/@koromix/koffi-${process.platform}-${process.arch}/package.json`
    )
  })
})

describe("each reason", () => {
  it.each(connectReasons)("%s has words and a cure, and the cure removes nothing", (reason) => {
    const { cure, meaning } = cureOf(refusal(reason, "/h/.hermes/it's here", "merge_key", 3))
    assert.isAbove(meaning.length, 5)
    assert.isAbove(cure.length, 5)
    assert.notMatch(cure, /\brm\b|-[rR]\b|sudo/)
    assert.notInclude(cure.replaceAll(String.raw`'\''`, ""), "it's")
  })
})
