/** design.md section 8: a hit only for an unchanged note, nothing kept while it is fresh, bounded. */
import { assert, describe, it } from "@effect/vitest"
import * as ContentCache from "@memory-bridge/core/notes/ContentCache"
import { indexOf } from "@memory-bridge/core/notes/NoteIndex"
import type { Facts } from "@memory-bridge/core/tree/Facts"
import { file } from "./given/Facts.ts"

const second = 1_000_000_000n
const late = 1_000n * second

const opened = (facts: Facts) => ({ facts, unlisted: true })
/** The time at which a call asks. */
const asking = 2_000n * second

const holding = (facts: Facts, text = "Text") => {
  const cache = ContentCache.make(1_000_000)
  cache.keepText(opened(facts), text, late)
  return cache
}

describe("a hit is only for the very note, unchanged", () => {
  const kept = file()

  it("the same facts give what was kept", () => {
    assert.strictEqual(holding(kept).texts(asking).find(file())?.text, "Text")
  })

  it("an empty cache has no hit", () => {
    assert.isUndefined(ContentCache.make(1_000_000).texts(asking).find(kept))
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
    assert.isUndefined(holding(kept).texts(asking).find(file(change)))
  })

  it("inode and device are not run together", () => {
    assert.isUndefined(
      holding(file({ device: 1n, inode: 23n }))
        .texts(asking)
        .find(file({ device: 12n, inode: 3n }))
    )
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
      cache.keepText(opened(facts), "a", late + age)
      assert.strictEqual(cache.texts(asking).find(facts) !== undefined, expected)
    }
  })

  it("a note that became fresh again loses what was kept of it", () => {
    const cache = holding(file())
    cache.keepText(opened(file({ modified: late, changed: late })), "new", late)
    assert.isUndefined(cache.texts(asking).find(file()))
    assert.isUndefined(cache.texts(asking).find(file({ modified: late, changed: late })))
  })
})

describe("a later text replaces the former one", () => {
  it("only the later facts hit", () => {
    const cache = holding(file())
    const later = file({ modified: 2n * second, changed: 2n * second, size: 20 })
    cache.keepText(opened(later), "later", late)
    assert.isUndefined(cache.texts(asking).find(file()))
    assert.strictEqual(cache.texts(asking).find(later)?.text, "later")
  })
})

const note = (inode: number, size: number) => file({ inode: BigInt(inode), size })

describe("the bytes that are held are bounded", () => {
  const kept = (cache: ContentCache.ContentCache, now: bigint) =>
    Array.from({ length: 10 }, (_, i) => i + 1).filter(
      (inode) => cache.texts(now).find(note(inode, 30_000)) !== undefined
    )

  it("what one call has kept or used it does not drive out", () => {
    const cache = ContentCache.make(100_000)
    for (let inode = 1; inode <= 10; inode++) cache.keepText(opened(note(inode, 30_000)), `${inode}`, late)
    assert.deepStrictEqual(kept(cache, asking), [1, 2, 3])
    for (let inode = 4; inode <= 10; inode++) cache.keepText(opened(note(inode, 30_000)), `${inode}`, asking)
    assert.deepStrictEqual(kept(cache, asking), [1, 2, 3])
  })

  it("what a call does not use makes room where it is needed, and only there", () => {
    const cache = ContentCache.make(100_000)
    for (let inode = 1; inode <= 3; inode++) cache.keepText(opened(note(inode, 30_000)), `${inode}`, late)
    cache.keepText(opened(note(11, 100)), "small", asking)
    assert.strictEqual(cache.texts(asking).find(note(2, 30_000))?.text, "2")
    cache.keepText(opened(note(4, 30_000)), "4", asking)
    assert.deepStrictEqual(kept(cache, asking + 1n), [2, 4])
    assert.isDefined(cache.texts(asking).find(note(11, 100)))
  })

  it("an index takes what it takes, and the text of the same note gives way to it", () => {
    const facts = note(1, 30_000)
    const cache = ContentCache.make(100_000)
    cache.keepText(opened(facts), "text", late)
    cache.keepIndex(opened(facts), indexOf("# Text"), "# Text", late)
    assert.isUndefined(cache.texts(late).find(facts))
    assert.strictEqual(cache.indexes(late).find(facts)?.index.title, "Text")
    for (let inode = 2; inode <= 4; inode++) cache.keepText(opened(note(inode, 30_000)), `${inode}`, late)
    assert.deepStrictEqual(kept(cache, late), [2, 3, 4])
    assert.isUndefined(cache.indexes(late).find(note(2, 30_000)))
  })

  it("a note larger than the whole is not kept and drives nothing out", () => {
    const cache = ContentCache.make(100_000)
    cache.keepText(opened(note(1, 50_000)), "a", late)
    cache.keepText(opened(note(2, 101_000)), "b", late)
    assert.isDefined(cache.texts(asking).find(note(1, 50_000)))
    assert.isUndefined(cache.texts(asking).find(note(2, 101_000)))
  })

  it("replacing a note again and again is charged once", () => {
    const cache = ContentCache.make(100_000)
    cache.keepText(opened(note(1, 40_000)), "other", late)
    for (let i = 0; i < 100; i++) cache.keepText(opened(note(2, 50_000)), `${i}`, late)
    assert.isDefined(cache.texts(asking).find(note(1, 40_000)))
    assert.strictEqual(cache.texts(asking).find(note(2, 50_000))?.text, "99")
  })

  it("a note too large or too fresh gives back what its former text held", () => {
    const cache = ContentCache.make(100_000)
    cache.keepText(opened(note(1, 90_000)), "a", late)
    cache.keepText(opened(note(1, 101_000)), "b", late)
    cache.keepText(opened(note(2, 90_000)), "c", late)
    assert.isDefined(cache.texts(asking).find(note(2, 90_000)))
  })

  it("empty notes, which cost memory as well, are bounded too", () => {
    const cache = ContentCache.make(10_000)
    for (let inode = 1; inode <= 1_000; inode++) cache.keepText(opened(note(inode, 0)), "", late)
    const held = Array.from({ length: 1_000 }, (_, i) => i + 1).filter(
      (inode) => cache.texts(asking).find(note(inode, 0)) !== undefined
    )
    assert.isAtMost(held.length, 10)
  })
})

