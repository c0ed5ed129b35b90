/** The demo shows the real plugin, judges honestly, and speaks plainly. (seed 000 "Synthetic demo") */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { chmodSync, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import {
  built,
  current,
  type Ended,
  environment,
  fromSource,
  pluginBuilt,
  type Program,
  run,
  runInTerminal
} from "./given/Cli.ts"
import { changedPlugin, demoPlace, pathWith } from "./given/DemoPlace.ts"

const show = (text: string): string =>
  text
    .replace(/\S*memory-bridge-demo-\w+/g, (path) => (path.startsWith('"') ? '"<demo>' : "<demo>"))
    .replace(/Python [\d.]+, Node [\d.]+/, "Python <version>, Node <version>")

const demo = (args: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}, input = ""): Ended =>
  run(current, ["demo", ...args], { env: { ...demoPlace().env, ...env }, input })

describe.skipIf(!pluginBuilt)(`the demo${pluginBuilt ? "" : " (skipped: dist/hermes is not built)"}`, () => {
  it("looks like this", async () => {
    const { code, stderr, stdout } = run(fromSource, ["demo"], { env: demoPlace().env })
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    await expect(show(stdout)).toMatchFileSnapshot("golden/demo.txt")
  })

  it("says that the host is simulated, and ends with its count", () => {
    const { stdout } = demo()
    assert.include(stdout, "The host is simulated")
    assert.match(stdout, /\n\d+ passed, 0 failed\n$/)
  })

  it("keeps its place and the secret out of every answer", () => {
    const answers = demo()
      .stdout.split("\n")
      .filter((line) => /^ +answer /.test(line))
    assert.isAbove(answers.length, 20)
    for (const answer of answers) assert.notMatch(answer, /memory-bridge-demo|kingfisher/)
  })

  it.skipIf(typeof built === "string")(
    `is the same when built, on Node 20${typeof built === "string" ? ` (skipped: ${built})` : ""}`,
    async () => {
      const { code, stdout } = run(built as Program, ["demo"], { env: demoPlace().env })
      assert.strictEqual(code, 0)
      await expect(show(stdout)).toMatchFileSnapshot("golden/demo.txt")
    }
  )

  it("works under a umask that lets groups write", () => {
    const { status } = spawnSync("sh", ["-c", 'umask 002; exec "$0" "$@"', current.node, current.script, "demo"], {
      env: environment(demoPlace().env)
    })
    assert.strictEqual(status, 0)
  })

  it("fits a narrow terminal and uses colour only there", () => {
    const { env } = demoPlace()
    const narrow = runInTerminal(current, ["demo"], 60, { ...env, NO_COLOR: "1" })
    assert.strictEqual(narrow.code, 0)
    assert.include(runInTerminal(current, ["demo"], 60, env).stdout, "\u001b[32mok\u001b[39m")
    assert.notInclude(narrow.stdout, "\u001b")
    const answers = narrow.stdout
      .split("\n")
      .filter((line) => line.startsWith("     ") && !/^ +(ok|FAILED) /.test(line))
    for (const line of answers) assert.isAtMost(line.length, 60)
  })

  it("does not touch a real Hermes home", () => {
    const { env } = demoPlace()
    const facts = () =>
      readdirSync(env["HOME"] ?? "", { recursive: true, encoding: "utf8" }).map((path) => {
        const { ctimeMs, mode, size } = lstatSync(join(env["HOME"] ?? "", path))
        return { path, ctimeMs, mode, size }
      })
    const before = facts()
    assert.strictEqual(run(current, ["demo"], { env }).code, 0)
    assert.deepStrictEqual(facts(), before)
  })
})

