/**
 * A root that a team shares, on a real file system with real users: members of the listed group may write, nobody else
 * may, and whatever somebody else could have written is refused. (design.md section 7 "trust"; issue 8 "Tests that must
 * exist")
 *
 * Each writer is a process that gives up root for a user and groups of its own.
 */
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, linkSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { hasSetfacl, isLinux, isRoot, without } from "../support/Capabilities.ts"
import { ids, makeWorld, setfacl, type World } from "../support/World.ts"

const hasPython = spawnSync("python3", ["--version"]).status === 0
const able = isLinux && isRoot && hasPython

const team = 54_242
const otherTeam = 54_343
const member = 55_001
const secondMember = 55_002
const stranger = 55_003

interface Who {
  readonly user: number
  readonly groups: ReadonlyArray<number>
}
const ofTeam: Who = { user: member, groups: [team] }
const alsoOfTeam: Who = { user: secondMember, groups: [team] }
const outsider: Who = { user: stranger, groups: [otherTeam] }

/** Runs lines of Python as somebody; true where no permission was missing. */
const as = ({ groups, user }: Who, ...lines: ReadonlyArray<string>): boolean => {
  const program = [
    "import os, sys",
    "os.umask(0o002)",
    `os.setgroups(${JSON.stringify(groups)})`,
    `os.setresgid(${user}, ${user}, ${user})`,
    `os.setresuid(${user}, ${user}, ${user})`,
    "try:",
    ...lines.map((line) => `  ${line}`),
    "except PermissionError: sys.exit(13)"
  ]
  const { status, stderr } = spawnSync("python3", ["-c", program.join("\n")])
  if (status !== 0 && status !== 13) throw new Error(String(stderr))
  return status === 0
}

const writes = (who: Who, path: string, text: string): boolean =>
  as(who, `open(${JSON.stringify(path)}, "w").write(${JSON.stringify(text)})`)

const found = (world: World): ReadonlyArray<string> => ids(world.search("needle", 10)).toSorted()
const code = (world: World): string => {
  const answer = world.search("needle")
  return answer.ok ? "ok" : answer.error.code
}
const contentOf = (world: World, id: string): string | undefined => {
  const answer = world.read(id)
  return answer.ok && "content" in answer ? answer.content : undefined
}

