/** Seed 000 "Filesystem safety": one trust rule for every path, and its one exception. */
import { assert, describe, it } from "@effect/vitest"
import { type AclEntry, type AclReading, type AclRefusal, type AclSubject, noAcl } from "@memory-bridge/core/tree/Acl"
import { distrust, distrustAncestor } from "@memory-bridge/core/trust/Trust"
import { directory, file, stranger, user } from "./given/Facts.ts"

const acl = (...entries: ReadonlyArray<AclEntry>): AclReading => ({ kind: "entries", entries })
const writes = (subject: AclSubject): AclEntry => ({ subject, write: true })
const reads = (subject: AclSubject): AclEntry => ({ subject, write: false })

const refusals: ReadonlyArray<AclRefusal> = [
  "acl_unreadable",
  "acl_unsupported",
  "acl_malformed",
  "acl_unmapped_id",
  "acl_foreign"
]

/** From the seed's words, for one owner and mode. */
const expected = (owner: number, mode: number): string | undefined =>
  owner !== 0 && owner !== user
    ? "foreign_owner"
    : (mode & 0o002) !== 0
      ? "world_writable"
      : (mode & 0o020) !== 0
        ? "group_writable"
        : undefined

describe("root or the running user owns it, and nobody else may write by mode", () => {
  it("every owner with every mode, of files and directories", () => {
    for (const owner of [0, user, stranger, 1, 65_534, 2 ** 32 - 1, -1]) {
      for (let mode = 0; mode <= 0o7777; mode++) {
        assert.strictEqual(distrust(file({ owner, mode }), noAcl, user), expected(owner, mode) as never)
        assert.strictEqual(distrust(directory({ owner, mode }), noAcl, user), expected(owner, mode) as never)
      }
    }
  })

  it("being sticky, set-id or executable excuses nothing", () => {
    for (const special of [0o1000, 0o2000, 0o4000, 0o7000]) {
      assert.strictEqual(distrust(directory({ mode: 0o777 | special }), noAcl, user), "world_writable")
      assert.strictEqual(distrust(directory({ owner: 0, mode: 0o775 | special }), noAcl, user), "group_writable")
    }
  })

  it("under root, root alone is the owner that is accepted", () => {
    assert.isUndefined(distrust(file({ owner: 0 }), noAcl, 0))
    assert.strictEqual(distrust(file({ owner: user }), noAcl, 0), "foreign_owner")
  })
})

describe("no entry of the access control list lets anybody else write", () => {
  const cases: ReadonlyArray<readonly [string, AclSubject, string | undefined]> = [
    ["the file's owner", { kind: "owner" }, undefined],
    ["root by id", { kind: "user", id: 0 }, undefined],
    ["the running user by id", { kind: "user", id: user }, undefined],
    ["another user", { kind: "user", id: stranger }, "acl_user_writes"],
    ["a user whose id is the group of the running user", { kind: "user", id: user + 1 }, "acl_user_writes"],
    ["nobody", { kind: "user", id: 65_534 }, "acl_user_writes"],
    ["the owning group", { kind: "owning_group" }, "acl_group_writes"],
    ["a named group", { kind: "group", id: stranger }, "acl_group_writes"],
    ["the group with root's number", { kind: "group", id: 0 }, "acl_group_writes"],
    ["the group with the user's number", { kind: "group", id: user }, "acl_group_writes"],
    ["everyone", { kind: "everyone" }, "acl_everyone_writes"]
  ]

  it.each(cases)("%s who may write", (_, subject, refusal) => {
    assert.strictEqual(distrust(file(), acl(writes(subject)), user), refusal as never)
    assert.strictEqual(distrust(directory({ owner: 0 }), acl(writes(subject)), user), refusal as never)
  })

  it.each(cases)("%s who may only read is accepted", (_, subject) => {
    assert.isUndefined(distrust(file(), acl(reads(subject)), user))
  })

  it.each(cases)("%s who may write, last after harmless entries and with duplicates", (_, subject, refusal) => {
    const harmless = [writes({ kind: "owner" }), reads({ kind: "everyone" }), reads({ kind: "user", id: stranger })]
    const given = acl(...harmless, reads(subject), writes(subject), ...harmless)
    assert.strictEqual(distrust(file(), given, user), refusal as never)
  })

  it("a write entry is refused even where the group bits, which are the mask, say otherwise", () => {
    const masked = acl(writes({ kind: "user", id: stranger }))
    assert.strictEqual(distrust(file({ mode: 0o600 }), masked, user), "acl_user_writes")
    assert.strictEqual(distrust(file({ mode: 0o400 }), acl(writes({ kind: "owning_group" })), user), "acl_group_writes")
  })

  it("an empty list is like none", () => {
    assert.isUndefined(distrust(file(), acl(), user))
  })

  it.each(refusals)("a list that cannot be trusted refuses by its own reason: %s", (reason) => {
    assert.strictEqual(distrust(file(), { kind: "refused", reason }, user), reason)
    assert.strictEqual(distrust(directory({ owner: 0, mode: 0o755 }), { kind: "refused", reason }, user), reason)
  })

  it("a harmless list excuses neither owner nor mode", () => {
    assert.strictEqual(distrust(file({ owner: stranger }), acl(), user), "foreign_owner")
    assert.strictEqual(distrust(file({ mode: 0o622 }), acl(writes({ kind: "owner" })), user), "world_writable")
  })
})

