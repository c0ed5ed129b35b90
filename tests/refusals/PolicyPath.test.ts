/**
 * A policy that cannot be trusted or understood refuses every call of its profile, and the operator's log names the
 * reason. (seed 000 "What the operator allows", "Filesystem safety"; cases 31 and 32)
 */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { canMount, hasSetfacl, isRoot, without } from "../support/Capabilities.ts"
import { type FileSystem, giveAway, ids, makeWorld, setfacl, type World } from "../support/World.ts"

const unavailable = {
  ok: false,
  error: { code: "unavailable", message: "Memory is not available for this request." }
}

interface Case {
  readonly what: string
  readonly spoil: (world: World) => void
  readonly reason: string
  readonly rule: string
  readonly subject?: string
  readonly needs?: "root" | "setfacl"
}

/** Puts a symbolic link in the place of a file or directory that stays reachable through it. */
const replaceByLink = (path: string): void => {
  renameSync(path, `${path}-real`)
  symlinkSync(`${path}-real`, path)
}

const directoryOf = ({ policyFile }: World): string => dirname(policyFile)
const dataOf = (world: World): string => dirname(directoryOf(world))

const untrusted = (what: string, rule: string, spoil: Case["spoil"], needs?: "root" | "setfacl"): Case => ({
  what,
  spoil,
  reason: "policy_path_untrusted",
  rule,
  ...(needs === undefined ? {} : { needs })
})

const places = [
  ["the policy file", ({ policyFile }: World) => policyFile],
  ["the policy's directory", directoryOf],
  ["plugin-data", dataOf],
  ["the profile home", ({ home }: World) => home],
  ["a directory above the home", ({ base }: World) => base]
] as const

const cases: ReadonlyArray<Case> = [
  {
    what: "a missing policy",
    spoil: ({ policyFile }) => rmSync(policyFile),
    reason: "policy_unreadable",
    rule: "missing"
  },
  {
    what: "a missing profile home",
    spoil: ({ home }) => rmSync(home, { recursive: true }),
    reason: "policy_path_untrusted",
    rule: "missing"
  },
  ...places.flatMap(([what, placeOf]) => [
    untrusted(`${what} writable by the group`, "group_writable", (world) => chmodSync(placeOf(world), 0o720)),
    untrusted(`${what} writable by all`, "world_writable", (world) => chmodSync(placeOf(world), 0o702)),
    untrusted(`${what} sticky and writable by all`, "world_writable", (world) => chmodSync(placeOf(world), 0o1777)),
    untrusted(`${what} of another user`, "foreign_owner", (world) => giveAway(placeOf(world)), "root"),
    untrusted(
      `${what} that an ACL lets another user write`,
      "acl_user_writes",
      (world) => {
        setfacl("u:1234:rwx", placeOf(world))
        // The mask takes the right away for now; the entry is refused all the same.
        chmodSync(placeOf(world), 0o700)
      },
      "setfacl"
    ),
    untrusted(
      `${what} that an ACL lets another group write`,
      "acl_group_writes",
      (world) => {
        setfacl("g:1234:rwx", placeOf(world))
        chmodSync(placeOf(world), 0o700)
      },
      "setfacl"
    )
  ]),
  untrusted("a policy file that is a link", "link", ({ policyFile }) => replaceByLink(policyFile)),
  untrusted("a policy directory that is a link", "link", (world) => replaceByLink(directoryOf(world))),
  untrusted("plugin-data that is a link", "link", (world) => replaceByLink(dataOf(world))),
  untrusted("a profile home that is a link", "link", ({ home }) => replaceByLink(home)),
  {
    what: "a policy that is a directory",
    spoil: ({ policyFile }) => {
      rmSync(policyFile)
      mkdirSync(policyFile)
    },
    reason: "policy_unreadable",
    rule: "not_file"
  },
  {
    what: "a policy that is a FIFO",
    spoil: ({ policyFile }) => {
      rmSync(policyFile)
      execFileSync("mkfifo", ["-m", "600", policyFile])
    },
    reason: "policy_unreadable",
    rule: "not_file"
  },
  ...(
    [
      ["an empty policy", "", "", "not_json"],
      ["a policy cut short", `{"version":1,"root":"/x"`, "", "not_json"],
      ["a policy with a key twice", `{"version":1,"version":1,"root":"/x","allow":[]}`, "version", "duplicate_key"],
      ["a policy that begins with a byte order mark", "\ufeff{}", "", "starts with a byte order mark"],
      ["a policy of another version", `{"version":3,"root":"/x","allow":[]}`, "version", "Expected 1"],
      ["a policy larger than 64 KiB", " ".repeat(65_537), "", "is larger than 65536 bytes"]
    ] as const
  ).map(([what, text, subject, rule]): Case => ({
    what,
    spoil: ({ policyFile, write }) => {
      write(policyFile, text)
    },
    reason: "policy_invalid",
    rule,
    subject
  })),
  {
    what: "a policy that is not UTF-8",
    spoil: ({ policyFile, write }) => {
      write(policyFile, Buffer.from([0x7b, 0xff, 0x7d]))
    },
    reason: "policy_unreadable",
    rule: "not_utf8"
  },
  {
    what: "an unknown key",
    spoil: ({ policy }) => policy({ alow: ["**"] }),
    reason: "policy_invalid",
    subject: "alow",
    rule: "Expected no excess property"
  }
]

