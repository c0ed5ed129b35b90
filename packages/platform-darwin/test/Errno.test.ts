/** What macOS's numbers mean, and that they are macOS's. (xnu bsd/sys/errno.h) */
import { faultOf, numbers } from "@memory-bridge/platform-darwin/Errno"
import { assert, describe, it } from "@effect/vitest"
import { constants } from "node:os"

const rows: ReadonlyArray<readonly [number, string]> = [
  [2, "missing"],
  [62, "link"],
  [20, "not_directory"],
  [13, "not_permitted"],
  [1, "not_permitted"],
  [18, "other_device"],
  [6, "special"],
  [19, "special"],
  [102, "special"],
  [63, "name_too_long"],
  [24, "exhausted"],
  [23, "exhausted"],
  [12, "exhausted"]
]

describe("what an errno of macOS means", () => {
  it.each(rows)("%i is %s", (errno, fault) => {
    assert.strictEqual(faultOf(errno), fault)
  })

  it("nothing else means anything: not EDEADLK, not ENOTSUP, and not what Linux says for a link or a long name", () => {
    const known = new Set(rows.map(([errno]) => errno))
    for (const errno of [11, 35, 36, 40, 45]) assert.isFalse(known.has(errno))
    for (let errno = -5; errno < 600; errno++) {
      assert.strictEqual(faultOf(errno) === "io", !known.has(errno), String(errno))
    }
  })

  it.skipIf(process.platform !== "darwin")("the numbers are those of this system (skipped but on macOS)", () => {
    for (const [name, number] of Object.entries(numbers)) {
      assert.strictEqual(constants.errno[name as "EPERM"], number, name)
    }
  })
})