describe("a row", () => {
  const holding = (facts: Facts, now: bigint, unlisted = true) => {
    const cache = ContentCache.make(100_000)
    return { cache, row: cache.keepText({ facts, unlisted }, "Text", now).row }
  }

  it("holds what was kept, of its kind alone", () => {
    const { cache, row } = holding(file(), late)
    assert.isTrue(cache.texts(asking).holds(row))
    assert.strictEqual(cache.texts(asking).at(row).text, "Text")
    assert.isFalse(cache.indexes(asking).holds(row))
    for (const none of [-1, row + 1, 10_000]) assert.isFalse(cache.texts(asking).holds(none))
  })

  it("is none for a note that is not kept", () => {
    assert.strictEqual(holding(file({ changed: late }), late).row, -1)
  })

  it("does not hold a note that has an access control list: that one is opened each time", () => {
    const { cache, row } = holding(file(), late, false)
    assert.isFalse(cache.texts(asking).holds(row))
    assert.strictEqual(cache.texts(asking).find(file())?.text, "Text")
  })

  it("holds nothing once its note has given way, and then what took it", () => {
    const { cache, row } = holding(note(1, 60_000), late)
    cache.keepText({ facts: note(1, 101_000), unlisted: true }, "too large", asking)
    assert.isFalse(cache.texts(asking).holds(row))
    assert.strictEqual(cache.keepIndex(opened(note(2, 10)), indexOf("# Two"), "# Two", asking).row, row)
    assert.isFalse(cache.texts(asking + 1n).holds(row))
    assert.strictEqual(cache.indexes(asking + 1n).at(row).index.title, "Two")
  })

  it("counts for a call only as it stood before the call", () => {
    const { cache, row } = holding(note(1, 10), late)
    const kept = cache.texts(asking)
    const now = cache.keepText(opened(note(2, 10)), "b", asking).row
    assert.deepStrictEqual([kept.rowBefore(row), kept.rowBefore(now), kept.rowBefore(-1)], [row, -1, -1])
    assert.strictEqual(cache.texts(asking + 1n).rowBefore(now), now)
  })

  it("that a call asks for does not give way in that call", () => {
    const cache = ContentCache.make(100_000)
    const rows = [1, 2, 3].map((inode) => cache.keepText(opened(note(inode, 30_000)), "x", late).row)
    assert.isTrue(cache.texts(asking).holds(rows[1]!))
    cache.keepText(opened(note(4, 30_000)), "4", asking)
    assert.deepStrictEqual(
      rows.map((row) => cache.texts(asking).find(note(rows.indexOf(row) + 1, 30_000)) !== undefined),
      [false, true, false]
    )
  })
})

describe("judgements", () => {
  it("have one number for one thing, others for others, even once all began anew", () => {
    const cache = ContentCache.make(100_000)
    const seen = new Set<number>()
    for (let i = 0; i < 2_500; i++) {
      const number = cache.judgement(`${i}`)
      assert.isAbove(number, 0)
      assert.isFalse(seen.has(number))
      assert.strictEqual(cache.judgement(`${i}`), number)
      seen.add(number)
    }
    assert.isFalse(seen.has(cache.judgement("0")))
  })
})
