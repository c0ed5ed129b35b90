/**
 * Whatever is refused, the operator reads which component, which rule and what to do; the JSON answer tells nothing; and
 * doing what the cure says cures. (design.md section 1, seed 000 "Filesystem safety")
 */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { current, run } from "./given/Cli.ts"
import { exampleFolder, put } from "./given/Folder.ts"

const isRoot = process.getuid?.() === 0
const hasAcls = spawnSync("setfacl", ["--version"]).status === 0

interface Case {
  readonly name: string
  /** Breaks the folder of `exampleFolder`. */
  readonly spoil: (made: string) => void
  /** The refused component, below the folder; "" is the folder itself. */
  readonly component: string
  readonly rule: string
  /** Part of the cure. */
  readonly cure: string
  readonly needs?: "root" | "acl"
  /** Whether the cure is a command that mends what was spoiled. */
  readonly mends?: true
}

const searchCases: ReadonlyArray<Case> = [
  {
    name: "a group-writable ancestor",
    spoil: (made) => chmodSync(made, 0o770),
    component: "",
    rule: "group_writable",
    cure: "chmod go-w '",
    mends: true
  },
  {
    name: "a policy that everybody can write",
    spoil: (made) => chmodSync(join(made, "policy.json"), 0o606),
    component: "policy.json",
    rule: "world_writable",
    cure: "chmod go-w '",
    mends: true
  },
  {
    name: "a root with the sticky bit that everybody can write",
    spoil: (made) => chmodSync(join(made, "notes"), 0o1777),
    component: "notes",
    rule: "world_writable",
    cure: "chmod go-w '",
    mends: true
  },
  {
    name: "a root with an access control list",
    spoil: (made) => spawnSync("setfacl", ["-m", "u:12345:rwx,m::rx", join(made, "notes")]),
    component: "notes",
    rule: "acl_user_writes",
    cure: "setfacl -b '",
    needs: "acl",
    mends: true
  },
  {
    name: "a policy that a masked group entry would let a group write",
    spoil: (made) => spawnSync("setfacl", ["-m", "g:12345:rw,m::r", join(made, "policy.json")]),
    component: "policy.json",
    rule: "acl_group_writes",
    cure: "setfacl -b '",
    needs: "acl",
    mends: true
  },
  {
    name: "a root that belongs to somebody else",
    spoil: (made) => chownSync(join(made, "notes"), 12345, 12345),
    component: "notes",
    rule: "foreign_owner",
    cure: 'sudo chown "$(id -un)" \'',
    needs: "root"
  },
  {
    name: "a root that is a link",
    spoil: (made) => {
      renameSync(join(made, "notes"), join(made, "real"))
      symlinkSync("real", join(made, "notes"))
    },
    component: "notes",
    rule: "link",
    cure: "make it a real directory instead of a link"
  },
  {
    name: "a root that is not there",
    spoil: (made) => rmSync(join(made, "notes"), { recursive: true }),
    component: "notes",
    rule: "missing",
    cure: "mkdir -m 700 '"
  },
  {
    name: "a root that is a file",
    spoil: (made) => {
      rmSync(join(made, "notes"), { recursive: true })
      writeFileSync(join(made, "notes"), "")
    },
    component: "notes",
    rule: "not_directory",
    cure: "ls -ld '"
  },
  {
    name: "a policy that is not there",
    spoil: (made) => rmSync(join(made, "policy.json")),
    component: "policy.json",
    rule: "missing",
    cure: "chmod 600 '"
  },
  {
    name: "a policy that is a directory",
    spoil: (made) => {
      rmSync(join(made, "policy.json"))
      mkdirSync(join(made, "policy.json"))
    },
    component: "policy.json",
    rule: "not_file",
    cure: "ls -ld '"
  },
  {
    name: "a policy with an unknown key",
    spoil: (made) => put(made, "policy.json", '{"version": 1, "root": "/x", "allow": [], "alow": []}'),
    component: "policy.json",
    rule: "policy_invalid",
    cure: "correct alow in the file"
  },
  {
    name: "a policy that is not JSON",
    spoil: (made) => put(made, "policy.json", "{"),
    component: "policy.json",
    rule: "policy_invalid",
    cure: "correct the file"
  },
  {
    name: "a policy above a ceiling",
    spoil: (made) =>
      put(made, "policy.json", '{"version": 1, "root": "/x", "allow": [], "limits": {"max_results": 11}}'),
    component: "policy.json",
    rule: "policy_invalid",
    cure: "correct limits.max_results in the file"
  }
]

