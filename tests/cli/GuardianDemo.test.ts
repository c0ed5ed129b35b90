/**
 * The guardian's demo shows the real hook, judges honestly, and leaves nothing behind. (seed 004 "Quick demonstration",
 * issue 3 part 6)
 */
import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { begin, built, current, type Ended, type Program, run, top } from "./given/Cli.ts"
import { changedPlugin, demoPlace, pathWith } from "./given/DemoPlace.ts"

const isBuilt = existsSync(join(top, "dist/hermes/hermes-guardian/sidecar.cjs"))

const show = (text: string): string =>
  text
    .replace(/\/\S*?memory-bridge-demo-\w+/g, "<demo>")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replace(/"time":"[^"]+"/g, '"time":"<time>"')
    .replace(/Python [\d.]+, Node [\d.]+/, "Python <version>, Node <version>")

const demo = (args: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}): Ended =>
  run(current, ["guardian", "demo", ...args], { env: { ...demoPlace().env, ...env } })

describe.skipIf(!isBuilt)(`the guardian's demo${isBuilt ? "" : " (skipped: dist/hermes is not built)"}`, () => {
  it("looks like this", async () => {
    const { code, stderr, stdout } = demo()
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    await expect(show(stdout)).toMatchFileSnapshot("golden/guardian-demo.txt")
  })

  it.skipIf(typeof built === "string")(
    `is the same when built, on Node 20${typeof built === "string" ? ` (skipped: ${built})` : ""}`,
    async () => {
      const { code, stdout } = run(built as Program, ["guardian", "demo"], { env: demoPlace().env })
      assert.strictEqual(code, 0)
      await expect(show(stdout)).toMatchFileSnapshot("golden/guardian-demo.txt")
    }
  )

  it("ends with its count, and never gives two approvals one key", () => {
    const runs = [demo().stdout, demo().stdout]
    for (const text of runs) assert.match(text, /\n1 allow, 1 approve, 5 block\n$/)
    assert.lengthOf(new Set(runs.map((text) => /"rule_key": "([^"]+)"/.exec(text)?.[1])), 2)
  })

  it("that cannot find its plugin, or Python, says so", () => {
    const missing = demo(["--plugin", "/nonexistent"])
    assert.strictEqual(missing.code, 2)
    assert.strictEqual(
      missing.stderr,
      "memory-bridge: There is no built plugin in /nonexistent.\n  cure  npm run build\n"
    )
    const bare = demo([], { PATH: pathWith(undefined) })
    assert.strictEqual(bare.code, 2)
    assert.include(bare.stderr, "The demo needs Python.")
  })
})

describe.skipIf(!isBuilt)("a demo of a guardian that is wrong", () => {
  it.each([
    [
      "that lets everything through",
      "return self._decide(tool_name, args)",
      "self._decide(tool_name, args); return None",
      "got allow"
    ],
    ["that blocks everything", "return self._decide(tool_name, args)", "return _blocked()", "got block"],
    [
      "that decides unrecorded",
      '.call("guardian.evaluate", request, seconds)',
      '.call("ping", None, seconds) and {"action": "allow"}',
      "got 0 records of it"
    ],
    [
      "that tells what was asked",
      "return dict(answer)",
      'return {**answer, "message": "/project/notes.md"}',
      "got a text of the call that must stay in it"
    ],
    ["that says what no host knows", "return dict(answer)", 'return {**answer, "more": "x"}', "got no directive"]
  ])("%s fails, with exit code 1", (_, before, after, got) => {
    const { code, stderr, stdout } = demo(["--plugin", changedPlugin("hook.py", before, after, "hermes-guardian")])
    assert.strictEqual(code, 1, stderr)
    assert.include(stdout, got)
  })

  it("that registers something else is not shown", () => {
    const plugin = changedPlugin("__init__.py", '"pre_tool_call"', '"post_tool_call"', "hermes-guardian")
    const { code, stderr } = demo(["--plugin", plugin])
    assert.strictEqual(code, 2)
    assert.include(stderr, "registered: post_tool_call")
  })
})

describe.skipIf(!isBuilt)("nothing is left of a guardian's demo", () => {
  it("that ends by itself", async () => {
    const place = demoPlace()
    assert.strictEqual(run(current, ["guardian", "demo"], { env: place.env }).code, 0)
    assert.deepStrictEqual(place.files(), [])
    assert.deepStrictEqual(await place.processes(), [])
  })

  it.each([
    ["SIGINT", 130, "Hermes Guardian demo"],
    ["SIGTERM", 143, "  1. "],
    ["SIGHUP", 129, "  2. "]
  ] as const)("that gets %s", async (signal, expected, text) => {
    const place = demoPlace()
    const running = begin(current, ["guardian", "demo"], { env: place.env })
    await running.saw(text)
    running.process.kill(signal)
    const { code, stderr } = await running.ended
    // It may have been through already: the calls take a few milliseconds each.
    assert.include([expected, 0], code)
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(place.files(), [])
    assert.deepStrictEqual(await place.processes(), [])
  })

  it("whose reader has gone", async () => {
    const place = demoPlace()
    const running = begin(current, ["guardian", "demo"], { env: place.env })
    await running.saw("Hermes Guardian demo")
    running.process.stdout?.destroy()
    assert.include([141, 0], (await running.ended).code)
    assert.deepStrictEqual(place.files(), [])
    assert.deepStrictEqual(await place.processes(), [])
  })
})
