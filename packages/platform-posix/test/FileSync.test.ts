/** Which call puts data on stable storage, with a C library that does as the test says. (macOS fcntl(2), F_FULLFSYNC) */
import { fileSync, laterFileSync } from "@memory-bridge/platform-posix/FileSync"
import { assert, describe, it } from "@effect/vitest"
import { beforeEach, vi } from "vitest"

const EINTR = 4
const F_FULLFSYNC = 51

const state = vi.hoisted(() => ({
  calls: [] as Array<string>,
  prototypes: [] as Array<string>,
  /** Result and errno of the next calls, zero when there are no more. */
  answers: [] as Array<readonly [number, number]>,
  errno: 0
}))

vi.mock("koffi", () => {
  const func = (prototype: string) => {
    state.prototypes.push(prototype)
    const name = /(\w+)\(/.exec(prototype)![1]!
    const call = (...args: ReadonlyArray<number>): number => {
      state.calls.push(`${name}(${args.join(", ")})`)
      const [result, errno] = state.answers.shift() ?? [0, 0]
      state.errno = errno
      return result
    }
    return Object.assign(call, {
      async: (...args: ReadonlyArray<unknown>) => {
        const done = args.at(-1) as (error: unknown, result: number) => void
        done(null, call(...(args.slice(0, -1) as ReadonlyArray<number>)))
      }
    })
  }
  return { default: { load: () => ({ func }), errno: () => state.errno } }
})

beforeEach(() => {
  state.calls = []
  state.prototypes = []
  state.answers = []
})

describe("a sync", () => {
  for (const [title, sync] of [
    ["at once", (platform: NodeJS.Platform) => async (descriptor: number) => fileSync(platform)(descriptor)],
    ["on a thread", laterFileSync]
  ] as const) {
    it(`${title}: reaches the medium on macOS`, async () => {
      assert.strictEqual(await sync("darwin")(7), "synced")
      assert.deepStrictEqual(state.calls, [`fcntl(7, ${F_FULLFSYNC})`])
    })

    it(`${title}: goes as far as the file system lets it on macOS`, async () => {
      state.answers = [[-1, 45]]
      assert.strictEqual(await sync("darwin")(7), "synced")
      assert.deepStrictEqual(state.calls, [`fcntl(7, ${F_FULLFSYNC})`, "fsync(7)"])
    })

    it(`${title}: fails when both fail`, async () => {
      state.answers = [
        [-1, 5],
        [-1, 5]
      ]
      assert.strictEqual(await sync("darwin")(7), "failed")
    })

    it(`${title}: is fsync on Linux`, async () => {
      assert.strictEqual(await sync("linux")(7), "synced")
      assert.deepStrictEqual(state.calls, ["fsync(7)"])
    })
  }

  it("is made again when interrupted", () => {
    state.answers = [[-1, EINTR]]
    assert.strictEqual(fileSync("darwin")(7), "synced")
    assert.deepStrictEqual(state.calls, [`fcntl(7, ${F_FULLFSYNC})`, `fcntl(7, ${F_FULLFSYNC})`])
  })
})