const capabilities = { root: isRoot, setfacl: hasSetfacl }

describe.each<FileSystem>(canMount ? ["ext4", "tmpfs"] : ["ext4"])("on %s,", (fileSystem) => {
  for (const { needs, reason, rule, spoil, subject, what } of cases) {
    const able = needs === undefined || capabilities[needs]
    it.skipIf(!able)(`${what} refuses search and read${without(able, needs ?? "")}`, () => {
      const world = makeWorld(fileSystem)
      try {
        world.write(join(world.root, "note.md"), "needle")
        assert.deepStrictEqual(ids(world.search("needle")), ["note.md"])
        spoil(world)
        assert.deepStrictEqual(world.search("needle"), unavailable as never)
        assert.deepStrictEqual(world.read("note.md"), unavailable as never)
        const expected = { reason, rule, ...(subject === undefined || subject === "" ? {} : { subject }) }
        const log = world.takeLog().map(({ annotations }) => annotations)
        assert.deepStrictEqual(log, [
          { call: "search", ...expected },
          { call: "read", ...expected }
        ])
        assert.notInclude(JSON.stringify(log), world.base)
      } finally {
        world.dispose()
      }
    })
  }

  it("a policy with a second name is accepted: only the owner can write through it", () => {
    const world = makeWorld(fileSystem)
    try {
      world.write(join(world.root, "note.md"), "needle")
      linkSync(world.policyFile, join(world.base, "second-name.json"))
      assert.deepStrictEqual(ids(world.search("needle")), ["note.md"])
    } finally {
      world.dispose()
    }
  })

  it("a policy inside the notes is not the policy", () => {
    const world = makeWorld(fileSystem)
    try {
      world.write(join(world.root, "note.md"), "needle")
      world.write(join(world.root, "private", "note.md"), "needle")
      world.write(join(world.root, "policy.json"), JSON.stringify({ version: 1, root: world.root, allow: ["**"] }))
      assert.deepStrictEqual(ids(world.search("needle")), ["note.md"])
    } finally {
      world.dispose()
    }
  })

  it("what the operator changes holds for the next call", () => {
    const world = makeWorld(fileSystem)
    try {
      world.write(join(world.root, "a.md"), "needle")
      world.write(join(world.root, "b.md"), "needle")
      assert.deepStrictEqual(ids(world.search("needle")), ["a.md", "b.md"])
      world.policy({ deny: ["A.md"] })
      assert.deepStrictEqual(ids(world.search("needle")), ["b.md"])
      assert.isFalse(world.read("a.md").ok)
      rmSync(world.policyFile)
      assert.deepStrictEqual(world.search("needle"), unavailable as never)
    } finally {
      world.dispose()
    }
  })
})
