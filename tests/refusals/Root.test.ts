/**
 * An untrusted root, or an untrusted directory on the way to it, refuses every call; the one exception is a system
 * temporary directory as an intermediate one. (seed 000 "Filesystem safety")
 */
import { assert, describe, it } from "@effect/vitest"
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { canMount, hasSetfacl, isRoot, without } from "../support/Capabilities.ts"
import { type FileSystem, giveAway, ids, makeWorld, setfacl, type World } from "../support/World.ts"

const unavailable = {
  ok: false,
  error: { code: "unavailable", message: "Memory is not available for this request." }
}

interface Case {
  readonly what: string
  readonly rule: string
  /** `above` is the directory that holds the root. */
  readonly spoil: (world: World & { readonly above: string }) => void
  readonly needs?: "root" | "setfacl" | "mount"
}

const replaceByLink = (path: string): void => {
  renameSync(path, `${path}-real`)
  symlinkSync(`${path}-real`, path)
}

const cases: ReadonlyArray<Case> = [
  { what: "a root that does not exist", rule: "missing", spoil: ({ root }) => rmSync(root, { recursive: true }) },
  { what: "a root that is a link", rule: "link", spoil: ({ root }) => replaceByLink(root) },
  { what: "a root below a link", rule: "link", spoil: ({ above }) => replaceByLink(above) },
  {
    what: "a root that is a file",
    rule: "not_directory",
    spoil: ({ root }) => {
      rmSync(root, { recursive: true })
      writeFileSync(root, "", { mode: 0o600 })
    }
  },
  ...(["root", "above"] as const).flatMap((place): ReadonlyArray<Case> => {
    const name = place === "root" ? "a root" : "a directory above the root"
    return [
      { what: `${name} writable by the group`, rule: "group_writable", spoil: (w) => chmodSync(w[place], 0o770) },
      { what: `${name} writable by all`, rule: "world_writable", spoil: (w) => chmodSync(w[place], 0o707) },
      { what: `${name} sticky, as /tmp is`, rule: "world_writable", spoil: (w) => chmodSync(w[place], 0o1777) },
      { what: `${name} of another user`, rule: "foreign_owner", needs: "root", spoil: (w) => giveAway(w[place]) },
      {
        what: `${name} that an ACL lets another user write`,
        rule: "acl_user_writes",
        needs: "setfacl",
        spoil: (w) => {
          setfacl("u:1234:-w-", w[place])
          // Without this the mask shows as group write, which is refused first.
          chmodSync(w[place], 0o700)
        }
      },
      {
        what: `${name} that an ACL lets another group write`,
        rule: "acl_group_writes",
        needs: "setfacl",
        spoil: (w) => {
          setfacl("g:1234:rwx", w[place])
          chmodSync(w[place], 0o700)
        }
      }
    ]
  }),
  {
    what: "a root on a file system without ACLs",
    rule: "acl_unsupported",
    needs: "mount",
    spoil: ({ mount, root }) => {
      mount("-t", "ramfs", "none", root)
      chmodSync(root, 0o700)
    }
  },
  ...["/tmp", "/var/tmp"].map((path): Case => ({
    what: `${path} itself as the root`,
    rule: "world_writable",
    spoil: ({ policy }) => policy({ root: path })
  }))
]

const capabilities = { root: isRoot, setfacl: hasSetfacl, mount: canMount }

describe.each<FileSystem>(canMount ? ["ext4", "tmpfs"] : ["ext4"])("on %s,", (fileSystem) => {
  for (const { needs, rule, spoil, what } of cases) {
    const able = needs === undefined || capabilities[needs]
    it.skipIf(!able)(`${what} refuses search and read${without(able, needs ?? "")}`, () => {
      const world = makeWorld(fileSystem)
      try {
        const above = join(world.base, "above")
        const root = join(above, "notes")
        mkdirSync(root, { recursive: true, mode: 0o700 })
        world.write(join(root, "note.md"), "needle")
        world.policy({ root })
        assert.deepStrictEqual(ids(world.search("needle")), ["note.md"])
        spoil({ ...world, above, root })
        assert.deepStrictEqual(world.search("needle"), unavailable as never)
        assert.deepStrictEqual(world.read("note.md"), unavailable as never)
        assert.deepStrictEqual(
          world.takeLog().map(({ annotations }) => annotations),
          ["search", "read"].map((call) => ({ call, reason: "root_untrusted", rule }))
        )
      } finally {
        world.dispose()
      }
    })
  }

  it.each(["", "memory", "./memory", "/tmp/../tmp/x", "/tmp//x", "/tmp/x/"])(
    "a root written as %j is refused",
    (root) => {
      const world = makeWorld(fileSystem)
      try {
        world.policy({ root })
        assert.deepStrictEqual(world.search("needle"), unavailable as never)
        assert.deepInclude(world.takeLog()[0]?.annotations, { reason: "policy_invalid", subject: "root" })
      } finally {
        world.dispose()
      }
    }
  )
})
