/**
 * Issue 7: "connect / disconnect: kill at every step." Whatever step a process dies at, `connect` completes the same home
 * and `disconnect` gives back the same bytes; and so it does where the system refuses a step.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { connectCalls } from "memory-bridge/connect/Places"
import { rolldown } from "rolldown"
import { changing, endingAt, type Moment, stepsOf, watched } from "./support/Faults.ts"
import { connected, disconnected, freshHome, remove, small, temporary, tree, treeBut } from "./support/Homes.ts"

const source = new URL("support/ConnectProcess.ts", import.meta.url).pathname
// Inside the workspace, so that the native part is found; bundled, because it is started often.
const folder = new URL(`../../.build/connect-crash-${process.pid}`, import.meta.url).pathname
const program = join(folder, "ConnectProcess.mjs")
beforeAll(async () => {
  const bundle = await rolldown({
    input: source,
    platform: "node",
    external: ["koffi"],
    resolve: { mainFields: ["module", "main"] }
  })
  await bundle.write({ file: program, format: "esm" })
  await bundle.close()
})
afterAll(() => remove(folder))

let top = ""
let home = ""
beforeEach(() => {
  top = temporary()
  home = join(top, "home")
})
afterEach(() => remove(top))

const plugins = small(["memory-bridge", "hy_memory"])
const configText = "# keys\nkey: sk-synthetic # mine\nmemory:\n   provider: 'other' # was\nlast: true"
const journal = "connect-journal.json"

const unconnected = (): void => freshHome(home, configText)
const withoutConfig = (): void => freshHome(home, undefined)
const connectedBefore = (): void => {
  unconnected()
  assert.strictEqual(connected(home, plugins), "done")
}
const olderBefore = (): void => {
  unconnected()
  assert.strictEqual(connected(home, small(["memory-bridge", "hy_memory"], "0.9.0")), "done")
}
const byNobody = (): void => {
  withoutConfig()
  assert.strictEqual(connected(home, plugins), "done")
}

type Way = "connect" | "disconnect"
const run = (way: Way, calls = connectCalls()): string =>
  way === "connect" ? connected(home, plugins, calls) : disconnected(home, calls)

const ways: ReadonlyArray<readonly [string, Way, () => void, string | undefined]> = [
  ["connecting", "connect", unconnected, configText],
  ["connecting a home without configuration", "connect", withoutConfig, undefined],
  ["connecting over an older version", "connect", olderBefore, configText],
  ["disconnecting", "disconnect", connectedBefore, configText],
  ["disconnecting a home that had no configuration", "disconnect", byNobody, undefined]
]

/** The two ends that a home may come to, from a run that nothing disturbed. */
const ends = (before: () => void, config: string | undefined) => {
  freshHome(home, config)
  const apart = tree(home)
  before()
  connected(home, plugins)
  return { apart, together: treeBut(home, journal) }
}

/** Completes in both directions; the home is a copy for the second. */
const checkEnds = (said: string, { apart, together }: ReturnType<typeof ends>): void => {
  const copy = join(top, "copy")
  remove(copy)
  fs.cpSync(home, copy, { recursive: true, preserveTimestamps: true })
  fs.chmodSync(copy, 0o700)
  assert.include(["done", "already"], connected(home, plugins), said)
  assert.deepStrictEqual(treeBut(home, journal), together, said)
  assert.strictEqual(connected(home, plugins), "already", said)
  for (const [place, first] of [
    [home, "done"],
    [copy, undefined]
  ] as const) {
    const result = disconnected(place)
    if (first !== undefined) assert.strictEqual(result, first, said)
    assert.include(["done", "not_connected"], result, said)
    assert.deepStrictEqual(tree(place), apart, said)
    assert.strictEqual(disconnected(place), "not_connected", said)
  }
}

