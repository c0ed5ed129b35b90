/** Seed 004 "Supported argument inspection" and cases section 8: which strings are paths that can be reasoned about. */
import { assert, describe, it } from "@effect/vitest"
import { covers, isSpecial, lastName, lexical, pathDefect, rootDefect } from "@memory-bridge/core/guard/LiteralPath"

describe("a path of a call is absolute and literal", () => {
  it.each([
    ["/", undefined],
    ["/srv/free/a", undefined],
    ["/srv/free/dir/", undefined],
    ["/srv/free/../a", undefined],
    ["/srv/Büro/notes (old) [1].md", undefined],
    ["/srv/Mobile Documents/com~apple~CloudDocs/a", undefined],
    ["/srv/...", undefined],
    ["/srv/.hidden", undefined],
    ["", "relative"],
    ["srv/a", "relative"],
    ["./a", "relative"],
    ["../secret/key", "relative"],
    ["~/x", "relative"],
    ["C:\\x", "relative"],
    ["/~/x", "tilde"],
    ["/srv/~root/x", "tilde"],
    ["//srv/a", "empty_segment"],
    ["/srv//a", "empty_segment"],
    ["/srv/a//", "empty_segment"],
    ["/srv/./a", "dot_segment"],
    ["/srv/.", "dot_segment"],
    ["/srv/a\u0000", "control_character"],
    ["/srv/a\nb", "control_character"],
    ["/srv/a\u007f", "control_character"],
    ["/srv/a\u0085", "control_character"],
    ["/srv/a\u2028b", "control_character"],
    ["/srv/\ud800", "control_character"],
    [`/${"a".repeat(4095)}`, "too_long"],
    ["/proc/self/root/srv", "special_file_system"],
    ["/dev/fd/3", "special_file_system"],
    ["/sys", "special_file_system"],
    ["/PROC/1", "special_file_system"],
    ["/.vol/1/2", "special_file_system"],
    ["/process", undefined],
    ["/srv/proc", undefined]
  ])("%j is %j", (path, defect) => {
    assert.strictEqual(pathDefect(path), defect)
  })
})

describe("a root has one spelling and no dead meaning", () => {
  it.each([
    ["/srv/secret", undefined],
    ["/", undefined],
    ["/srv/with space", undefined],
    ["/srv/[id]", undefined],
    ["/srv/secret/", "trailing_slash"],
    ["/srv/../secret", "parent_segment"],
    ["/srv/..", "parent_segment"],
    ["/home/*/.ssh", "pattern_character"],
    ["/home/$USER/.ssh", "pattern_character"],
    ["/srv/secre?", "pattern_character"],
    ["srv/secret", "relative"],
    ["/srv//secret", "empty_segment"],
    ["/srv/./secret", "dot_segment"],
    ["/proc/1", "special_file_system"]
  ])("%j is %j", (path, defect) => {
    assert.strictEqual(rootDefect(path), defect)
  })
})

it("a root covers itself and what is below it, never a sibling that starts alike", () => {
  assert.isTrue(covers("/srv/secret", "/srv/secret"))
  assert.isTrue(covers("/srv/secret", "/srv/secret/key"))
  assert.isFalse(covers("/srv/secret", "/srv/secret-public/x"))
  assert.isFalse(covers("/srv/secret", "/srv"))
  assert.isTrue(covers("/", "/srv"))
  assert.isTrue(covers("/", "/"))
})

it("the textual reading takes .. off with the name before it, and stops at the top", () => {
  assert.strictEqual(lexical("/a/b/../c"), "/a/c")
  assert.strictEqual(lexical("/../../a/"), "/a")
  assert.strictEqual(lexical("/a/.."), "/")
  assert.strictEqual(lexical("/"), "/")
})

it("the last name is what cp and mv give to the copy", () => {
  assert.strictEqual(lastName("/a/b"), "b")
  assert.strictEqual(lastName("/a/b/"), "b")
  assert.strictEqual(lastName("/a/.."), "..")
  assert.strictEqual(lastName("/"), "")
})

it("special is told by the first name alone", () => {
  assert.isTrue(isSpecial("/proc"))
  assert.isFalse(isSpecial("/"))
  assert.isFalse(isSpecial("/srv/proc"))
})