describe.skipIf(!pluginBuilt)("a demo of a plugin that is wrong", () => {
  const failures: ReadonlyArray<readonly [what: string, file: string, before: string, after: string, got: string]> = [
    [
      "that answers refusals at will",
      "tools.py",
      "json.dumps(answer, ensure_ascii=False)",
      "json.dumps({'ok': True, 'results': []})",
      "other results"
    ],
    [
      "that leaks a path",
      "tools.py",
      "json.dumps(answer, ensure_ascii=False)",
      "json.dumps({**answer, 'from': __file__}, ensure_ascii=False)",
      "a text that must never leave"
    ]
  ]

  it.each(failures)("%s fails, step by step, with exit code 1", (_, file, before, after, got) => {
    const { code, stderr, stdout } = demo(["--plugin", changedPlugin(file, before, after)])
    assert.strictEqual(code, 1, stderr)
    assert.include(stdout, `got ${got}`)
    assert.match(stdout, /\n\d+ passed, [1-9]\d* failed\n$/)
  })

  it("that does not load is said in one line, with exit code 2", () => {
    const { code, stderr, stdout } = demo(["--plugin", changedPlugin("tools.py", "import json", "import jsno")])
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.include(stderr, "The simulated host ended early.\n  last words  ModuleNotFoundError")
    assert.notInclude(stderr, "Traceback")
  })

  it("that registers other tools is not shown", () => {
    const { code, stderr } = demo([
      "--plugin",
      changedPlugin("tools.py", '"memory_bridge_read",', '"memory_bridge_cat",')
    ])
    assert.strictEqual(code, 2)
    assert.include(stderr, "registered: memory_bridge_cat, memory_bridge_search")
  })

  it("that is not there is said to be missing", () => {
    const { code, stderr } = demo(["--plugin", "/nonexistent"])
    assert.strictEqual(code, 2)
    assert.strictEqual(stderr, "memory-bridge: There is no built plugin in /nonexistent.\n  cure  npm run build\n")
  })
})

describe.skipIf(!pluginBuilt)("a demo that cannot run", () => {
  it("for want of Python says so", () => {
    const { code, stderr, stdout } = demo([], { PATH: pathWith(undefined) })
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.include(stderr, "The demo needs Python.\n  cure  install Python 3.11 or newer")
  })

  it("for a Python that is too old names its version", () => {
    const old = '#!/bin/sh\necho \'{"python_too_old": "3.9.6"}\'\n'
    const { code, stderr } = demo([], { PATH: pathWith(old) })
    assert.strictEqual(code, 2)
    assert.include(stderr, "needs Python 3.11 or newer; python3 on PATH is 3.9.6.")
  })

  it("for a Python that fails tells its last words", () => {
    const { code, stderr } = demo([], {
      PATH: pathWith("#!/bin/sh\necho first >&2\necho 'no\u001b[2Jt today' >&2\nexit 3\n")
    })
    assert.strictEqual(code, 2)
    assert.include(stderr, String.raw`last words  $'no\x1b[2Jt today'`)
  })

  it("for a temporary directory that others can write explains it like any refusal", () => {
    const place = demoPlace()
    chmodSync(place.temporary, 0o770)
    const { code, stderr } = run(current, ["demo"], { env: place.env })
    assert.strictEqual(code, 2)
    assert.include(stderr, "Set TMPDIR to a directory of your own")
    assert.include(stderr, `component  ${place.temporary}\n`)
    assert.include(stderr, `cure       chmod go-w '${place.temporary}'\n`)
    assert.deepStrictEqual(place.files(), [])
  })
})

const prompt = (input: string): string => {
  const { code, stderr, stdout } = demo(["--interactive"], {}, input)
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  return stdout.slice(stdout.indexOf("The policies are as at the start"))
}

describe.skipIf(!pluginBuilt)("the demo's prompt", () => {
  it("looks like this", async () => {
    const input =
      "search garden\nread projects/private/budget.md\nas beta\nsearch garden\nas cron\nsearch garden\nhello\nquit\nread x\n"
    await expect(prompt(input)).toMatchFileSnapshot("golden/prompt.txt")
  })

  it.each([
    ["at once", ""],
    ["after a line", "search garden\n"],
    ["after a line without its end", "search garden"]
  ])("ends with the input: %s", (_, input) => {
    const text = prompt(input)
    assert.match(text, /alpha> \n$/)
    assert.strictEqual(text.includes('"decisions/watering.md"'), input !== "")
  })
})
