/** Seed 000 "Filesystem safety": every way in which an entry below the root is passed over, in search and in read. */
import { assert, describe, it } from "@effect/vitest"
import type { AclReading, AclSubject } from "@memory-bridge/core/tree/Acl"
import type { SkipReason } from "@memory-bridge/core/notes/TrustedEntry"
import * as Effect from "effect/Effect"
import { stranger } from "./given/Facts.ts"
import { type As, dir, type Drawing, type Drawn, fifo, file, link, type MemoryTree, socket } from "./given/Trees.ts"
import { found, ids, inWorld, read, search, type World, world } from "./given/World.ts"

const writes = (subject: AclSubject): As => ({ acl: { kind: "entries", entries: [{ subject, write: true }] } })
const refused = (reason: Extract<AclReading, { readonly kind: "refused" }>["reason"]): As => ({
  acl: { kind: "refused", reason }
})

/** What a note, or a directory, can be like so that it is passed over for this reason. */
const trustReasons = {
  foreign_owner: { owner: stranger },
  group_writable: { mode: 0o660 },
  world_writable: { mode: 0o606 },
  acl_user_writes: writes({ kind: "user", id: stranger }),
  acl_group_writes: writes({ kind: "group", id: 7 }),
  acl_everyone_writes: writes({ kind: "everyone" }),
  acl_unreadable: refused("acl_unreadable"),
  acl_unsupported: refused("acl_unsupported"),
  acl_malformed: refused("acl_malformed"),
  acl_unmapped_id: refused("acl_unmapped_id"),
  acl_foreign: refused("acl_foreign"),
  not_permitted: { fails: { open: "not_permitted" } },
  name_too_long: { fails: { open: "name_too_long" } },
  special: { fails: { open: "special" } },
  missing: { fails: { open: "missing" } },
  link: { fails: { open: "link" } },
  not_directory: { fails: { open: "not_directory" } },
  other_device: { device: 99n },
  io: { fails: { open: "io" } },
  exhausted: { fails: { open: "exhausted" } }
} as const satisfies Partial<Record<SkipReason, As>>

const hit = "needle"

/** How one note is spoilt for each reason. Complete by its type. */
const spoilt: Readonly<Record<SkipReason, ReadonlyArray<Drawn>>> = {
  ...(Object.fromEntries(
    Object.entries(trustReasons).map(([reason, as]): readonly [string, ReadonlyArray<Drawn>] => [
      reason,
      [file(hit, as)]
    ])
  ) as Readonly<Record<keyof typeof trustReasons, ReadonlyArray<Drawn>>>),
  link: [link("/v/ok.md"), link("/v/bad.md"), file(hit, trustReasons.link)],
  special: [socket(), file(hit, trustReasons.special)],
  other_device: [file(hit, { device: 99n }), file(hit, { mount: 99n }), file(hit, { mount: "unknown" })],
  io: [
    file(hit, { fails: { open: "io" } }),
    file(hit, { fails: { facts: "io" } }),
    file(hit, { fails: { read: "io" } }),
    file(hit, { fails: { read: "io", readAfter: 3 } })
  ],
  exhausted: [
    file(hit, { fails: { open: "exhausted" } }),
    file(hit, { fails: { facts: "exhausted" } }),
    file(hit, { fails: { read: "exhausted" } })
  ],
  not_file: [fifo()],
  hard_link: [file(hit, { links: 2 }), file(hit, { links: 1_000 }), file(hit, { links: 0 })],
  too_large: [file(hit.padEnd(262_145)), file(hit, { size: 2 ** 40 })],
  changed: [file(hit, { size: 5 }), file(hit, { size: 7 }), file("", { size: 1 })],
  not_utf8: [file(new Uint8Array([...new TextEncoder().encode(hit), 0xff])), file(new Uint8Array([0xc0, 0xaf]))],
  binary: [`${hit}\0`, `\0${hit}`, `${hit}\0${hit}`]
}