describe.skipIf(!able)(`a root shared by a team${without(able, "root on Linux and python3")}`, () => {
  let world: World
  const at = (name: string) => join(world.root, name)
  const shared = (trust: object = { groups: [team] }, changes: object = {}) =>
    world.policy({ version: 2, trust, ...changes })

  beforeEach(() => {
    world = makeWorld()
    chmodSync(world.base, 0o755)
    world.write(at("op.md"), "needle of the operator\n")
    chownSync(world.root, 0, team)
    chmodSync(world.root, 0o2770)
    chownSync(at("op.md"), 0, team)
    chmodSync(at("op.md"), 0o660)
    shared()
  })
  afterEach(() => world.dispose())

  it("is refused where the policy names no group, in both versions", () => {
    for (const changes of [
      { version: 1 },
      { version: 2 },
      { version: 2, trust: {} },
      { version: 2, trust: { groups: [] } }
    ]) {
      world.policy(changes)
      assert.strictEqual(code(world), "unavailable")
      assert.isFalse(world.read("op.md").ok)
    }
    assert.strictEqual(world.takeLog()[0]?.annotations["rule"], "group_writable")
  })

  it("members may change, add and replace notes and folders, and what they wrote is served", () => {
    assert.isTrue(writes(ofTeam, at("op.md"), "needle changed by a member\n"))
    assert.isTrue(writes(ofTeam, at("new.md"), "needle of a member\n"))
    assert.isTrue(as(ofTeam, `os.mkdir(${JSON.stringify(at("sub"))})`))
    assert.isTrue(writes(alsoOfTeam, at("sub/second.md"), "needle of the second\n"))
    assert.deepStrictEqual(found(world), ["new.md", "op.md", "sub/second.md"])
    assert.strictEqual(contentOf(world, "op.md"), "needle changed by a member\n")
    assert.isTrue(writes(alsoOfTeam, at("new.md"), "needle by another\n"))
    assert.strictEqual(contentOf(world, "new.md"), "needle by another\n")
    assert.isTrue(as(alsoOfTeam, `os.rename(${JSON.stringify(at("new.md"))}, ${JSON.stringify(at("op.md"))})`))
    assert.strictEqual(contentOf(world, "op.md"), "needle by another\n")
  })

  it("others cannot, and change nothing", () => {
    const before = world.search("needle", 10)
    assert.isFalse(writes(outsider, at("op.md"), "needle of a stranger\n"))
    assert.isFalse(writes(outsider, at("evil.md"), "needle of a stranger\n"))
    assert.isFalse(as(outsider, `os.mkdir(${JSON.stringify(at("evil"))})`))
    assert.isFalse(as(outsider, `os.rename(${JSON.stringify(world.root)}, ${JSON.stringify(`${world.root}-x`)})`))
    assert.deepStrictEqual(world.search("needle", 10), before)
  })

  it("a folder that another team may write is passed over, with all that is in it", () => {
    mkdirSync(at("theirs"))
    chownSync(at("theirs"), 0, otherTeam)
    chmodSync(at("theirs"), 0o2775)
    chmodSync(world.root, 0o2775)
    assert.isTrue(writes(outsider, at("theirs/evil.md"), "needle of a stranger\n"))
    assert.deepStrictEqual(found(world), ["op.md"])
    assert.isFalse(world.read("theirs/evil.md").ok)
    shared({ groups: [team, otherTeam] })
    assert.deepStrictEqual(found(world), ["op.md", "theirs/evil.md"])
  })

  it("a team that is not in the list is nobody, though the root is its own and its members could write", () => {
    for (const groups of [[otherTeam], [otherTeam, member, secondMember], []]) {
      shared({ groups })
      world.takeLog()
      assert.strictEqual(code(world), "unavailable")
      assert.isFalse(world.read("op.md").ok)
      assert.strictEqual(world.takeLog()[0]?.annotations["rule"], "group_writable")
    }
    shared({ groups: [otherTeam, team] })
    assert.deepStrictEqual(found(world), ["op.md"])
  })

  it("a member of two teams, one of them not in the list, can share what is of the listed one alone", () => {
    const ofBoth: Who = { user: member, groups: [team, otherTeam] }
    const give = (group: number) => as(ofBoth, `os.chown(${JSON.stringify(at("both.md"))}, -1, ${group})`)
    assert.isTrue(writes(ofBoth, at("both.md"), "needle of both\n"))
    assert.deepStrictEqual(found(world), ["both.md", "op.md"])
    assert.isTrue(give(otherTeam))
    assert.deepStrictEqual(found(world), ["op.md"])
    assert.isFalse(world.read("both.md").ok)
    assert.isTrue(give(team))
    assert.deepStrictEqual(found(world), ["both.md", "op.md"])
  })

  it("a root that another team may write is refused as a whole", () => {
    chownSync(world.root, 0, otherTeam)
    assert.strictEqual(code(world), "unavailable")
    assert.isFalse(world.read("op.md").ok)
  })

  it.each<readonly [string, (path: string) => void]>([
    ["belongs to somebody outside, by user and group", (path) => chownSync(path, stranger, stranger)],
    ["belongs to somebody outside, in another team", (path) => chownSync(path, stranger, otherTeam)],
    ["belongs to a member who keeps it in his own group", (path) => chownSync(path, member, member)],
    [
      "belongs to somebody outside who alone may write it",
      (path) => {
        chownSync(path, stranger, otherTeam)
        chmodSync(path, 0o640)
      }
    ],
    [
      "belongs to a member who alone may write it, in a group that is not listed",
      (path) => {
        chownSync(path, member, otherTeam)
        chmodSync(path, 0o600)
      }
    ],
    ["may be written by another team", (path) => chownSync(path, 0, otherTeam)],
    ["may be written by everybody", (path) => chmodSync(path, 0o666)]
  ])("a note is passed over that %s", (_, change) => {
    world.write(at("n.md"), "needle\n")
    chownSync(at("n.md"), 0, team)
    chmodSync(at("n.md"), 0o660)
    assert.deepStrictEqual(found(world), ["n.md", "op.md"])
    change(at("n.md"))
    assert.deepStrictEqual(found(world), ["op.md"])
    assert.isFalse(world.read("n.md").ok)
  })

  it("the root itself must belong to root or the running user, whoever may write to it", () => {
    chownSync(world.root, member, team)
    assert.strictEqual(code(world), "unavailable")
    assert.strictEqual(world.takeLog().at(-1)?.annotations["rule"], "foreign_owner")
  })

  it("never everybody: a root that others may write is refused", () => {
    chmodSync(world.root, 0o2777)
    assert.strictEqual(code(world), "unavailable")
    assert.strictEqual(world.takeLog().at(-1)?.annotations["rule"], "world_writable")
  })

  it.each<readonly [string, (world: World) => string]>([
    ["the directory above the root", ({ base }) => base],
    ["the directory of the policy", ({ policyFile }) => join(policyFile, "..")],
    ["the profile home", ({ home }) => home],
    ["the policy file", ({ policyFile }) => policyFile]
  ])("the group is not accepted for %s", (_, place) => {
    assert.strictEqual(code(world), "ok")
    chownSync(place(world), 0, team)
    chmodSync(place(world), 0o770)
    assert.strictEqual(code(world), "unavailable")
    assert.isFalse(world.read("op.md").ok)
  })

  it("a member's link leads nowhere", () => {
    const secret = world.write(join(world.base, "outside", "secret.md"), "needle outside\n")
    assert.isTrue(as(ofTeam, `os.symlink(${JSON.stringify(secret)}, ${JSON.stringify(at("link.md"))})`))
    assert.isTrue(
      as(ofTeam, `os.symlink(${JSON.stringify(join(world.base, "outside"))}, ${JSON.stringify(at("folder"))})`)
    )
    assert.deepStrictEqual(found(world), ["op.md"])
    for (const id of ["link.md", "folder/secret.md"]) assert.isFalse(world.read(id).ok)
  })

  it("the names of groups are looked up, and an unknown one refuses the policy", () => {
    const lines = readFileSync("/etc/group", "utf8").split("\n")
    const [name = "", , id = ""] = lines.find((line) => /^[a-z]+:[^:]*:[1-9][0-9]*:/.test(line))?.split(":") ?? []
    chownSync(world.root, 0, Number(id))
    chownSync(at("op.md"), 0, Number(id))
    shared({ groups: [name] })
    assert.deepStrictEqual(found(world), ["op.md"])
    shared({ groups: [name, "no-such-group-here"] })
    world.takeLog()
    assert.strictEqual(code(world), "unavailable")
    assert.deepStrictEqual(world.takeLog()[0]?.annotations, {
      call: "search",
      reason: "policy_invalid",
      subject: "trust.groups[1]",
      rule: "names no known group"
    })
  })

  describe.skipIf(!hasSetfacl)(`access control lists${without(hasSetfacl, "setfacl")}`, () => {
    beforeEach(() => {
      for (const path of [world.root, at("op.md")]) {
        chownSync(path, 0, 0)
        chmodSync(path, path === world.root ? 0o750 : 0o640)
      }
    })

    it("a named entry of the group is accepted, and lets its members write", () => {
      setfacl(`g:${team}:rwx`, world.root)
      setfacl(`g:${team}:rw`, at("op.md"))
      assert.isTrue(writes(ofTeam, at("op.md"), "needle by list\n"))
      assert.strictEqual(contentOf(world, "op.md"), "needle by list\n")
      world.policy({ version: 2 })
      assert.strictEqual(code(world), "unavailable")
    })

    it.each([`g:${otherTeam}:rwx`, `u:${member}:rwx`, "o::rwx", "g::rwx,m::rwx"])("%s is not", (entry) => {
      setfacl(`g:${team}:rwx`, world.root)
      assert.deepStrictEqual(found(world), ["op.md"])
      setfacl(entry, at("op.md"))
      assert.deepStrictEqual(found(world), [])
      setfacl(entry, world.root)
      assert.strictEqual(code(world), "unavailable")
    })
  })
})

