/** The form of a POSIX access control list, as a table, and against a slow reading of the same rule. */
import type { AclEntry, AclReading } from "@memory-bridge/core/tree/Acl"
import { decodePosixAcl } from "@memory-bridge/platform-linux/PosixAcl"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

type Raw = readonly [tag: number, permissions: number, id?: number]

const UNDEFINED = 0xffffffff

const encoded = (entries: ReadonlyArray<Raw>, version = 2): Uint8Array => {
  const bytes = Buffer.alloc(4 + 8 * entries.length)
  bytes.writeUInt32LE(version, 0)
  entries.forEach(([tag, permissions, id = UNDEFINED], index) => {
    bytes.writeUInt16LE(tag, 4 + 8 * index)
    bytes.writeUInt16LE(permissions, 6 + 8 * index)
    bytes.writeUInt32LE(id, 8 + 8 * index)
  })
  return bytes
}

const owner: Raw = [0x01, 7]
const group: Raw = [0x04, 5]
const mask: Raw = [0x10, 0]
const other: Raw = [0x20, 4]
const user = (id: number, permissions = 6): Raw => [0x02, permissions, id]
const named = (id: number, permissions = 6): Raw => [0x08, permissions, id]

const malformed: AclReading = { kind: "refused", reason: "acl_malformed" }
const unmapped: AclReading = { kind: "refused", reason: "acl_unmapped_id" }

describe("a POSIX access control list", () => {
  it("of three entries says what the mode says", () => {
    assert.deepStrictEqual(decodePosixAcl(encoded([owner, group, other])), {
      kind: "entries",
      entries: [
        { subject: { kind: "owner" }, write: true },
        { subject: { kind: "owning_group" }, write: false },
        { subject: { kind: "everyone" }, write: false }
      ]
    })
  })

  it("gives named entries in full, whatever the mask allows, and not the mask", () => {
    assert.deepStrictEqual(
      decodePosixAcl(encoded([owner, user(0, 2), user(1000, 5), group, named(50, 7), mask, other])),
      {
        kind: "entries",
        entries: [
          { subject: { kind: "owner" }, write: true },
          { subject: { kind: "user", id: 0 }, write: true },
          { subject: { kind: "user", id: 1000 }, write: false },
          { subject: { kind: "owning_group" }, write: false },
          { subject: { kind: "group", id: 50 }, write: true },
          { subject: { kind: "everyone" }, write: false }
        ]
      }
    )
  })

  it.each([0, 1, 2, 3, 4, 5, 6, 7])("permissions %d write exactly if they have the write bit", (permissions) => {
    const reading = decodePosixAcl(encoded([owner, group, [0x20, permissions]]))
    assert.strictEqual(reading.kind === "entries" && reading.entries[2]?.write, [2, 3, 6, 7].includes(permissions))
  })

  it.each<[string, ReadonlyArray<Raw>]>([
    ["in any order", [other, mask, named(9), group, user(5), user(3), owner]],
    ["with an id twice", [owner, user(5, 4), user(5, 6), group, mask, other]],
    ["with a mask that nothing needs", [owner, group, mask, other]],
    ["with an id of the largest kind but one", [owner, user(0xfffffffe), group, mask, other]]
  ])("is accepted %s", (_title, entries) => {
    assert.strictEqual(decodePosixAcl(encoded(entries)).kind, "entries")
  })

  it.each<[string, Uint8Array]>([
    ["nothing at all", new Uint8Array(0)],
    ["half a version", encoded([]).subarray(0, 2)],
    ["no entry", encoded([])],
    ["version 1", encoded([owner, group, other], 1)],
    ["version 3", encoded([owner, group, other], 3)],
    ["version 2 in the other byte order", encoded([owner, group, other], 0x02000000)],
    ["half an entry", encoded([owner, group, other]).subarray(0, 24)],
    ["a byte too many", Buffer.concat([encoded([owner, group, other]), Buffer.of(0)])],
    ["no owner", encoded([group, other])],
    ["two owners", encoded([owner, owner, group, other])],
    ["no owning group", encoded([owner, other])],
    ["two owning groups", encoded([owner, group, group, other])],
    ["no other", encoded([owner, group])],
    ["two others", encoded([owner, group, other, other])],
    ["two masks", encoded([owner, user(5), group, mask, mask, other])],
    ["a named user and no mask", encoded([owner, user(5), group, other])],
    ["a named group and no mask", encoded([owner, group, named(5), other])],
    ["an unknown tag", encoded([owner, group, [0x40, 4], other])],
    ["tag 0", encoded([owner, group, [0, 0], other])],
    ["two tags in one", encoded([owner, group, [0x03, 0], mask, other])],
    ["an unknown permission", encoded([[0x01, 8], group, other])],
    ["an unknown permission in the mask", encoded([owner, group, [0x10, 0xffff], other])],
    ["an unmapped id and no mask", encoded([owner, user(UNDEFINED), group, other])]
  ])("is malformed with %s", (_title, bytes) => {
    assert.deepStrictEqual(decodePosixAcl(bytes), malformed)
  })

  it("is refused for a user or group that this system cannot map, read-only or not", () => {
    assert.deepStrictEqual(decodePosixAcl(encoded([owner, user(UNDEFINED), group, mask, other])), unmapped)
    assert.deepStrictEqual(decodePosixAcl(encoded([owner, user(5), group, named(UNDEFINED, 0), mask, other])), unmapped)
  })

  it("is read where it lies in a larger buffer", () => {
    const around = Buffer.concat([Buffer.alloc(3, 0xff), encoded([owner, group, other]), Buffer.alloc(3, 0xff)])
    assert.strictEqual(decodePosixAcl(around.subarray(3, around.length - 3)).kind, "entries")
  })
})

