/** Which attributes are asked for, and what each answer of the kernel comes to. */
import { aclReader, foreignAttributes } from "@memory-bridge/platform-linux/AclAttributes"
import { uniformMounts } from "@memory-bridge/platform-linux/FileSystem"
import type { LinuxCalls } from "@memory-bridge/platform-linux/Syscalls"
import { EACCES, EIO, ENODATA, EOPNOTSUPP, ERANGE } from "@memory-bridge/platform-posix/Errno"
import { assert, describe, it } from "@effect/vitest"

const EXT4 = 0xef53
const OVERLAY = 0x794c7630
const FUSE = 0x65735546

const POSIX = "system.posix_acl_access"
const minimal = Buffer.from(["02000000", "01000600ffffffff", "04000400ffffffff", "20000400ffffffff"].join(""), "hex")

/** A kernel where an attribute has these bytes or that errno; EOPNOTSUPP unless told, ENODATA for the POSIX one. */
const kernel = (attributes: { readonly [name: string]: Uint8Array | number }, type = EXT4) => {
  const asked: Array<string> = []
  const sizes: Array<number> = []
  const calls: Pick<LinuxCalls, "attribute" | "fileSystem"> = {
    attribute: (_descriptor, name, into) => {
      const text = Buffer.from(name.subarray(0, -1)).toString()
      asked.push(text)
      sizes.push(into.length)
      const answer = attributes[text] ?? (text === POSIX ? -ENODATA : -EOPNOTSUPP)
      if (typeof answer === "number") return answer
      if (answer.length > into.length) return -ERANGE
      into.set(answer)
      return answer.length
    },
    fileSystem: (_descriptor, into) => {
      new DataView(into.buffer).setBigInt64(0, BigInt(type), new Uint8Array(Uint16Array.of(1).buffer)[0] === 1)
      return 0
    }
  }
  const read = aclReader(calls, uniformMounts(calls))
  return { asked, sizes, read }
}

const foreignNames = foreignAttributes.map((name) => Buffer.from(name.subarray(0, -1)).toString())

describe("the access control list of a descriptor", () => {
  it.each<[string, number, unknown]>([
    ["ENODATA is none", -ENODATA, { kind: "none" }],
    ["EOPNOTSUPP is unsupported", -EOPNOTSUPP, { kind: "refused", reason: "acl_unsupported" }],
    ["EACCES is unreadable", -EACCES, { kind: "refused", reason: "acl_unreadable" }],
    ["EIO is unreadable", -EIO, { kind: "refused", reason: "acl_unreadable" }],
    ["an empty attribute is malformed", 0, { kind: "refused", reason: "acl_malformed" }]
  ])("%s", (_title, answer, reading) => {
    assert.deepStrictEqual(kernel({ [POSIX]: answer }).read(3, 1n), reading)
  })

  it("is decoded from the bytes that came and no others", () => {
    const { read } = kernel({ [POSIX]: minimal })
    const reading = read(3, 1n)
    assert.strictEqual(reading.kind === "entries" && reading.entries.length, 3)
  })

  it("is read again with the largest buffer when it does not fit, and is unreadable when that does not do", () => {
    const long = Buffer.concat([
      minimal,
      Buffer.from("1000070000000000", "hex"),
      ...Array.from({ length: 600 }, () => Buffer.from("0200060001000000", "hex"))
    ])
    const { asked, read, sizes } = kernel({ [POSIX]: long })
    const reading = read(3, 1n)
    assert.strictEqual(reading.kind === "entries" && reading.entries.length, 603)
    assert.strictEqual(asked.filter((name) => name === POSIX).length, 2)
    assert.strictEqual(sizes.at(-1), 65_536)
    assert.deepStrictEqual(kernel({ [POSIX]: Buffer.alloc(70_000) }).read(3, 1n), {
      kind: "refused",
      reason: "acl_unreadable"
    })
  })

  it.each(foreignNames)("%s present is foreign, whatever its size, and even when it is empty", (name) => {
    for (const value of [Buffer.alloc(0), Buffer.alloc(20), Buffer.alloc(60_000)]) {
      assert.deepStrictEqual(kernel({ [name]: value, [POSIX]: minimal }).read(3, 1n), {
        kind: "refused",
        reason: "acl_foreign"
      })
    }
  })

  it.each(foreignNames)("%s that cannot be read is unreadable", (name) => {
    for (const errno of [EACCES, EIO]) {
      assert.deepStrictEqual(kernel({ [name]: -errno }).read(3, 1n), { kind: "refused", reason: "acl_unreadable" })
    }
  })

  it("is foreign rather than unsupported where the file system has only the other kind", () => {
    assert.deepStrictEqual(kernel({ "system.nfs4_acl": Buffer.alloc(80), [POSIX]: -EOPNOTSUPP }).read(3, 1n), {
      kind: "refused",
      reason: "acl_foreign"
    })
  })

  it("takes one call for each further entry of a mount that declined the foreign kinds", () => {
    const { asked, read } = kernel({})
    for (let entry = 0; entry < 10; entry++) assert.deepStrictEqual(read(entry, 1n), { kind: "none" })
    assert.deepStrictEqual(asked, [...foreignNames, ...Array.from({ length: 10 }, () => POSIX)])
  })

  it("goes on asking for a kind that the mount knows but this entry had not", () => {
    const attributes: { [name: string]: Uint8Array | number } = { "system.richacl": -ENODATA }
    const { asked, read } = kernel(attributes)
    assert.deepStrictEqual(read(3, 1n), { kind: "none" })
    assert.deepStrictEqual(read(4, 1n), { kind: "none" })
    assert.deepStrictEqual(asked.slice(6), ["system.richacl", POSIX])
    attributes["system.richacl"] = Buffer.alloc(4)
    assert.deepStrictEqual(read(5, 1n), { kind: "refused", reason: "acl_foreign" })
  })

  it("asks anew on another mount, and always where mounts cannot be told apart", () => {
    const attributes: { [name: string]: Uint8Array | number } = {}
    const { read } = kernel(attributes)
    assert.deepStrictEqual(read(3, 1n), { kind: "none" })
    assert.deepStrictEqual(read(3, undefined), { kind: "none" })
    attributes["system.nfs4_acl"] = Buffer.alloc(80)
    assert.deepStrictEqual(read(4, 2n), { kind: "refused", reason: "acl_foreign" })
    assert.deepStrictEqual(read(5, undefined), { kind: "refused", reason: "acl_foreign" })
  })

  it.each([
    ["overlayfs", OVERLAY],
    ["FUSE", FUSE],
    ["an unknown file system", 1]
  ] as const)("always asks on %s, which may answer differently for each file", (_title, type) => {
    const attributes: { [name: string]: Uint8Array | number } = {}
    const { read } = kernel(attributes, type)
    assert.deepStrictEqual(read(3, 1n), { kind: "none" })
    attributes["system.nfs4_acl"] = Buffer.alloc(80)
    assert.deepStrictEqual(read(4, 1n), { kind: "refused", reason: "acl_foreign" })
  })
})