/** The host is never told to load what is not whole. */
const checkNamed = (said: string): void => {
  const file = join(home, "config.yaml")
  const named = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : ""
  for (const name of ["memory-bridge", "hy_memory"]) {
    if (!named.includes(name)) continue
    for (const part of ["__init__.py", "plugin.yaml", "shim/wire.py", "node_modules/@koromix/native/part.node"]) {
      assert.isTrue(fs.existsSync(join(home, "plugins", name, part)), `${said}: ${name} is named without ${part}`)
    }
  }
}

class Died extends Error {}
const die = (): never => {
  throw new Died()
}

const moments = (step: string, isLast: boolean): ReadonlyArray<Moment> => [
  "before",
  ...(step === "write" ? (["half"] as const) : []),
  ...(isLast ? (["after"] as const) : [])
]

describe.each(ways)("%s", (_, way, prepare, config) => {
  it("cut off at every step: completed and undone as if nothing had been", { timeout: 120_000 }, () => {
    const wanted = ends(prepare, config)
    prepare()
    const steps = stepsOf((calls) => run(way, calls))
    const last = steps.findLastIndex((step) => changing.has(step))
    for (const [index, step] of steps.entries()) {
      if (!changing.has(step)) continue
      for (const moment of moments(step, index === last)) {
        prepare()
        const said = `cut off ${moment} ${step} (${index})`
        assert.throws(() => run(way, endingAt(index, moment, die)), Died, undefined, said)
        checkNamed(said)
        checkEnds(said, wanted)
      }
    }
  })

  it("refused by the system at every step: nothing is left open, and it completes later", { timeout: 120_000 }, () => {
    const wanted = ends(prepare, config)
    prepare()
    const steps = stepsOf((calls) => run(way, calls))
    const open = () => (fs.existsSync("/proc/self/fd") ? fs.readdirSync("/proc/self/fd").length : 0)
    for (const [index, step] of steps.entries()) {
      if (step === "user" || !(changing.has(step) || index % 5 === 0)) continue
      prepare()
      const descriptors = open()
      const failing = watched((name, at, perform) => {
        if (at !== index) return perform()
        if (name === "close") return (perform(), "EIO")
        return name === "sync" || name === "lock" ? "failed" : "EIO"
      })
      const said = `EIO at ${step} (${index})`
      run(way, failing)
      assert.strictEqual(open(), descriptors, said)
      checkEnds(said, wanted)
    }
  })
})

describe("connecting fewer plugins after an update was cut off", () => {
  it("still knows both versions of the others", { timeout: 60_000 }, () => {
    const { apart } = ends(olderBefore, configText)
    olderBefore()
    const steps = stepsOf((calls) => run("connect", calls))
    for (const [index, step] of steps.entries()) {
      if (step !== "rename" && step !== "unlink") continue
      olderBefore()
      const said = `cut off after ${step} (${index})`
      assert.throws(() => run("connect", endingAt(index, "after", die)), Died, undefined, said)
      assert.include(["done", "already"], connected(home, small(["memory-bridge"])), said)
      assert.strictEqual(disconnected(home), "done", said)
      assert.deepStrictEqual(tree(home), apart, said)
    }
  })
})

describe.each(ways.filter(([name]) => name === "connecting" || name === "disconnecting"))(
  "%s in a process of its own",
  (_, way, prepare, config) => {
    it("killed at every third step that changes the disk: the same", { timeout: 120_000 }, () => {
      const wanted = ends(prepare, config)
      prepare()
      const steps = stepsOf((calls) => run(way, calls))
      const chosen = [...steps.entries()].filter(([, step]) => changing.has(step)).filter((_step, at) => at % 3 === 0)
      for (const [index, step] of chosen) {
        prepare()
        const moment = step === "write" ? "half" : "before"
        const child = spawnSync(process.execPath, [program, home, way, `${index}`, moment], { encoding: "utf8" })
        const said = `killed ${moment} ${step} (${index}) ${child.stderr}`
        assert.strictEqual(child.signal, "SIGKILL", said)
        checkEnds(said, wanted)
      }
    })
  }
)