describe("the system temporary directories are the only exception, and only as ancestors", () => {
  const temporary = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"]
  const open = directory({ owner: 0, mode: 0o1777 })

  it.each(temporary)("%s, root's and sticky, may be writable on the way", (path) => {
    assert.isUndefined(distrustAncestor(path, open, noAcl, user))
    assert.isUndefined(distrustAncestor(path, directory({ owner: 0, mode: 0o1775 }), noAcl, user))
  })

  it.each(temporary)("%s as the last component is held to the plain rule", () => {
    assert.strictEqual(distrust(open, noAcl, user), "world_writable")
  })

  it.each(temporary)("%s without the sticky bit is refused", (path) => {
    assert.strictEqual(distrustAncestor(path, directory({ owner: 0, mode: 0o777 }), noAcl, user), "world_writable")
    assert.strictEqual(distrustAncestor(path, directory({ owner: 0, mode: 0o6777 }), noAcl, user), "world_writable")
  })

  it.each(temporary)("%s that is not root's is refused, the running user's included", (path) => {
    assert.strictEqual(distrustAncestor(path, directory({ mode: 0o1777 }), noAcl, user), "world_writable")
    const foreign = directory({ owner: stranger, mode: 0o1777 })
    assert.strictEqual(distrustAncestor(path, foreign, noAcl, user), "foreign_owner")
  })

  it.each(temporary)("%s has its access control list held to the rule all the same", (path) => {
    const given = acl(writes({ kind: "everyone" }))
    assert.strictEqual(distrustAncestor(path, open, given, user), "acl_everyone_writes")
    for (const reason of refusals) {
      assert.strictEqual(distrustAncestor(path, open, { kind: "refused", reason }, user), reason)
    }
  })

  it.each([
    "/",
    "/tmp/",
    "/tmp/x",
    "/tmpx",
    "/TMP",
    "/Tmp",
    "tmp",
    "//tmp",
    "/var",
    "/var/tmp/x",
    "/private",
    "/private/tmp/x",
    "/private/var",
    "/usr/tmp",
    "/home/tmp",
    "/dev/shm",
    "/run/lock",
    "/var/lock",
    "/v/tmp",
    "/tmp/../tmp"
  ])("%s, though root's and sticky, is no exception", (path) => {
    assert.strictEqual(distrustAncestor(path, open, noAcl, user), "world_writable")
  })

  it("everything that is not writable is judged as everywhere, ancestor or not", () => {
    for (const path of [...temporary, "/", "/home"]) {
      for (const owner of [0, user, stranger]) {
        for (const mode of [0o700, 0o755, 0o1755, 0o775, 0o757]) {
          const given = directory({ owner, mode })
          const excepted = temporary.includes(path) && owner === 0 && (mode & 0o1000) !== 0
          const outcome = excepted ? undefined : distrust(given, noAcl, user)
          assert.strictEqual(distrustAncestor(path, given, noAcl, user), outcome)
        }
      }
    }
  })
})