const Entry = Schema.Tuple([
  Schema.Literals([0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x01, 0x04, 0x20, 0x10, 0x40]),
  Schema.Literals([0, 2, 4, 5, 6, 7, 8]),
  Schema.Literals([0, 1, 1000, 0xfffffffe, UNDEFINED])
])

const subject = (tag: number, id: number): AclEntry["subject"] =>
  tag === 0x01
    ? { kind: "owner" }
    : tag === 0x02
      ? { kind: "user", id }
      : tag === 0x04
        ? { kind: "owning_group" }
        : tag === 0x08
          ? { kind: "group", id }
          : { kind: "everyone" }

/** The rule once more, entry by entry and slow. */
const slow = (entries: ReadonlyArray<Raw>): AclReading => {
  const count = (...tags: ReadonlyArray<number>) => entries.filter(([tag]) => tags.includes(tag)).length
  const wellFormed =
    entries.every(([tag, permissions]) => [1, 2, 4, 8, 16, 32].includes(tag) && permissions < 8) &&
    count(0x01) === 1 &&
    count(0x04) === 1 &&
    count(0x20) === 1 &&
    (count(0x02, 0x08) > 0 ? count(0x10) === 1 : count(0x10) < 2)
  if (!wellFormed) return malformed
  if (entries.some(([tag, , id]) => (tag === 0x02 || tag === 0x08) && id === UNDEFINED)) return unmapped
  return {
    kind: "entries",
    entries: entries
      .filter(([tag]) => tag !== 0x10)
      .map(([tag, permissions, id = UNDEFINED]) => ({
        subject: subject(tag, id),
        write: [2, 3, 6, 7].includes(permissions)
      }))
  }
}

describe("the decoder", () => {
  it.prop(
    "agrees with the slow rule on any list of entries",
    { entries: Schema.Array(Entry) },
    ({ entries }) => {
      assert.deepStrictEqual(decodePosixAcl(encoded(entries)), slow(entries))
    },
    { arbitrary: { runs: 3000, seed: 1 } }
  )

  it.prop(
    "agrees with it when the required entries are there",
    {
      before: Schema.Array(Entry),
      after: Schema.Array(
        Schema.Tuple([Schema.Literals([0x02, 0x08]), Schema.Literals([0, 4, 6, 7]), Schema.Literals([0, 7, UNDEFINED])])
      ),
      masked: Schema.Boolean
    },
    ({ after, before, masked }) => {
      const entries: ReadonlyArray<Raw> = [
        other,
        ...before.filter(([tag]) => tag === 0x02 || tag === 0x08),
        owner,
        ...(masked ? [mask] : []),
        ...after,
        group
      ]
      assert.deepStrictEqual(decodePosixAcl(encoded(entries)), slow(entries))
    },
    { arbitrary: { runs: 3000, seed: 2 } }
  )

  it.prop(
    "answers any bytes, and never with entries unless all bytes are accounted for",
    {
      bytes: Schema.Array(Schema.Literals([0, 1, 2, 4, 7, 8, 16, 32, 255]))
    },
    ({ bytes }) => {
      const reading = decodePosixAcl(Uint8Array.from([2, 0, 0, 0, ...bytes]))
      if (reading.kind === "entries") assert.isAtMost(4 + 8 * reading.entries.length, 4 + bytes.length)
      else assert.strictEqual(reading.kind, "refused")
    },
    { arbitrary: { runs: 3000, seed: 3 } }
  )
})
