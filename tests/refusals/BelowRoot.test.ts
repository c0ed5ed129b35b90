/**
 * What lies below a trusted root and is passed over all the same: search does not show it, read does not find it, and
 * neither can be told from a name that does not exist. (seed 000 "Filesystem safety", "Limits of the protection")
 */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { chmodSync, closeSync, ftruncateSync, linkSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { canMount, hasSetfacl, isRoot, without } from "../support/Capabilities.ts"
import { type FileSystem, giveAway, ids, makeWorld, setfacl, type World } from "../support/World.ts"

const token = "xylophone-9321"
const notFound = {
  ok: false,
  error: { code: "not_found_or_denied", message: "The document does not exist or may not be read." }
}

interface Case {
  readonly what: string
  /** Prepares the tree and names the id that must not be served. */
  readonly prepare: (world: World) => string
  readonly needs?: "root" | "setfacl" | "mount"
}

const cases: ReadonlyArray<Case> = [
  { what: "a name that does not exist", prepare: () => "missing.md" },
  {
    what: "a symbolic link to a note outside",
    prepare: ({ base, root, write }) => {
      symlinkSync(write(join(base, "outside.md"), token), join(root, "link.md"))
      return "link.md"
    }
  },
  {
    what: "a symbolic link to a note inside",
    prepare: ({ root, write }) => {
      write(join(root, "private", "real.md"), token)
      symlinkSync("private/real.md", join(root, "link.md"))
      return "link.md"
    }
  },
  {
    what: "a note behind a symbolic link to a directory",
    prepare: ({ base, root, write }) => {
      write(join(base, "outside", "note.md"), token)
      symlinkSync(join(base, "outside"), join(root, "folder"))
      return "folder/note.md"
    }
  },
  {
    what: "a hard link to a note outside",
    prepare: ({ base, root, write }) => {
      linkSync(write(join(base, "outside.md"), token), join(root, "hard.md"))
      return "hard.md"
    }
  },
  {
    what: "a FIFO",
    prepare: ({ root }) => {
      execFileSync("mkfifo", ["-m", "600", join(root, "pipe.md")])
      return "pipe.md"
    }
  },
  {
    what: "a device",
    needs: "root",
    prepare: ({ root }) => {
      execFileSync("mknod", ["-m", "600", join(root, "device.md"), "c", "1", "5"])
      return "device.md"
    }
  },
  {
    what: "a directory named like a note",
    prepare: ({ root }) => {
      mkdirSync(join(root, "folder.md"), { mode: 0o700 })
      return "folder.md"
    }
  },
  ...(
    [
      ["group", 0o620],
      ["world", 0o602],
      ["group and world", 0o666]
    ] as const
  ).map(([who, mode]): Case => ({
    what: `a ${who}-writable note`,
    prepare: ({ root, write }) => {
      chmodSync(write(join(root, "open.md"), token), mode)
      return "open.md"
    }
  })),
  ...(
    [
      ["group", 0o720],
      ["world", 0o702],
      ["sticky world", 0o1777]
    ] as const
  ).map(([who, mode]): Case => ({
    what: `a note in a ${who}-writable directory`,
    prepare: ({ root, write }) => {
      write(join(root, "folder", "note.md"), token)
      chmodSync(join(root, "folder"), mode)
      return "folder/note.md"
    }
  })),
  {
    what: "a note of another user",
    needs: "root",
    prepare: ({ root, write }) => {
      giveAway(write(join(root, "foreign.md"), token))
      return "foreign.md"
    }
  },
  {
    what: "a note in another user's directory",
    needs: "root",
    prepare: ({ root, write }) => {
      write(join(root, "folder", "note.md"), token)
      giveAway(join(root, "folder"))
      return "folder/note.md"
    }
  },
  ...(
    [
      ["user", "u:1234:rw"],
      ["group", "g:1234:rw"]
    ] as const
  ).map(([who, entry]): Case => ({
    what: `a note that an ACL lets another ${who} write`,
    needs: "setfacl",
    prepare: ({ root, write }) => {
      setfacl(entry, write(join(root, "acl.md"), token))
      chmodSync(join(root, "acl.md"), 0o600)
      return "acl.md"
    }
  })),
  {
    what: "a note in a directory that an ACL lets another user write",
    needs: "setfacl",
    prepare: ({ root, write }) => {
      write(join(root, "folder", "note.md"), token)
      setfacl("u:1234:rwx", join(root, "folder"))
      chmodSync(join(root, "folder"), 0o700)
      return "folder/note.md"
    }
  },
  {
    what: "a note larger than max_file_bytes",
    prepare: ({ root, write }) => {
      write(join(root, "large.md"), token + " ".repeat(262_144))
      return "large.md"
    }
  },
  {
    what: "a sparse note of 3 GiB",
    prepare: ({ root, write }) => {
      const file = openSync(write(join(root, "sparse.md"), token), "r+")
      ftruncateSync(file, 3 * 1024 ** 3)
      closeSync(file)
      return "sparse.md"
    }
  },
  {
    what: "a binary note",
    prepare: ({ root, write }) => {
      write(join(root, "binary.md"), `${token}\0${token}`)
      return "binary.md"
    }
  },
  {
    what: "a note that is not UTF-8",
    prepare: ({ root, write }) => {
      write(join(root, "latin.md"), Buffer.concat([Buffer.from(token), Buffer.from([0xe9, 0x0a])]))
      return "latin.md"
    }
  },
  {
    what: "a UTF-16 note",
    prepare: ({ root, write }) => {
      write(join(root, "wide.md"), Buffer.from(`\ufeff${token}`, "utf16le"))
      return "wide.md"
    }
  },
  ...(
    [
      [".hidden.md", "a hidden note"],
      [".obsidian/note.md", "a note in a hidden directory"],
      ["two words.md", "a name with a space"],
      ["café.md", "a name outside the portable set"],
      ["notes.txt", "a file that is not Markdown"],
      ["NOTES.MD", "a file with the suffix in capitals"],
      ["private/note.md", "a note below a denied directory"],
      ["a/private/b/note.md", "a note far below a denied directory"],
      ["PRIVATE/note.md", "a note below a case variant of a denied directory"],
      ["1/2/3/4/5/6/7/8/note.md", "a note deeper than max_depth"]
    ] as const
  ).map(([id, what]): Case => ({
    what,
    prepare: ({ root, write }) => {
      write(join(root, id), token)
      return id
    }
  })),
  {
    what: "a note below a bind mount on the same device",
    needs: "mount",
    prepare: ({ base, mount, root, write }) => {
      write(join(base, "outside", "note.md"), token)
      mkdirSync(join(root, "bound"), { mode: 0o700 })
      mount("--bind", join(base, "outside"), join(root, "bound"))
      return "bound/note.md"
    }
  },
  {
    what: "a note that is itself a bind mount on the same device",
    needs: "mount",
    prepare: ({ base, mount, root, write }) => {
      const outside = write(join(base, "outside.md"), token)
      const inside = write(join(root, "bound.md"), "nothing")
      mount("--bind", outside, inside)
      return "bound.md"
    }
  },
  {
    what: "a note on another device",
    needs: "mount",
    prepare: ({ mount, root }) => {
      mkdirSync(join(root, "other"), { mode: 0o700 })
      mount("-t", "tmpfs", "-o", "mode=700", "none", join(root, "other"))
      writeFileSync(join(root, "other", "note.md"), token, { mode: 0o600 })
      return "other/note.md"
    }
  }
]

const capabilities = { root: isRoot, setfacl: hasSetfacl, mount: canMount }

describe.each<FileSystem>(canMount ? ["ext4", "tmpfs"] : ["ext4"])("on %s, below a trusted root,", (fileSystem) => {
  for (const { needs, prepare, what } of cases) {
    const able = needs === undefined || capabilities[needs]
    it.skipIf(!able)(`${what} is neither shown nor found${without(able, needs ?? "")}`, () => {
      const world = makeWorld(fileSystem)
      try {
        world.write(join(world.root, "good.md"), `a trusted note with ${token}`)
        world.policy({ limits: { max_depth: 8 } })
        const id = prepare(world)
        const answer = world.search(token)
        assert.deepStrictEqual(ids(answer), ["good.md"])
        assert.deepStrictEqual(world.read(id), notFound as never)
        assert.notInclude(JSON.stringify([answer, world.read(id)]), world.base)
        for (const { annotations } of world.takeLog()) {
          assert.deepStrictEqual(annotations, { call: "read", reason: "not_found_or_denied" })
        }
      } finally {
        world.dispose()
      }
    })
  }

  it("a socket is neither shown nor found", async () => {
    const world = makeWorld(fileSystem)
    const server = createServer()
    try {
      await new Promise<void>((resolve) => server.listen(join(world.root, "socket.md"), resolve))
      chmodSync(join(world.root, "socket.md"), 0o600)
      world.write(join(world.root, "good.md"), token)
      assert.deepStrictEqual(ids(world.search(token)), ["good.md"])
      assert.deepStrictEqual(world.read("socket.md"), notFound as never)
    } finally {
      await new Promise((resolve) => server.close(resolve))
      world.dispose()
    }
  })

  it("a name that is not UTF-8 is skipped and stands for no other file", () => {
    const world = makeWorld(fileSystem)
    try {
      writeFileSync(Buffer.concat([Buffer.from(`${world.root}/bad`), Buffer.from([0xff]), Buffer.from(".md")]), token, {
        mode: 0o600
      })
      world.write(join(world.root, "good.md"), token)
      assert.deepStrictEqual(ids(world.search(token)), ["good.md"])
      assert.deepStrictEqual(world.read("bad\ufffd.md"), notFound as never)
    } finally {
      world.dispose()
    }
  })

  it.skipIf(!hasSetfacl)(`a note that an ACL lets others read only is served${without(hasSetfacl, "setfacl")}`, () => {
    const world = makeWorld(fileSystem)
    try {
      setfacl("u:1234:r", world.write(join(world.root, "shared.md"), token))
      assert.deepStrictEqual(ids(world.search(token)), ["shared.md"])
      assert.isTrue(world.read("shared.md").ok)
    } finally {
      world.dispose()
    }
  })
})
