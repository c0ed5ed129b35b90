/** Every rule that the core can name has words and a cure, and no cure can do harm. (seed 000 "Filesystem safety") */
import { assert, describe, it } from "@effect/vitest"
import { type Component, componentRules, cureFor, cureForScan, nameRules, scanRules } from "memory-bridge/operator/Cure"

const parts = ["directory", "policy", "note"] as const
const odd = "/srv/it's here/x"
const quoted = String.raw`'/srv/it'\''s here/x'`

const everyCure = [...componentRules, ...nameRules].flatMap((rule) =>
  parts.map((part) => ({ rule, part, ...cureFor(rule, { part, path: odd }) }))
)

/** Words that start a command in our cures. */
const commands = /\b(chmod|chown|setfacl|getfacl|mkdir|cp|mv|ls|realpath|findmnt|file)\s/

describe("the table of cures", () => {
  // The types ask for a row per rule; this is the list that they ask for, for people.
  it("has a row for each rule", () => {
    assert.deepStrictEqual([...componentRules].toSorted(), [
      "acl_everyone_writes",
      "acl_foreign",
      "acl_group_writes",
      "acl_malformed",
      "acl_unmapped_id",
      "acl_unreadable",
      "acl_unsupported",
      "acl_user_writes",
      "binary",
      "changed",
      "exhausted",
      "foreign_owner",
      "group_writable",
      "hard_link",
      "io",
      "link",
      "missing",
      "name_too_long",
      "not_absolute",
      "not_canonical",
      "not_directory",
      "not_file",
      "not_permitted",
      "not_utf8",
      "other_device",
      "special",
      "too_large",
      "world_writable"
    ])
    assert.deepStrictEqual([...nameRules].toSorted(), ["denied", "no_allow", "not_markdown", "odd_name", "too_deep"])
    assert.deepStrictEqual([...scanRules].toSorted(), ["exhausted", "raw_entries", "root_unlistable"])
  })

  it("says something for each", () => {
    for (const { cure, meaning } of everyCure) {
      assert.match(meaning, /^[a-z].{7,}[^.]$/)
      assert.isAbove(cure.length, 3)
    }
  })

  it.each([
    ["group_writable", `chmod go-w ${quoted}`],
    ["world_writable", `chmod go-w ${quoted}`],
    ["acl_user_writes", `setfacl -b ${quoted} && chmod go-w ${quoted}`],
    ["foreign_owner", `if it is yours to take: sudo chown "$(id -un)" ${quoted}`]
  ])("cures %s with a command about the component", (rule, cure) => {
    assert.strictEqual(cureFor(rule, { part: "directory", path: odd }).cure, cure)
  })

  it("tells a linked directory to become a real one", () => {
    assert.include(cureFor("link", { part: "directory", path: odd }).cure, "make it a real directory instead of a link")
  })
})

describe("a cure", () => {
  it("quotes the component wherever a command names it", () => {
    for (const { cure, rule } of everyCure) {
      if (commands.test(cure) && cure.includes("/srv")) {
        assert.include(cure, rule === "hard_link" ? "'/srv/it'" : quoted, rule)
        assert.notInclude(cure, " /srv", rule)
      }
    }
  })

  it("is never recursive, never removes a file and never gives write access away", () => {
    for (const { cure } of everyCure) assert.notMatch(cure, /\s-\w*R|\brm\b|\+[rX]*w|777/)
  })

  it.each(["/", "/tmp", "/home", "/var", "/var/tmp", "/dev/shm", "/usr/local/share", "/lib64"])(
    "leaves %s alone",
    (path) => {
      for (const rule of ["group_writable", "world_writable", "acl_group_writes", "foreign_owner", "not_permitted"]) {
        for (const part of parts) {
          const { cure } = cureFor(rule, { part, path })
          assert.notMatch(cure, commands)
          assert.include(cure, `leave ${path} as it is`)
        }
      }
      assert.notMatch(cureForScan("root_unlistable", path).cure, commands)
    }
  )

  it.each(["/notes", "/home/me", "/tmp/x", "/var/lib/notes", "/srv/notes", "/root", "/library"])(
    "speaks of %s",
    (path) => {
      assert.strictEqual(cureFor("group_writable", { part: "directory", path }).cure, `chmod go-w '${path}'`)
    }
  )

  it("for a missing component depends on what should be there", () => {
    const cures = parts.map((part) => cureFor("missing", { part, path: "/srv/x" } satisfies Component).cure)
    assert.strictEqual(new Set(cures).size, parts.length)
  })
})

describe("a rule without a row", () => {
  it.each(["", "constructor", "something_new"])("is said to be unknown: %j", (rule) => {
    assert.include(cureFor(rule, { part: "note", path: "/srv/x" }).meaning, "no words for")
  })
})
