/** design.md section 8: what a directory listed before holds for that directory, unchanged, at that place, and is bounded. */
import { assert, describe, it } from "@effect/vitest"
import * as Listings from "@memory-bridge/core/notes/Listings"
import type { AccessRules } from "@memory-bridge/core/policy/AccessRules"
import type { Facts } from "@memory-bridge/core/tree/Facts"
import type { Listing } from "@memory-bridge/core/tree/Tree"
import { file } from "./given/Facts.ts"

const second = 1_000_000_000n
const late = 1_000n * second
const place: Listings.Place = { path: "a", depth: 1, names: "portable", prefix: "" }

const directory = (changes: Partial<Facts> = {}) => file({ kind: "directory", ...changes })
const listing = (...names: ReadonlyArray<string>): Listing => ({
  entries: names.map((name) => ({ name, kind: "file" })),
  raw: names.length,
  lasting: true
})
/** A directory that is listed for the first time. */
const listedAs = (found: Listing, at: Listings.Place) => Listings.make().add(directory(), at, found, late).listed

const holding = () => {
  const listings = Listings.make()
  return { ...listings, first: listings.add(directory(), place, listing("b.md", "a.md"), late) }
}

describe("entries of served names, in name order, with their paths", () => {
  it("the character set of the root decides", () => {
    const found = listing("b.md", "a b.md", ".c.md", "A.md")
    const names = (given: Partial<Listings.Place>) =>
      listedAs(found, { ...place, ...given }).entries.map(({ id, name }) => [name, id])
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

  it("a name that would be no id is not among them, and every entry counts", () => {
    for (const given of [{ path: "a".repeat(508) }, { path: "a".repeat(506), prefix: "b:" }, { depth: 16 }]) {
      const { entries, raw } = listedAs(listing("b.md", ".c"), { ...place, ...given })
      assert.deepStrictEqual([entries, raw], [[], 2])
    }
    assert.lengthOf(listedAs(listing("b.md"), { ...place, path: "a".repeat(505), prefix: "b:" }).entries, 1)
  })

  it("with the name of the root, and folded", () => {
    const [entry] = listedAs(listing("B.md"), { ...place, prefix: "team:" }).entries
    assert.deepStrictEqual([entry?.id, entry?.folded], ["team:a/B.md", "team:a/b.md"])
  })
})

describe("a listing is found again for the very directory, unchanged, at its place", () => {
  it("with the same facts and place", () => {
    const { find, first } = holding()
    assert.isDefined(first.folder)
    assert.strictEqual(find(directory(), place), first.folder)
    assert.strictEqual(first.folder?.listed, first.listed)
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
    ["character set of its root", { names: "unicode" }],
    ["name of its root", { prefix: "team:" }]
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
      const { folder } = listings.add(facts, place, listing("a.md"), late + age)
      assert.strictEqual(folder !== undefined, kept)
      assert.strictEqual(listings.find(facts, place), folder)
    }
  })

  it("not the former one of a directory that became fresh again", () => {
    const { add, find, first } = holding()
    add(directory({ changed: late }), place, listing("a.md"), late)
    assert.isUndefined(find(directory(), place))
    assert.isUndefined(first.folder?.listed)
  })
})

describe("what is known of an entry", () => {
  const later = directory({ changed: directory().changed + 1n })

  it("is carried over to the next listing for the entries that are still there", () => {
    const { add, first } = holding()
    const [a, b] = first.listed.entries
    const { entries } = add(later, place, listing("c.md", "b.md"), late).listed
    assert.strictEqual(entries[0], b)
    assert.deepStrictEqual(
      entries.map(({ name }) => name),
      ["b.md", "c.md"]
    )
    assert.notInclude(entries, a)
  })

  it("is not carried over to another kind, another place, or after it went", () => {
    const { add, first } = holding()
    const [a] = first.listed.entries
    const elsewhere = add(later, { ...place, path: "b" }, listing("a.md"), late)
    assert.notStrictEqual(elsewhere.listed.entries[0], a)
    const named = (kind: "directory" | "file"): Listing => ({
      entries: [{ name: "a.md", kind }],
      raw: 1,
      lasting: true
    })
    const as = add(later, place, named("directory"), late).listed.entries[0]
    assert.notStrictEqual(add(later, place, named("file"), late).listed.entries[0], as)
  })

  it("rules are asked once, other rules anew, and a name that is no note's is never open", () => {
    const asked: Array<string> = []
    const rules = (is: boolean) =>
      ({
        permits: (path: string) => asked.push(path) > 0 && is,
        mayEnter: (path: string) => asked.push(`${path}/`) > 0 && is
      }) as unknown as AccessRules
    const [yes, no] = [rules(true), rules(false)]
    const listed = listedAs(
      { entries: [...listing("a.md", "b.txt").entries, { name: "c.md", kind: "directory" }], raw: 3, lasting: true },
      { ...place, prefix: "team:" }
    )
    for (const [of, expected] of [
      [yes, ["a.md", "c.md"]],
      [yes, ["a.md", "c.md"]],
      [no, []],
      [yes, ["a.md", "c.md"]]
    ] as const)
      assert.deepStrictEqual(
        Listings.openIn(listed, { prefix: "team:", rules: of }).map(({ name }) => name),
        [...expected]
      )
    assert.deepStrictEqual(asked, ["a/a.md", "a/c.md/", "a/a.md", "a/c.md/", "a/a.md", "a/c.md/"])
  })
})

describe("the names that are held are bounded", () => {
  const keepAt = (listings: Listings.Listings, inode: number, names: number) =>
    listings.add(
      directory({ inode: BigInt(inode) }),
      place,
      listing(...Array.from({ length: names }, (_, i) => `${i}.md`)),
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
