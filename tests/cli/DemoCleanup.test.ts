/** However the demo ends, its files and its processes are gone. (seed 000 "Synthetic demo": on normal exit or interruption) */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { begin, built, current, fromSource, pluginBuilt, run, type Program } from "./given/Cli.ts"
import { changedPlugin, type DemoPlace, demoPlace } from "./given/DemoPlace.ts"

const nothingLeft = async (place: DemoPlace): Promise<void> => {
  assert.deepStrictEqual(place.files(), [])
  assert.deepStrictEqual(await place.processes(), [])
}

const programs: ReadonlyArray<readonly [name: string, program: Program]> = [
  [current === fromSource ? "from source" : "built", current],
  ...(typeof built === "string" ? [] : [["built, on Node 20", built] as const])
]

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129]
] as const

describe.skipIf(!pluginBuilt).each(programs)("nothing is left of a demo %s", (_, program) => {
  it("that ends by itself", async () => {
    const place = demoPlace()
    assert.strictEqual(run(program, ["demo"], { env: place.env }).code, 0)
    await nothingLeft(place)
  })

  it.each(signals)("that gets %s at its prompt", async (signal, code) => {
    const place = demoPlace()
    const running = begin(program, ["demo", "--interactive"], { env: place.env })
    await running.saw("alpha> ")
    assert.strictEqual(place.files().length, 1)
    assert.isNotEmpty(await place.processes())
    running.process.kill(signal)
    const { code: got, stderr } = await running.ended
    assert.deepStrictEqual({ got, stderr }, { got: code, stderr: "" })
    await nothingLeft(place)
  })

  it.each(["Memory Bridge demo", "  3. ", " 15. ", " 21. "])(
    "that is interrupted when it has shown %j",
    async (text) => {
      const place = demoPlace()
      const running = begin(program, ["demo"], { env: place.env })
      await running.saw(text)
      running.process.kill("SIGINT")
      assert.strictEqual((await running.ended).code, 130)
      await nothingLeft(place)
    }
  )

  it("that is interrupted twice", async () => {
    const place = demoPlace()
    const running = begin(program, ["demo", "--interactive"], { env: place.env })
    await running.saw("alpha> ")
    running.process.kill("SIGINT")
    setTimeout(() => running.process.kill("SIGINT"), 5)
    assert.strictEqual((await running.ended).code, 130)
    await nothingLeft(place)
  })

  it.each([20, 120, 220, 320])("that is interrupted %d ms after its first file", async (wait) => {
    const place = demoPlace()
    const running = begin(program, ["demo", "--interactive"], { env: place.env })
    while (place.files().length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    await new Promise((resolve) => setTimeout(resolve, wait))
    running.process.kill("SIGTERM")
    assert.strictEqual((await running.ended).code, 143)
    await nothingLeft(place)
  })

  it("whose reader has gone", async () => {
    const place = demoPlace()
    const running = begin(program, ["demo"], { env: place.env })
    await running.saw("  1. ")
    running.process.stdout?.destroy()
    const { code, stderr } = await running.ended
    assert.deepStrictEqual({ code, stderr }, { code: 141, stderr: "" })
    await nothingLeft(place)
  })
})

describe.skipIf(!pluginBuilt)("nothing is left of a demo", () => {
  it("with a step that fails", async () => {
    const place = demoPlace()
    const plugin = changedPlugin("tools.py", "json.dumps(answer, ensure_ascii=False)", "json.dumps({'ok': True})")
    assert.strictEqual(run(current, ["demo", "--plugin", plugin], { env: place.env }).code, 1)
    await nothingLeft(place)
  })

  it("whose host does not start", async () => {
    const place = demoPlace()
    const plugin = changedPlugin("tools.py", "import json", "raise SystemExit(7)")
    assert.strictEqual(run(current, ["demo", "--plugin", plugin], { env: place.env }).code, 2)
    await nothingLeft(place)
  })

  it("whose host is killed under it", async () => {
    const place = demoPlace()
    const running = begin(current, ["demo", "--interactive"], { env: place.env })
    await running.saw("alpha> ")
    const found = spawnSync("pgrep", ["-f", `${place.temporary}.*host[.]py`], { encoding: "utf8" })
    process.kill(Number(found.stdout.trim()), "SIGKILL")
    running.process.stdin?.write("search garden\n")
    const { code, stderr } = await running.ended
    assert.strictEqual(code, 2)
    assert.include(stderr, "The simulated host ended early.")
    await nothingLeft(place)
  })

  it("whose host neither unloads nor heeds SIGTERM", async () => {
    const place = demoPlace()
    const stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    const plugin = changedPlugin("__init__.py", "sidecar.close()", `exec("${stubborn}")`)
    const running = begin(current, ["demo", "--interactive", "--plugin", plugin], { env: place.env })
    await running.saw("alpha> ")
    running.process.kill("SIGINT")
    assert.strictEqual((await running.ended).code, 130)
    await nothingLeft(place)
  })
})
