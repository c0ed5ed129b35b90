/** design.md section 8: what a directory listed before holds for that directory, unchanged, at that place, and is bounded. */
import { assert, describe, it } from "@effect/vitest"
import * as Listings from "@memory-bridge/core/notes/Listings"
import type { Facts } from "@memory-bridge/core/tree/Facts"
import type { Listing } from "@memory-bridge/core/tree/Tree"
import { file } from "./given/Facts.ts"

const second = 1_000_000_000n
const late = 1_000n * second
const place: Listings.Place = { path: "a", depth: 1, names: "portable" }

const directory = (changes: Partial<Facts> = {}) => file({ kind: "directory", ...changes })
const listing = (...names: ReadonlyArray<string>): Listing => ({
  entries: names.map((name) => ({ name, kind: "file" })),
  raw: names.length,
  lasting: true
})
const listed = Listings.listedAs(listing("b.md", "a.md"), place)

const holding = () => {
  const listings = Listings.make()
  listings.keep(directory(), place, listed, late)
  return listings
}

describe("entries of served names, in name order, with their paths", () => {
  it("the character set of the root decides", () => {
    const found = listing("b.md", "a b.md", ".c.md", "A.md")
    const names = (given: Partial<Listings.Place>) =>
      Listings.listedAs(found, { ...place, ...given }).entries.map(({ name, path }) => [name, path])
    assert.deepStrictEqual(names({}), [
      ["A.md", "a/A.md"],
      ["b.md", "a/b.md"]
    ])
    assert.deepStrictEqual(names({ names: "unicode", path: "", depth: 0 }), [
      ["A.md", "A.md"],
      ["a b.md", "a b.md"],
      ["b.md", "b.md"]
    ])
  })

  it("a name whose path would be no id has none, and every entry counts", () => {
    const { entries, raw } = Listings.listedAs(listing("b.md", ".c"), { ...place, path: "a".repeat(510) })
    assert.deepStrictEqual(entries, [{ name: "b.md", kind: "file", path: undefined }])
    assert.strictEqual(raw, 2)
  })
})

describe("a listing is found again for the very directory, unchanged, at its place", () => {
  it("with the same facts and place", () => {
    assert.strictEqual(holding().find(directory(), place), listed)
  })

  it.each<readonly [string, Partial<Facts>]>([
    ["size", { size: directory().size + 1 }],
    ["time of modification", { modified: directory().modified + 1n }],
    ["time of change", { changed: directory().changed + 1n }],
    ["inode", { inode: directory().inode + 1n }],
    ["device", { device: directory().device + 1n }]
  ])("not with another %s", (_, change) => {
    assert.isUndefined(holding().find(directory(change), place))
  })

  it.each<readonly [string, Partial<Listings.Place>]>([
    ["path, as after a parent was renamed", { path: "b" }],
    ["character set of its root", { names: "unicode" }]
  ])("not with another %s", (_, change) => {
    assert.isUndefined(holding().find(directory(), { ...place, ...change }))
  })

  it("not before its last change lies two seconds back", () => {
    for (const [age, kept] of [
      [0n, false],
      [2n * second - 1n, false],
      [2n * second, true]
    ] as const) {
      const listings = Listings.make()
      const facts = directory({ modified: late, changed: late })
      listings.keep(facts, place, listed, late + age)
      assert.strictEqual(listings.find(facts, place) !== undefined, kept)
    }
  })

  it("not the former one of a directory that became fresh again", () => {
    const listings = holding()
    listings.keep(directory({ changed: late }), place, listed, late)
    assert.isUndefined(listings.find(directory(), place))
  })
})

describe("the names that are held are bounded", () => {
  const keepAt = (listings: Listings.Listings, inode: number, names: number) =>
    listings.keep(
      directory({ inode: BigInt(inode) }),
      place,
      Listings.listedAs(listing(...Array.from({ length: names }, (_, i) => `${i}.md`)), place),
      late
    )
  const isKept = (listings: Listings.Listings, inode: number) =>
    listings.find(directory({ inode: BigInt(inode) }), place) !== undefined

  it("the oldest go first", () => {
    const listings = Listings.make(100)
    for (let inode = 1; inode <= 5; inode++) keepAt(listings, inode, 40)
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5].map((inode) => isKept(listings, inode)),
      [false, false, false, true, true]
    )
  })

  it("one that is larger than the whole drives nothing out, and empty ones count too", () => {
    const listings = Listings.make(100)
    keepAt(listings, 1, 40)
    keepAt(listings, 2, 100)
    assert.deepStrictEqual(
      [1, 2].map((inode) => isKept(listings, inode)),
      [true, false]
    )
    for (let inode = 3; inode < 103; inode++) keepAt(listings, inode, 0)
    assert.isFalse(isKept(listings, 1))
  })
})
