/** Whom `trust.groups` accepts as a writer: members of the listed groups, at and below a root, and nobody else. */
import { assert, describe, it } from "@effect/vitest"
import { groupId } from "@memory-bridge/core/policy/GroupFile"
import type { AclEntry, AclReading, AclSubject } from "@memory-bridge/core/tree/Acl"
import { noAcl } from "@memory-bridge/core/tree/Acl"
import { distrust, distrustAncestor, distrustRoot, nobodyElse, type Writers } from "@memory-bridge/core/trust/Trust"
import * as Effect from "effect/Effect"
import { directory, file, stranger, user } from "../given/Facts.ts"
import { policyText } from "../given/Policies.ts"
import { dir, file as drawnFile, memoryTree } from "../given/Trees.ts"
import { found, worldOver } from "../given/World.ts"

const team = 7
const other = 8
const writers: Writers = { groups: new Set([team]), groupBitsAreMask: true }
const plainBits: Writers = { ...writers, groupBitsAreMask: false }

const acl = (...entries: ReadonlyArray<AclEntry>): AclReading => ({ kind: "entries", entries })
const grants = (subject: AclSubject, write = true): AclEntry => ({ subject, write })
const base = [grants({ kind: "owner" }), grants({ kind: "owning_group" }, false), grants({ kind: "everyone" }, false)]

describe("who may own or write an entry", () => {
  it("every owner, group and mode", () => {
    for (const owner of [0, user, stranger])
      for (const group of [0, user, team, other])
        for (let mode = 0; mode < 0o1000; mode++) {
          const facts = file({ owner, group, mode })
          const mayOwn = owner !== stranger || group === team
          const mayWrite = (mode & 0o002) === 0 && ((mode & 0o020) === 0 || group === team)
          assert.strictEqual(distrust(facts, noAcl, user, writers) === undefined, mayOwn && mayWrite)
          assert.strictEqual(
            distrustRoot(facts, noAcl, user, writers) === undefined,
            owner !== stranger && mayWrite,
            "at the root"
          )
          assert.strictEqual(distrust(facts, noAcl, user, nobodyElse), distrust(facts, noAcl, user))
          assert.strictEqual(distrustAncestor("/a", facts, noAcl, user), distrust(facts, noAcl, user))
        }
  })

  it.each<readonly [AclSubject, boolean]>([
    [{ kind: "group", id: team }, true],
    [{ kind: "group", id: other }, false],
    [{ kind: "user", id: stranger }, false],
    [{ kind: "user", id: team }, false],
    [{ kind: "everyone" }, false],
    [{ kind: "owning_group" }, false]
  ])("an entry for %j", (subject, accepted) => {
    const reading = acl(...base, grants(subject))
    assert.strictEqual(distrust(file({ group: other, mode: 0o660 }), reading, user, writers) === undefined, accepted)
    assert.strictEqual(distrust(file({ group: other }), reading, user, writers) === undefined, accepted)
    assert.isDefined(distrust(file({ group: other }), reading, user))
  })

  it("an entry for the owning group speaks of the group that the entry belongs to", () => {
    const reading = acl(grants({ kind: "owning_group" }))
    assert.isUndefined(distrust(file({ group: team, mode: 0o660 }), reading, user, writers))
    assert.strictEqual(distrust(file({ group: other }), reading, user, writers), "acl_group_writes")
  })

  it("group bits count beside a list where they are no mask, and a list that cannot be read excuses nothing", () => {
    const reading = acl(...base, grants({ kind: "group", id: team }))
    assert.strictEqual(distrust(file({ group: other, mode: 0o660 }), reading, user, plainBits), "group_writable")
    const refused: AclReading = { kind: "refused", reason: "acl_unreadable" }
    assert.strictEqual(distrust(file({ group: other, mode: 0o660 }), refused, user, writers), "group_writable")
    assert.strictEqual(distrust(file({ group: team, mode: 0o660 }), refused, user, writers), "acl_unreadable")
  })

  it("without a group in the list nothing is excused by a mask", () => {
    const none: Writers = { groups: new Set(), groupBitsAreMask: true }
    assert.strictEqual(distrust(directory({ mode: 0o770 }), acl(...base), user, none), "group_writable")
  })
})

describe("the id of a group", () => {
  const text =
    "root:x:0:\nteam:x:1234:ana,bo\ntwice:x:1:\ntwice:x:2:\nsame:x:9:\nsame:x:9:\nodd:x:0x10:\n+::\nshort\nnone:x:65534:\n"
  it.each<readonly [string, number | undefined]>([
    ["team", 1234],
    ["root", 0],
    ["same", 9],
    ["twice", undefined],
    ["odd", undefined],
    ["short", undefined],
    ["none", undefined],
    ["Team", undefined],
    ["tea", undefined],
    ["+", undefined],
    ["", undefined]
  ])("%j", (name, id) => {
    assert.strictEqual(groupId(text, name), id)
  })
})

describe("names of groups in a policy", () => {
  const policy = policyText({ version: 2, trust: { groups: ["team"] } })
  const drawn = (etc: Parameters<typeof memoryTree>[0]) =>
    memoryTree({
      h: { "plugin-data": { "memory-bridge": { "policy.json": drawnFile(policy, { mode: 0o600 }) } } },
      v: dir({ "a.md": drawnFile("needle", { mode: 0o664, group: team }) }, { mode: 0o2775, group: team }),
      ...(etc as object)
    })
  const group = (text: string, as = {}) => ({ etc: dir({ group: drawnFile(text, { owner: 0, ...as }) }, { owner: 0 }) })

  it.effect.each<readonly [string, object, string]>([
    ["are looked up", group(`team:x:${team}:\n`), "a.md"],
    ["that mean another group", group("team:x:8:\n"), "unavailable"],
    ["that are unknown", group("other:x:7:\n"), "unavailable"],
    ["without a group file", {}, "unavailable"],
    ["in a group file of the running user", group(`team:x:${team}:\n`, { owner: 1000 }), "unavailable"],
    ["in a group file that others may write", group(`team:x:${team}:\n`, { mode: 0o664 }), "unavailable"],
    ["in a group file that cannot be read", group(`team:x:${team}:\n`, { fails: { read: "io" } }), "unavailable"]
  ])("%s", ([, etc, expected]) =>
    Effect.map(found(worldOver(drawn(etc as never))), (answer) => assert.strictEqual(answer, expected))
  )

  it.effect("are looked up anew on every call", () =>
    Effect.gen(function* () {
      const tree = drawn(group(`team:x:${team}:\n`) as never)
      const world = worldOver(tree)
      assert.strictEqual(yield* found(world), "a.md")
      tree.edit("/etc/group", { content: "team:x:8:\n" })
      assert.strictEqual(yield* found(world), "unavailable")
    })
  )
})
