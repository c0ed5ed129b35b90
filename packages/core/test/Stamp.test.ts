/** design.md section 8: a stamp tells exactly the facts that it was made of, word by word. */
import { assert, describe, it } from "@effect/vitest"
import type { Facts } from "@memory-bridge/core/tree/Facts"
import { isStamped, noStamp, seenAs, sizeIn, stampAt, stampWords, writeStamp } from "@memory-bridge/core/tree/Stamp"
import * as Effect from "effect/Effect"
import { decided, type Dice } from "../../../tests/property/Generators.ts"
import { file } from "./given/Facts.ts"

const wide = [0n, 1n, 7n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn, 0x1_0000_0000n, 0xffff_ffff_ffff_ffffn]
const times = [0n, 1n, -1n, -1_000_000_000n, 999_999_999n, 1_000_000_000n, 4_294_967_296_000_000_000n]

const factsFrom = ({ pick }: Dice): Facts => ({
  kind: pick(["file", "directory", "other"]),
  owner: pick([0, 1, 1000, 0xffff_fffe]),
  group: pick([0, 1, 1000, 0xffff_fffe]),
  mode: pick([0, 0o644, 0o7777]),
  links: pick([1, 2, 0xffff_ffff]),
  size: pick([0, 1, 0xffff_ffff, 0x1_0000_0000, Number.MAX_SAFE_INTEGER]),
  device: pick(wide),
  mount: pick([undefined, ...wide]),
  inode: pick(wide),
  modified: pick(times),
  changed: pick(times)
})

const same = (one: Facts, other: Facts): boolean =>
  (Object.keys(one) as ReadonlyArray<keyof Facts>).every((key) => one[key] === other[key])

describe("facts have a stamp", () => {
  it.effect.prop(
    "exactly if it was made of the same",
    [decided((dice) => [factsFrom(dice), factsFrom(dice)] as const)],
    ([[one, other]]) =>
      Effect.sync(() => {
        const { stamp } = seenAs(one)
        assert.isTrue(isStamped({ ...one }, stamp, 0))
        assert.strictEqual(isStamped(other, stamp, 0), same(one, other))
        for (const key of Object.keys(one) as ReadonlyArray<keyof Facts>) {
          const changed = { ...one, [key]: other[key] }
          assert.strictEqual(isStamped(changed, stamp, 0), one[key] === other[key], key)
        }
      }),
    { arbitrary: { runs: 500, seed: 91, size: 40 } }
  )

  it("wherever in a row of stamps it stands", () => {
    const stamps = new Int32Array(stampWords * 3)
    writeStamp(file(), stamps, stampWords)
    assert.isTrue(isStamped(file(), stamps, stampWords))
    for (const at of [0, stampWords - 1, stampWords + 1, stampWords * 2]) assert.isFalse(isStamped(file(), stamps, at))
  })

  it("every word counts", () => {
    const { stamp } = seenAs(file())
    for (let at = 0; at < stampWords; at++)
      assert.isFalse(isStamped(file(), stamp.with(at, stamp[at]! ^ 1), 0), `${at}`)
  })

  it("no facts have the stamp of nothing", () => {
    // Not even by accident of the others: no kind is -1.
    assert.strictEqual(noStamp[stampAt.kind], -1)
    assert.isFalse(isStamped(file(), Int32Array.from(noStamp), 0))
  })

  it("the size can be told from it", () => {
    for (const size of [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_0000_0001, Number.MAX_SAFE_INTEGER])
      assert.strictEqual(sizeIn(seenAs(file({ size })).stamp, 0), size)
  })

  it("a time is its second and the nanoseconds in it, before 1970 too", () => {
    for (const [time, second, part] of [
      [1_500_000_000n, 1, 500_000_000],
      [-1n, -1, 999_999_999],
      [-1_000_000_000n, -1, 0]
    ] as const) {
      const { stamp } = seenAs(file({ changed: time }))
      assert.deepStrictEqual([stamp[stampAt.changed], stamp[stampAt.changed + 2]], [second, part])
    }
  })
})