const missing = (given: World) => Effect.map(inWorld(given, read("missing.md")), (answer) => JSON.stringify(answer))

describe("a note that may not be trusted or read is passed over, as if it were not there", () => {
  it.effect.each(Object.entries(spoilt))("%s", ([reason, things]) =>
    Effect.gen(function* () {
      const expected = reason === "exhausted" ? "unavailable" : "aa.md ok.md"
      for (const thing of things) {
        const given = world({ "aa.md": hit, "bad.md": thing, "ok.md": hit })
        assert.strictEqual(yield* found(given), expected)
        const answer = yield* inWorld(given, read("bad.md"))
        if (reason === "exhausted") assert.strictEqual(ids(answer), "unavailable")
        else assert.strictEqual(JSON.stringify(answer), yield* missing(given))
      }
    })
  )

  it.effect("one that metadata refuses is not read, and an untrusted one neither", () =>
    Effect.gen(function* () {
      for (const reason of [
        "hard_link",
        "too_large",
        "other_device",
        "group_writable",
        "acl_user_writes",
        "not_file"
      ] as const) {
        for (const thing of spoilt[reason]) {
          const given = world({ "bad.md": thing })
          yield* inWorld(given, Effect.all([search(hit), read("bad.md")]))
          assert.notInclude(given.tree.log.join("\n"), "read /v")
        }
      }
    })
  )

  it.effect("what the listing shows to be no file is not even opened by search", () =>
    Effect.gen(function* () {
      for (const thing of [link("/v/ok.md"), fifo(), socket()]) {
        const given = world({ "bad.md": thing, "ok.md": hit })
        assert.strictEqual(yield* found(given), "ok.md")
        assert.notInclude(given.tree.log.join("\n"), "open /v/bad.md")
      }
    })
  )

  it.effect("exactly as large as the policy allows is not too large", () =>
    Effect.gen(function* () {
      const limits = { max_file_bytes: 100 }
      assert.strictEqual(yield* found(world({ "a.md": hit.padEnd(100), "b.md": hit.padEnd(101) }, { limits })), "a.md")
      assert.strictEqual(yield* found(world({ "a.md": hit.padEnd(262_144) })), "a.md")
    })
  )

  it.effect("readable by others, owned by root, or with a harmless list is no reason", () =>
    Effect.gen(function* () {
      const lists: ReadonlyArray<As> = [
        writes({ kind: "owner" }),
        writes({ kind: "user", id: 0 }),
        writes({ kind: "user", id: 1000 })
      ]
      const fine: ReadonlyArray<As> = [{ mode: 0o644 }, { owner: 0, mode: 0o444 }, { mode: 0o000 }, ...lists]
      for (const as of fine) assert.strictEqual(yield* found(world({ "a.md": file(hit, as) })), "a.md")
    })
  )
})

describe("a directory that may not be trusted or opened is passed over with all it holds", () => {
  const reasons = Object.entries(trustReasons)
  it.effect.each(reasons)("%s", ([reason, as]) =>
    Effect.gen(function* () {
      const expected = reason === "exhausted" ? "unavailable" : "aa.md ok.md"
      const below: Drawing = { "x.md": hit, deeper: { "y.md": hit } }
      const given = world({ "aa.md": hit, bad: dir(below, as), "ok.md": hit })
      assert.strictEqual(yield* found(given), expected)
      for (const id of ["bad/x.md", "bad/deeper/y.md"]) {
        const answer = yield* inWorld(given, read(id))
        if (reason === "exhausted") assert.strictEqual(ids(answer), "unavailable")
        else assert.strictEqual(JSON.stringify(answer), yield* missing(given))
      }
      assert.notInclude(given.tree.log.join("\n"), "list /v/bad")
    })
  )

  it.effect("one that cannot be listed hides its notes from search alone", () =>
    Effect.gen(function* () {
      const given = world({ bad: dir({ "x.md": hit }, { fails: { list: "io" } }), "ok.md": hit })
      assert.strictEqual(yield* found(given), "ok.md")
      assert.isTrue((yield* inWorld(given, read("bad/x.md"))).ok)
      const exhausted = world({ bad: dir({}, { fails: { list: "exhausted" } }), "ok.md": hit })
      assert.strictEqual(yield* found(exhausted), "unavailable")
    })
  )

  it.effect("a link to a directory, a file and a FIFO in its place", () =>
    Effect.gen(function* () {
      for (const thing of [link("/v/real"), file(hit), fifo(), socket()]) {
        const given = world({ bad: thing, real: { "x.md": hit } })
        assert.strictEqual(yield* found(given), "real/x.md")
        assert.strictEqual(ids(yield* inWorld(given, read("bad/x.md"))), "not_found_or_denied")
      }
    })
  )

  it.effect("no trust in a deeper directory makes up for it", () =>
    Effect.gen(function* () {
      const given = world({ bad: dir({ good: dir({ "x.md": hit }, { mode: 0o700 }) }, { mode: 0o777 }) })
      assert.strictEqual(ids(yield* inWorld(given, read("bad/good/x.md"))), "not_found_or_denied")
    })
  )
})

