/** design.md section 8: a hit only for an unchanged note, nothing kept while it is fresh, bounded. */
import { assert, describe, it } from "@effect/vitest"
import * as ContentCache from "@memory-bridge/core/notes/ContentCache"
import type { Facts } from "@memory-bridge/core/tree/Facts"
import { file } from "./given/Facts.ts"

const second = 1_000_000_000n
const late = 1_000n * second

/** As opened: without an access control list. */
const open = (facts: Facts) => ({ facts, unlisted: true })

const holding = (facts: Facts, text = "Text") => {
  const cache = ContentCache.make(1_000_000)
  cache.keep(open(facts), text, late)
  return cache
}

describe("a hit is only for the very note, unchanged", () => {
  const kept = file()

  it("the same facts give what was kept", () => {
    assert.strictEqual(holding(kept).find(file())?.text, "Text")
  })

  it("an empty cache has no hit", () => {
    assert.isUndefined(ContentCache.make(1_000_000).find(kept))
  })

  it.each<readonly [string, Partial<Facts>]>([
    ["size", { size: kept.size + 1 }],
    ["size, smaller", { size: kept.size - 1 }],
    ["time of modification", { modified: kept.modified + 1n }],
    ["time of modification, set back", { modified: kept.modified - 1n }],
    ["time of change, as after a restored modification time", { changed: kept.changed + 1n }],
    ["time of change, set back", { changed: kept.changed - 1n }],
    ["inode", { inode: kept.inode + 1n }],
    ["device", { device: kept.device + 1n }]
  ])("another %s is no hit", (_, change) => {
    assert.isUndefined(holding(kept).find(file(change)))
  })

  it("inode and device are not run together", () => {
    assert.isUndefined(holding(file({ device: 1n, inode: 23n })).find(file({ device: 12n, inode: 3n })))
  })
})

describe("a note is not kept until its last change lies two seconds back", () => {
  it.each([
    [0n, false],
    [1n, false],
    [2n * second - 1n, false],
    [2n * second, true],
    [3n * second, true],
    [-second, false],
    [-100n * second, false]
  ])("%s nanoseconds after the change: kept %j", (age, expected) => {
    for (const facts of [file({ modified: late, changed: 0n }), file({ modified: 0n, changed: late })]) {
      const cache = ContentCache.make(1_000_000)
      cache.keep(open(facts), "a", late + age)
      assert.strictEqual(cache.find(facts) !== undefined, expected)
    }
  })

  it("a note that became fresh again loses what was kept of it", () => {
    const cache = holding(file())
    cache.keep(open(file({ modified: late, changed: late })), "new", late)
    assert.isUndefined(cache.find(file()))
    assert.isUndefined(cache.find(file({ modified: late, changed: late })))
  })
})

describe("a later text replaces the former one", () => {
  it("only the later facts hit", () => {
    const cache = holding(file())
    const later = file({ modified: 2n * second, changed: 2n * second, size: 20 })
    cache.keep(open(later), "later", late)
    assert.isUndefined(cache.find(file()))
    assert.strictEqual(cache.find(later)?.text, "later")
  })
})

const note = (inode: number, size: number) => file({ inode: BigInt(inode), size })

describe("the bytes that are held are bounded", () => {
  it("the oldest go first, and as many stay as fit", () => {
    const cache = ContentCache.make(100_000)
    for (let inode = 1; inode <= 10; inode++) cache.keep(open(note(inode, 30_000)), `${inode}`, late)
    const stay = Array.from({ length: 10 }, (_, i) => i + 1).filter(
      (inode) => cache.find(note(inode, 30_000)) !== undefined
    )
    assert.isAtMost(stay.length, 3)
    assert.deepStrictEqual(stay, [8, 9, 10].slice(3 - stay.length))
  })

  it("a note larger than the whole is not kept and drives nothing out", () => {
    const cache = ContentCache.make(100_000)
    cache.keep(open(note(1, 50_000)), "a", late)
    cache.keep(open(note(2, 101_000)), "b", late)
    assert.isDefined(cache.find(note(1, 50_000)))
    assert.isUndefined(cache.find(note(2, 101_000)))
  })

  it("replacing a note again and again is charged once", () => {
    const cache = ContentCache.make(100_000)
    cache.keep(open(note(1, 40_000)), "other", late)
    for (let i = 0; i < 100; i++) cache.keep(open(note(2, 50_000)), `${i}`, late)
    assert.isDefined(cache.find(note(1, 40_000)))
    assert.strictEqual(cache.find(note(2, 50_000))?.text, "99")
  })

  it("a note too large or too fresh gives back what its former text held", () => {
    const cache = ContentCache.make(100_000)
    cache.keep(open(note(1, 90_000)), "a", late)
    cache.keep(open(note(1, 101_000)), "b", late)
    cache.keep(open(note(2, 90_000)), "c", late)
    assert.isDefined(cache.find(note(2, 90_000)))
  })

  it("empty notes, which cost memory as well, are bounded too", () => {
    const cache = ContentCache.make(1_000)
    for (let inode = 1; inode <= 100_000; inode++) cache.keep(open(note(inode, 0)), "", late)
    assert.isUndefined(cache.find(note(1, 0)), "100,000 notes are held by a cache of 1,000 bytes")
  })
})
