/** What an access control list comes to, entry by entry and failure by failure. (seed 000 "ACLs") */
import type { AclReading } from "@memory-bridge/core/tree/Acl"
import { distrust } from "@memory-bridge/core/trust/Trust"
import type { Facts } from "@memory-bridge/core/tree/Facts"
import { aclReader, rights } from "@memory-bridge/platform-darwin/ExtendedAcl"
import { darwinCalls, type DarwinCalls } from "@memory-bridge/platform-darwin/Syscalls"
import { assert, describe, it } from "@effect/vitest"
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lackOfSimulation, library, simulation, unless } from "../../../tests/darwin/Library.ts"

const ALLOW = 1
const DENY = 2
const AUDIT = 3
const ONLY_INHERIT = 1 << 8
const GENERIC_ALL = 1n << 21n
const GENERIC_WRITE = 1n << 23n

const guid = (text: string): Uint8Array => Buffer.from(text.replaceAll("-", ""), "hex")
const ofUser = (id: number) => guid(`ffffeeee-dddd-cccc-bbbb-aaaa${id.toString(16).padStart(8, "0")}`)
const ofGroup = (id: number) => guid(`abcdefab-cdef-abcd-efab-cdef${id.toString(16).padStart(8, "0")}`)
const stranger = guid("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
const repeated = (byte: string) => guid(byte.repeat(16))

/** `struct kauth_ace`, as the volume keeps it. */
const ace = (who: Uint8Array, kind: number, granted: bigint): Uint8Array => {
  const bytes = Buffer.alloc(24)
  bytes.set(who)
  new Uint32Array(bytes.buffer, bytes.byteOffset + 16, 2).set([kind, Number(granted)])
  return bytes
}

const me = 501
const mine: Facts = {
  kind: "file",
  owner: me,
  group: 20,
  mode: 0o644,
  links: 1,
  size: 0,
  device: 1n,
  mount: 1n,
  inode: 1n,
  modified: 0n,
  changed: 0n
}
const judged = (reading: AclReading) => distrust(mine, reading, me)

const writes = [
  "write_data",
  "delete",
  "append_data",
  "delete_child",
  "write_attributes",
  "write_extattributes",
  "write_security",
  "change_owner"
] as const
const harmless = [
  "read_data",
  "execute",
  "read_attributes",
  "read_extattributes",
  "read_security",
  "synchronize"
] as const
const everyRead = harmless.reduce((mask, name) => mask | rights[name], 0n)

describe.skipIf(lackOfSimulation !== undefined)(unless("an access control list", lackOfSimulation), () => {
  /** Sets a list on a file and reads it back through the library, of whose calls some may be changed. */
  const reading = (
    entries: ReadonlyArray<Uint8Array> | undefined,
    change: (calls: DarwinCalls) => Partial<DarwinCalls> = () => ({})
  ): AclReading => {
    const folder = mkdtempSync(join(tmpdir(), "memory-bridge-acl-"))
    const path = join(folder, "a.md")
    writeFileSync(path, "")
    const descriptor = openSync(path, constants.O_RDONLY)
    try {
      const { live, setList } = simulation()
      const calls = darwinCalls(library)
      if (entries !== undefined) setList(descriptor, entries)
      const before = live()
      const result = aclReader({ ...calls, ...change(calls) })(descriptor)
      assert.strictEqual(live(), before, "what the library hands out is given back")
      return result
    } finally {
      closeSync(descriptor)
      rmSync(folder, { recursive: true })
    }
  }

  it("none is none, and one without entries is no harm", () => {
    assert.deepStrictEqual(reading(undefined), { kind: "none" })
    assert.deepStrictEqual(reading([]), { kind: "entries", entries: [] })
  })

  it.each(writes)("%s for anybody else is refused, for the owner or root it is not", (name) => {
    const granted = everyRead | rights[name]
    for (const [who, refusal] of [
      [ofUser(502), "acl_user_writes"],
      [ofGroup(20), "acl_group_writes"],
      [ofGroup(12), "acl_everyone_writes"],
      [ofGroup(16), "acl_group_writes"],
      [stranger, "acl_user_writes"],
      [repeated("ee"), "acl_unmapped_id"],
      [repeated("dd"), "acl_unmapped_id"],
      [repeated("cc"), "acl_unmapped_id"],
      [ofUser(me), undefined],
      [ofUser(0), undefined],
      [ofGroup(10), undefined]
    ] as const) {
      assert.strictEqual(judged(reading([ace(who, ALLOW, granted)])), refusal, Buffer.from(who).toString("hex"))
    }
  })

  it.each(harmless)("%s harms nobody, also for those whom nobody can name", (name) => {
    for (const who of [ofUser(502), ofGroup(20), ofGroup(12), stranger, repeated("ee"), repeated("cc")]) {
      assert.isUndefined(judged(reading([ace(who, ALLOW, rights[name])])))
    }
  })

  it("entries that deny are left out, and never excuse one that allows", () => {
    const everything = writes.reduce((mask, name) => mask | rights[name], everyRead)
    assert.deepStrictEqual(reading([ace(ofGroup(12), DENY, rights.delete)]), { kind: "entries", entries: [] })
    assert.deepStrictEqual(reading([ace(ofGroup(12), DENY, GENERIC_ALL)]), { kind: "entries", entries: [] })
    const denied = reading([ace(ofUser(502), DENY, everything), ace(ofUser(502), ALLOW, rights.write_data)])
    assert.strictEqual(judged(denied), "acl_user_writes")
  })

  it("every entry counts, the last of 128 too", () => {
    const many = Array.from({ length: 127 }, (_, index) => ace(ofUser(1000 + index), ALLOW, rights.read_data))
    const all = reading([...many, ace(ofUser(502), ALLOW, rights.append_data)])
    assert.strictEqual(all.kind === "entries" ? all.entries.length : 0, 128)
    assert.strictEqual(judged(all), "acl_user_writes")
  })

  it("an entry for children only is held to the rule all the same", () => {
    const entries = [ace(ofUser(502), ALLOW | ONLY_INHERIT, rights.write_data)]
    assert.strictEqual(judged(reading(entries)), "acl_user_writes")
  })

  it.each([
    ["a kind of entry that the header does not have", ace(ofUser(me), AUDIT, rights.read_data)],
    ["an entry of no kind", ace(ofUser(me), 0, rights.read_data)],
    ["generic write, which the kernel heeds", ace(ofUser(502), ALLOW, GENERIC_WRITE)],
    ["generic all, which the kernel heeds", ace(ofUser(502), ALLOW, GENERIC_ALL)],
    ["a right that nobody has named", ace(ofUser(me), ALLOW, 1n << 19n)]
  ])("is refused for %s", (_title, entry) => {
    assert.deepStrictEqual(reading([entry]), { kind: "refused", reason: "acl_malformed" })
  })

  const one = [ace(ofUser(me), ALLOW, rights.write_data)]
  const unreadable: AclReading = { kind: "refused", reason: "acl_unreadable" }

  it.each<[string, (calls: DarwinCalls) => Partial<DarwinCalls>, AclReading]>([
    ["the list cannot be had", () => ({ accessList: () => -5 }), unreadable],
    ["there is no memory for it", () => ({ accessList: () => -12 }), unreadable],
    ["the call is not supported", () => ({ accessList: () => -45 }), { kind: "refused", reason: "acl_unsupported" }],
    ["so, by the other number", () => ({ accessList: () => -102 }), { kind: "refused", reason: "acl_unsupported" }],
    ["Linux's number for that", () => ({ accessList: () => -95 }), unreadable],
    ["the entry cannot be had", () => ({ accessEntry: () => -5 }), unreadable],
    ["the entry's kind cannot be had", () => ({ entryTag: () => -22 }), unreadable],
    ["the entry's rights cannot be had", () => ({ entryRights: () => -22 }), unreadable],
    ["the entry's name cannot be had", () => ({ entryGuid: () => -12 }), unreadable]
  ])("is refused where %s", (_title, change, expected) => {
    assert.deepStrictEqual(reading(one, change), expected)
  })

  it("is refused where the library answers as Linux's does: 1 for an entry", () => {
    const linux = (calls: DarwinCalls): Partial<DarwinCalls> => ({
      accessEntry: (list, which, into) => (calls.accessEntry(list, which, into) === 0 ? 1 : 0)
    })
    assert.deepStrictEqual(reading([ace(ofUser(502), ALLOW, rights.write_data)], linux), unreadable)
    assert.deepStrictEqual(reading([], linux), unreadable)
  })

  it("is refused where it does not end", () => {
    const endless = (calls: DarwinCalls): Partial<DarwinCalls> => ({
      accessEntry: (list, _which, into) => calls.accessEntry(list, 0, into)
    })
    assert.deepStrictEqual(reading(one, endless), { kind: "refused", reason: "acl_malformed" })
  })

  it.each([
    ["keeps none is refused", 0, { kind: "refused", reason: "acl_unsupported" }],
    ["cannot say so is refused", -22, unreadable],
    ["keeps some, but not here, has none", 1, { kind: "none" }]
  ] as const)("where there is none, a volume that %s", (_title, kept, expected) => {
    assert.deepStrictEqual(
      reading(undefined, () => ({ keepsLists: () => kept })),
      expected
    )
  })

  it("asks who somebody is once in a walk, and not at all for the kernel's own names", () => {
    const asked: Array<string> = []
    const entries = [ofUser(7), ofUser(7), ofGroup(12), ofUser(7), ofGroup(10), repeated("ee"), repeated("ee")]
    const read = reading(
      entries.map((who) => ace(who, ALLOW, rights.read_data)),
      (calls) => ({
        idOfGuid: (who, id, type) => {
          asked.push(Buffer.from(who).toString("hex"))
          return calls.idOfGuid(who, id, type)
        }
      })
    )
    assert.deepStrictEqual(asked, [Buffer.from(ofUser(7)).toString("hex"), "ee".repeat(16)])
    assert.strictEqual(read.kind === "entries" ? read.entries.length : 0, 5)
  })

  it("is read again when the call was interrupted", () => {
    const { interrupt, interruptionsLeft } = simulation()
    const read = reading(one, (calls) => ({
      accessList: (descriptor) => {
        interrupt(2)
        return calls.accessList(descriptor)
      }
    }))
    assert.deepStrictEqual(read, { kind: "entries", entries: [{ subject: { kind: "user", id: me }, write: true }] })
    assert.strictEqual(interruptionsLeft(), 0)
  })
})