/** What the note `a.md` turns into once it has been read. */
const turns = (given: World, into: As) =>
  given.tree.edit("/v/a.md", { after: { read: () => given.tree.edit("/v/a.md", into) } })

describe("what is swapped in after the listing is judged on its own descriptor", () => {
  const swaps: ReadonlyArray<readonly [string, (tree: MemoryTree) => void]> = [
    ["removed", (tree) => tree.remove("/v/d/a.md")],
    ["a link", (tree) => tree.put("/v/d/a.md", link("/h/secret.md"))],
    ["a FIFO", (tree) => tree.put("/v/d/a.md", fifo())],
    ["a socket", (tree) => tree.put("/v/d/a.md", socket())],
    ["a directory", (tree) => tree.put("/v/d/a.md", dir({}))],
    ["a hard link", (tree) => tree.put("/v/d/a.md", file(hit, { links: 2 }))],
    ["another user's file", (tree) => tree.put("/v/d/a.md", file(hit, { owner: stranger }))],
    ["a file of another mount", (tree) => tree.put("/v/d/a.md", file(hit, { mount: 9n }))]
  ]

  it.effect.each(swaps)("%s, between listing and opening", ([, swap]) =>
    Effect.gen(function* () {
      const given = world({ d: { "a.md": hit, "ok.md": hit } })
      given.tree.edit("/v/d", { after: { list: () => swap(given.tree) } })
      assert.strictEqual(yield* found(given), "d/ok.md")
    })
  )

  it.effect("a parent replaced after it was opened: its own entries are read, not the new one's", () =>
    Effect.gen(function* () {
      const given = world({ d: { "a.md": `${hit} old` } })
      given.tree.edit("/v/d", { after: { open: () => given.tree.put("/v/d", { "a.md": `${hit} new` }) } })
      const answer = yield* inWorld(given, search(hit))
      assert.include(JSON.stringify(answer), "needle old")
    })
  )

  it.effect.each([
    ["size", { size: 7 }],
    ["modified", { modified: 1n }],
    ["changed", { changed: 1n }],
    ["inode", { inode: 1n }]
  ] as const)("a note whose %s differs after the read is passed over", ([, change]) =>
    Effect.gen(function* () {
      const searched = world({ "a.md": hit, "ok.md": hit })
      turns(searched, change)
      assert.strictEqual(yield* found(searched), "ok.md")
      const asked = world({ "a.md": hit })
      turns(asked, change)
      assert.strictEqual(ids(yield* inWorld(asked, read("a.md"))), "not_found_or_denied")
    })
  )

  it.effect("a note that is written to in place while it is read is passed over", () =>
    Effect.gen(function* () {
      const given = world({ "a.md": hit })
      given.tree.edit("/v/a.md", { after: { facts: () => given.tree.edit("/v/a.md", { content: `${hit}!` }) } })
      assert.strictEqual(yield* found(given), "")
    })
  )
})
