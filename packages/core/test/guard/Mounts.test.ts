/** Cases row 16 and **beyond**: one thing has one place, whatever it is mounted as. */
import { assert, describe, it } from "@effect/vitest"
import { coveringMount, type Mount, placeOf, pointsBelow, tableOf } from "@memory-bridge/core/guard/Mounts"

/** `[id, parent, point, device, root]`. */
const table = (...rows: ReadonlyArray<readonly [number, number, string, string, string]>) =>
  tableOf(rows.map(([id, parent, point, device, root]): Mount => ({ id, parent, point, device, root, special: false })))

const disk = [1, 0, "/", "8:1", "/"] as const

describe("a place is a device and a path within it", () => {
  it("on the top mount it is the path itself", () => {
    assert.strictEqual(placeOf(table(disk), "/srv/secret"), "8:1/srv/secret")
    assert.strictEqual(placeOf(table(disk), "/"), "8:1")
  })

  it("a bind mount has the place of what it shows, below it as well", () => {
    const mounts = table(disk, [2, 1, "/srv/free/b", "8:1", "/srv/secret"])
    assert.strictEqual(placeOf(mounts, "/srv/free/b"), "8:1/srv/secret")
    assert.strictEqual(placeOf(mounts, "/srv/free/b/key"), "8:1/srv/secret/key")
    assert.strictEqual(placeOf(mounts, "/srv/free/bb"), "8:1/srv/free/bb")
  })

  it("another disk, mounted twice, is one disk", () => {
    const mounts = table(disk, [2, 1, "/a", "8:2", "/"], [3, 1, "/b", "8:2", "/"])
    assert.strictEqual(placeOf(mounts, "/a/x"), placeOf(mounts, "/b/x"))
    assert.strictEqual(placeOf(mounts, "/a"), "8:2")
  })

  it("a root that is itself a part of its file system", () => {
    const mounts = table([1, 0, "/", "0:30", "/@home"], [2, 1, "/old", "0:30", "/@old"])
    assert.strictEqual(placeOf(mounts, "/u/a"), "0:30/@home/u/a")
    assert.strictEqual(placeOf(mounts, "/old/a"), "0:30/@old/a")
  })

  it("without a table there is no place", () => {
    assert.strictEqual(placeOf(tableOf([]), "/srv"), "")
  })
})

describe("what lies over another mount hides it", () => {
  it("the later of two on one point counts", () => {
    const mounts = table(disk, [2, 1, "/a", "8:2", "/"], [3, 2, "/a", "8:3", "/"])
    assert.strictEqual(coveringMount(mounts, "/a/x")?.id, 3)
  })

  it("a mount below a point that was covered since is out of reach", () => {
    const mounts = table(disk, [2, 1, "/a/b", "8:2", "/"], [3, 1, "/a", "8:3", "/"])
    assert.strictEqual(coveringMount(mounts, "/a/b/x")?.id, 3)
  })

  it("a mount over / counts for all", () => {
    const mounts = table(disk, [2, 1, "/", "8:2", "/"], [3, 2, "/a", "8:3", "/"])
    assert.strictEqual(coveringMount(mounts, "/x")?.id, 2)
    assert.strictEqual(coveringMount(mounts, "/a")?.id, 3)
    assert.strictEqual(coveringMount(mounts, "/")?.id, 2)
  })

  it("a table that is a circle ends", () => {
    const mounts = table([1, 1, "/", "8:1", "/"], [2, 3, "/a", "8:2", "/"], [3, 2, "/a", "8:3", "/"])
    assert.strictEqual(coveringMount(mounts, "/a")?.id, 1)
  })
})

it("the mounts below a directory are those that go along when it is taken", () => {
  const mounts = table(disk, [2, 1, "/a/b", "8:2", "/"], [3, 1, "/ab", "8:3", "/"], [4, 1, "/a", "8:4", "/"])
  assert.deepStrictEqual(pointsBelow(mounts, "/a"), ["/a/b"])
  assert.deepStrictEqual(pointsBelow(mounts, "/"), ["/a/b", "/ab", "/a"])
})
