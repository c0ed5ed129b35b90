/** Whether a root has a second name on this file system: in doubt it has. (lab/Difference.ts "Links") */
import { assert, describe, it } from "@effect/vitest"
import { type Mount, tableOf } from "@memory-bridge/core/guard/Mounts"
import type { View } from "@memory-bridge/core/guard/PathFacts"
import { hasOtherName } from "@memory-bridge/core/lab/Links"
import { grantsNewAccess, review } from "@memory-bridge/core/lab/Review"
import { openTools, policyOf, treeOf } from "../guard/Given.ts"

const world = treeOf({
  "/home/plain": "dir",
  "/home/link": "-> /real",
  "/home/behind/x": "dir",
  "/via": "-> /home/behind",
  "/elsewhere": "-> /home/plain",
  "/real": "dir",
  "/home/file": "file",
  "/home/twice": "= /home/one",
  "/home/closed": "! not_permitted"
})

const top: Mount = { id: 1, parent: 0, point: "/", device: "8:1", root: "/", special: false }
const mounted = (row: Partial<Mount>): View => ({
  ...world,
  mounts: () => tableOf([top, { ...top, id: 2, parent: 1, ...row }])
})

describe("a root has another name", () => {
  it.each([
    ["/home/plain", false],
    ["/home/file", false],
    ["/home/not/there", false],
    ["/home/link", true],
    ["/home/link/below", true],
    ["/via/x", true],
    ["/home/twice", true],
    ["/home/closed", true]
  ] as const)("%s: %s", (root, expected) => assert.strictEqual(hasOtherName(world)(root), expected))

  it.each<readonly [string, Partial<Mount>, boolean]>([
    ["the root itself is shown elsewhere", { point: "/mnt", root: "/home/plain" }, true],
    ["what lies in it is shown elsewhere", { point: "/mnt", root: "/home/plain/deep" }, true],
    ["what it lies in is shown elsewhere", { point: "/mnt", root: "/home" }, true],
    ["something is mounted in it", { point: "/home/plain/disk", device: "8:2" }, true],
    ["a sibling is shown elsewhere", { point: "/mnt", root: "/home/plain-2" }, false],
    ["the same path of another file system", { point: "/mnt", root: "/home/plain", device: "8:2" }, false]
  ])("%s", (_, mount, expected) => {
    assert.strictEqual(hasOtherName(mounted(mount))("/home/plain"), expected)
  })

  it("where the mount table cannot be read", () => {
    assert.isTrue(hasOtherName({ ...world, mounts: () => "io" })("/home/plain"))
  })
})

describe("new access on this file system", () => {
  const granted = (from: string, to: string) =>
    grantsNewAccess(
      review(String, {
        active: policyOf(openTools, { [from]: "block" }),
        proposed: policyOf(openTools, { [to]: "block" }),
        calls: [],
        self: [],
        view: world
      })
    )

  it.each([
    ["/home/plain", "/home", false],
    ["/home/link", "/home", true],
    ["/home/plain", "/home/plain", false],
    ["/home/link", "/home/link", false],
    ["/home", "/home/plain", true],
    ["/home/link", "/", false]
  ] as const)("%s protected before, %s now: %s", (from, to, expected) => {
    assert.strictEqual(granted(from, to), expected)
  })
})
