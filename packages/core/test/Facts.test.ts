/** Seed 000 "Filesystem safety", design.md section 5: when a note is still the same, and still on the root's mount. */
import { assert, describe, it } from "@effect/vitest"
import { type Facts, sameMount, unchanged } from "@memory-bridge/core/tree/Facts"
import { file } from "./given/Facts.ts"

const one = file()

describe("a note is unchanged only if nothing says otherwise", () => {
  it("two looks at the same facts", () => {
    assert.isTrue(unchanged(one, file()))
  })

  it.each<readonly [keyof Facts, Partial<Facts>]>([
    ["size", { size: one.size + 1 }],
    ["modified", { modified: one.modified + 1n }],
    ["changed", { changed: one.changed + 1n }],
    ["inode", { inode: one.inode + 1n }],
    ["device", { device: one.device + 1n }]
  ])("another %s is a change, in either direction of time", (_, change) => {
    assert.isFalse(unchanged(one, file(change)))
    assert.isFalse(unchanged(file(change), one))
  })
})

describe("what lies below a root is on its device and on its mount", () => {
  it.each<readonly [string, Partial<Facts>, boolean]>([
    ["the same device and mount", {}, true],
    ["another device", { device: 2n }, false],
    ["another mount of the same device, as a bind mount makes it", { mount: 8n }, false],
    ["a mount that cannot be told, where the root's can", { mount: undefined }, false],
    ["the same mount number on another device", { device: 2n, mount: 7n }, false]
  ])("%s", (_, change, expected) => {
    assert.strictEqual(sameMount(one, file(change)), expected)
    assert.strictEqual(sameMount(file(change), one), expected)
  })

  it("where no mount can be told, the device decides", () => {
    assert.isTrue(sameMount(file({ mount: undefined }), file({ mount: undefined })))
    assert.isFalse(sameMount(file({ mount: undefined }), file({ mount: undefined, device: 2n })))
  })
})
