/** The state file between processes: nothing is lost, and a kill leaves it whole. (cases/recall.md 31) */
import { assert, describe, it } from "@effect/vitest"
import { stateOf } from "@memory-bridge/core/recall/SeenFile"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { heard, startChild } from "./support/Child.ts"
import { emptyHome, type Home } from "./support/Home.ts"
import { here } from "./support/Peers.ts"

const stateFile = (home: Home) => join(home.path, ".one-memory", "hy-memory-seen.json")

const marking = (home: Home, name: string, ...count: ReadonlyArray<string>) =>
  startChild(process.execPath, ["--no-warnings", join(here, "peers", "mark.ts"), home.path, name, ...count])

/** The ids in the file, which is read as it is at this moment. */
const marked = (home: Home): ReadonlyArray<string> => {
  const state = stateOf(readFileSync(stateFile(home), "utf8"))
  if (state === undefined) throw new Error("the file is not whole")
  return [...(state.sessions.get("s1")?.keys() ?? [])]
}

describe("two processes that mark different memories", () => {
  it.live("keep both", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      const children = yield* Effect.all([marking(home, "a", "40"), marking(home, "b", "40")])
      for (const child of children) yield* Effect.promise(() => child.ended)
      const said = children.flatMap(({ lines }) => lines.map(({ marked }) => marked as string))
      assert.strictEqual(said.length, 80)
      assert.deepStrictEqual(marked(home).toSorted(), said.toSorted())
    }).pipe(Effect.scoped)
  )
})

describe("a process that is killed while it writes", () => {
  it.live("leaves a whole file with all that it said it had written, and no lock", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      const promised: Array<string> = []
      for (let round = 0; round < 6; round++) {
        const child = yield* marking(home, `r${round}-`)
        // A different moment of the writing each time.
        yield* heard(child, ({ marked }) => (marked === `r${round}-${5 + round * 3}` ? true : undefined))
        yield* Effect.promise(child.kill)
        promised.push(...child.lines.map(({ marked }) => marked as string))
        assert.includeMembers([...marked(home)], promised)
      }
      const last = yield* marking(home, "last", "1")
      assert.strictEqual(yield* Effect.promise(() => last.ended), 0)
      assert.include(marked(home), "last0")
      assert.deepStrictEqual(readdirSync(join(home.path, ".one-memory")).toSorted(), [
        ".hy-memory-seen.lock",
        "hy-memory-seen.json"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("is never seen half by one that reads meanwhile", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      const child = yield* marking(home, "a")
      yield* heard(child, ({ marked }) => (marked === "a0" ? true : undefined))
      let before = 0
      for (let count = 0; count < 500; count++) {
        const now = marked(home).length
        assert.isAtLeast(now, Math.min(before, 512))
        before = now
        if (count % 50 === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.isUndefined(child.lines.find(({ lost }) => lost !== undefined))
    }).pipe(Effect.scoped)
  )
})
