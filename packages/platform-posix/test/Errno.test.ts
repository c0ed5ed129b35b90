import { faultOf } from "@memory-bridge/platform-posix/Errno"
import { assert, describe, it } from "@effect/vitest"
import { constants } from "node:os"

describe("what an errno means", () => {
  it.each([
    ["ENOENT", "missing"],
    ["ELOOP", "link"],
    ["ENOTDIR", "not_directory"],
    ["EACCES", "not_permitted"],
    ["EPERM", "not_permitted"],
    ["EXDEV", "other_device"],
    ["ENXIO", "special"],
    ["ENODEV", "special"],
    ["ENAMETOOLONG", "name_too_long"],
    ["EMFILE", "exhausted"],
    ["ENFILE", "exhausted"],
    ["ENOMEM", "exhausted"],
    ["EIO", "io"],
    ["EBADF", "io"],
    ["EAGAIN", "io"],
    ["ESTALE", "io"]
  ] as const)("%s is %s", (name, fault) => {
    assert.strictEqual(faultOf(constants.errno[name]), fault)
  })

  it("no number means an answer that is not in the table", () => {
    const known = new Set(
      [
        "ENOENT",
        "ELOOP",
        "ENOTDIR",
        "EACCES",
        "EPERM",
        "EXDEV",
        "ENXIO",
        "ENODEV",
        "ENAMETOOLONG",
        "EMFILE",
        "ENFILE",
        "ENOMEM"
      ].map((name) => constants.errno[name as "EPERM"])
    )
    for (let errno = -5; errno < 600; errno++) {
      assert.strictEqual(faultOf(errno) === "io", !known.has(errno), String(errno))
    }
  })
})