const readCases: ReadonlyArray<Case> = [
  {
    name: "a note that its group can write",
    spoil: (made) => chmodSync(join(made, "notes/projects/garden.md"), 0o660),
    component: "notes/projects/garden.md",
    rule: "group_writable",
    cure: "chmod go-w '",
    mends: true
  },
  {
    name: "a folder of notes that its group can write",
    spoil: (made) => chmodSync(join(made, "notes/projects"), 0o770),
    component: "notes/projects",
    rule: "group_writable",
    cure: "chmod go-w '",
    mends: true
  },
  {
    name: "a note with a second name",
    spoil: (made) => linkSync(join(made, "notes/projects/garden.md"), join(made, "second.md")),
    component: "notes/projects/garden.md",
    rule: "hard_link",
    cure: "cp -p '",
    mends: true
  },
  {
    name: "a note that is a link",
    spoil: (made) => {
      renameSync(join(made, "notes/projects/garden.md"), join(made, "garden.md"))
      symlinkSync("../../garden.md", join(made, "notes/projects/garden.md"))
    },
    component: "notes/projects/garden.md",
    rule: "link",
    cure: "put the file itself in its place"
  },
  {
    name: "a folder of notes that is a link",
    spoil: (made) => {
      renameSync(join(made, "notes/projects"), join(made, "projects"))
      symlinkSync("../projects", join(made, "notes/projects"))
    },
    component: "notes/projects",
    rule: "link",
    cure: "make it a real directory"
  },
  {
    name: "a note that is too large",
    spoil: (made) => put(made, "notes/projects/garden.md", "x".repeat(262_145)),
    component: "notes/projects/garden.md",
    rule: "too_large",
    cure: "max_file_bytes"
  },
  {
    name: "a note that is not text",
    spoil: (made) => put(made, "notes/projects/garden.md", "a\0b"),
    component: "notes/projects/garden.md",
    rule: "binary",
    cure: "only text"
  },
  {
    name: "a note that is not UTF-8",
    spoil: (made) => writeFileSync(join(made, "notes/projects/garden.md"), Buffer.from([0x67, 0xfc, 0x6e])),
    component: "notes/projects/garden.md",
    rule: "not_utf8",
    cure: "save it as UTF-8"
  },
  {
    name: "a FIFO in the place of a note",
    spoil: (made) => {
      rmSync(join(made, "notes/projects/garden.md"))
      spawnSync("mkfifo", ["-m", "600", join(made, "notes/projects/garden.md")])
    },
    component: "notes/projects/garden.md",
    rule: "not_file",
    cure: "ls -ld '"
  }
]

const skips = ({ needs }: Case): boolean => (needs === "root" && !isRoot) || (needs === "acl" && !hasAcls)

const check = (args: ReadonlyArray<string>, exitCode: number, publicCode: string, refusal: Case): void => {
  const made = exampleFolder()
  refusal.spoil(made)
  const whole = [...args, "--policy", join(made, "policy.json")]
  const { code, stderr, stdout } = run(current, [...whole, "--json"])
  assert.strictEqual(code, exitCode, stderr)

  assert.include(stderr, `component  ${join(made, refusal.component)}\n`)
  assert.match(stderr, new RegExp(`rule +${refusal.rule}: `))
  assert.include(stderr, refusal.cure)
  assert.notMatch(stderr, /\bat .*\.ts:\d+/)

  const { error, ok, ...rest } = JSON.parse(stdout) as { ok: boolean; error: { code: string } }
  assert.deepStrictEqual({ ok, code: error.code, rest }, { ok: false, code: publicCode, rest: {} })
  for (const detail of [made, refusal.rule, "component", "cure"]) assert.notInclude(stdout, detail)

  const person = run(current, whole)
  assert.deepStrictEqual(person, { code: exitCode, stdout: "", stderr })

  if (refusal.mends === true) {
    const command = /cure +(.*)/.exec(stderr)?.[1] ?? ""
    assert.strictEqual(spawnSync("bash", ["--norc", "-c", command]).status, 0, command)
    const { code: after, stderr: complaint } = run(current, whole)
    assert.strictEqual(after, 0, complaint)
  }
}

describe("a refused search explains", () => {
  for (const refusal of searchCases) {
    it.skipIf(skips(refusal))(refusal.name, () => check(["search", "garden"], 2, "unavailable", refusal))
  }
})

describe("a refused read explains", () => {
  for (const refusal of readCases) {
    it.skipIf(skips(refusal))(refusal.name, () =>
      check(["read", "projects/garden.md"], 3, "not_found_or_denied", refusal)
    )
  }
})

describe("a path with odd characters", () => {
  it("is quoted in the cure, so that the command names it and nothing else", () => {
    const made = exampleFolder()
    const odd = join(made, "it's $HOME `here`\u001b[31m")
    mkdirSync(odd, { mode: 0o700 })
    renameSync(join(made, "policy.json"), join(odd, "policy.json"))
    chmodSync(odd, 0o770)
    const args = ["search", "garden", "--policy", join(odd, "policy.json")]
    const { stderr } = run(current, args)
    assert.notInclude(stderr, "\u001b")
    const command = /cure +(.*)/.exec(stderr)?.[1] ?? ""
    assert.strictEqual(spawnSync("bash", ["--norc", "-c", command]).status, 0)
    assert.strictEqual(run(current, args).code, 0)
  })
})
