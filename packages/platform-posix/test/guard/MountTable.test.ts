/** Core `Mounts` from the text of Linux: every row, every escape, and no guess about a row of another form. */
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { placeOf } from "@memory-bridge/core/guard/Mounts"
import { mountReader, parseMounts } from "@memory-bridge/platform-posix/guard/MountTable"

const rows = (text: string) => {
  const table = parseMounts(text)
  return typeof table === "string" ? table : table.rows
}

describe("a row of the table", () => {
  it("is read with and without optional fields", () => {
    assert.deepStrictEqual(
      rows(
        "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n" +
          "36 27 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue\n"
      ),
      [
        { id: 27, parent: 1, point: "/", device: "254:0", root: "/", special: false },
        { id: 36, parent: 27, point: "/mnt2", device: "98:0", root: "/mnt1", special: false }
      ]
    )
  })

  it("may hold escaped spaces, tabs, line feeds, backslashes and hashes", () => {
    const [row] = rows("1 0 8:1 /a\\134b /x\\040y\\011z\\012\\043 rw - ext4 d rw") as ReadonlyArray<{
      point: string
      root: string
    }>
    assert.strictEqual(row?.point, "/x y\tz\n#")
    assert.strictEqual(row?.root, "/a\\b")
  })

  it.each(["proc", "sysfs", "devtmpfs", "devpts"])("of type %s is special", (type) => {
    const table = rows(`1 0 0:21 / /jail/x rw - ${type} none rw`)
    assert.deepStrictEqual(table, [{ id: 1, parent: 0, point: "/jail/x", device: "0:21", root: "/", special: true }])
  })

  it("of another form refuses the table", () => {
    assert.strictEqual(rows("1 0 8:1 / / rw - ext4 d rw\ngarbage\n"), "io")
    assert.strictEqual(rows("1 0 8:1 / / rw"), "io")
  })
})

describe("the reader", () => {
  it("elsewhere than on Linux answers with an empty table", () => {
    const table = mountReader("darwin")()
    assert.isTrue(typeof table === "object" && table.rows.length === 0 && table.top === undefined)
  })

  it.skipIf(process.platform !== "linux")(
    "on Linux reads this system's table, once for each change (Linux only)",
    () => {
      const read = mountReader()
      const table = read()
      if (typeof table === "string") assert.fail(table)
      assert.strictEqual(read(), table)
      assert.strictEqual(table.rows.length, fs.readFileSync("/proc/self/mountinfo", "utf8").trim().split("\n").length)
      assert.isDefined(table.top)
      assert.match(placeOf(table, "/"), /^\d+:\d+/)
      assert.notStrictEqual(placeOf(table, "/proc/version"), placeOf(table, "/version"))
    }
  )

  const canMount = process.platform === "linux" && process.geteuid?.() === 0 && mounts()
  it.skipIf(!canMount)(
    `sees a mount and its end at the next look${canMount ? "" : " (skipped: needs to mount)"}`,
    () => {
      const point = fs.mkdtempSync(path.join(os.tmpdir(), "mount-table-"))
      const read = mountReader()
      const has = () => {
        const table = read()
        return typeof table === "object" && table.rows.some((row) => row.point === point)
      }
      try {
        for (let turn = 0; turn < 3; turn++) {
          assert.isFalse(has())
          execFileSync("mount", ["-t", "tmpfs", "none", point])
          assert.isTrue(has())
          assert.isTrue(has())
          execFileSync("umount", [point])
        }
        assert.isFalse(has())
      } finally {
        fs.rmdirSync(point)
      }
    }
  )
})

function mounts(): boolean {
  const point = fs.mkdtempSync(path.join(os.tmpdir(), "mount-probe-"))
  const able = spawnSync("mount", ["-t", "tmpfs", "none", point]).status === 0
  if (able) spawnSync("umount", [point])
  fs.rmdirSync(point)
  return able
}