describe.skipIf(!able)(`trust.hard_links${without(able, "root on Linux and python3")}`, () => {
  let world: World
  beforeEach(() => {
    world = makeWorld()
    world.write(join(world.root, "a.md"), "needle\n")
    linkSync(join(world.root, "a.md"), join(world.root, "b.md"))
    linkSync(world.write(join(world.base, "elsewhere.md"), "needle elsewhere\n"), join(world.root, "c.md"))
  })
  afterEach(() => world.dispose())

  it("false, the default: linked files are passed over", () => {
    for (const changes of [{ version: 1 }, { version: 2 }, { version: 2, trust: { hard_links: false } }]) {
      world.policy(changes)
      assert.deepStrictEqual(found(world), [])
      assert.isFalse(world.read("a.md").ok)
    }
  })

  it("true: they are served by each name that the policy permits", () => {
    world.policy({ version: 2, trust: { hard_links: true }, deny: ["b.md"] })
    assert.deepStrictEqual(found(world), ["a.md", "c.md"])
    assert.isTrue(world.read("c.md").ok)
    assert.isFalse(world.read("b.md").ok)
  })

  it("true: a linked file is held to every other rule", () => {
    world.policy({ version: 2, trust: { hard_links: true } })
    chmodSync(join(world.base, "elsewhere.md"), 0o620)
    chownSync(join(world.root, "a.md"), stranger, stranger)
    assert.deepStrictEqual(found(world), [])
    symlinkSync("a.md", join(world.root, "d.md"))
    assert.isFalse(world.read("d.md").ok)
  })

  it("beside a group: only what that group owns and may read, so that no member can publish what is not his", () => {
    chownSync(world.root, 0, team)
    chmodSync(world.root, 0o2770)
    world.policy({ version: 2, trust: { hard_links: true, groups: [team] } })
    assert.deepStrictEqual(found(world), [])
    chownSync(join(world.root, "c.md"), 0, team)
    assert.deepStrictEqual(found(world), [])
    chmodSync(join(world.root, "c.md"), 0o640)
    assert.deepStrictEqual(found(world), ["c.md"])
    chownSync(join(world.root, "a.md"), 0, otherTeam)
    chmodSync(join(world.root, "a.md"), 0o640)
    assert.deepStrictEqual(found(world), ["c.md"])
  })
})
