/**
 * How the functions of libSystem are declared, which no test on another system could find wrong by calling them: what is
 * variadic there, and which names Intel has beside Apple silicon. (xnu bsd/sys/fcntl.h, sys/cdefs.h)
 */
import { darwinCalls, systemLibrary } from "@memory-bridge/platform-darwin/Syscalls"
import { assert, describe, it } from "@effect/vitest"
import { afterEach, beforeEach, vi } from "vitest"

const declared = vi.hoisted(() => ({ loaded: [] as Array<string | null>, functions: new Map<string, string>() }))

vi.mock("koffi", () => {
  const func = (nameOrPrototype: string, result?: string, parameters?: ReadonlyArray<string>) => {
    const prototype =
      parameters === undefined ? nameOrPrototype : `${result} ${nameOrPrototype}(${parameters.join(", ")})`
    declared.functions.set(/([\w$]+)\(/.exec(prototype)![1]!, prototype)
    return () => 0
  }
  const load = (path: string | null) => {
    declared.loaded.push(path)
    return { func }
  }
  return { default: { load, errno: () => 0, array: () => ({}), decode: () => new Uint8Array(16) } }
})

const arch = Object.getOwnPropertyDescriptor(process, "arch")!
const on = (value: string): void => {
  Object.defineProperty(process, "arch", { ...arch, value })
}

beforeEach(() => {
  declared.loaded.length = 0
  declared.functions.clear()
})
afterEach(() => {
  Object.defineProperty(process, "arch", arch)
})

const renamed = ["fdopendir", "fstatat", "fstatfs", "readdir_r"]

describe("the functions of libSystem", () => {
  it("come from one library, the system's", () => {
    darwinCalls()
    assert.deepStrictEqual(declared.loaded, [systemLibrary])
  })

  it("are variadic where the header says so, and nowhere else", () => {
    darwinCalls()
    const variadic = [...declared.functions].filter(([, prototype]) => prototype.includes("...")).map(([name]) => name)
    assert.deepStrictEqual(variadic.toSorted(), ["fcntl", "openat"])
  })

  it("bear the suffix of 64-bit inode numbers on Intel", () => {
    on("x64")
    darwinCalls()
    for (const name of renamed) {
      assert.isTrue(declared.functions.has(`${name}$INODE64`), name)
      assert.isFalse(declared.functions.has(name), name)
    }
  })

  it("bear none on Apple silicon", () => {
    on("arm64")
    darwinCalls()
    for (const name of renamed) assert.isTrue(declared.functions.has(name), name)
    assert.deepStrictEqual(
      [...declared.functions.keys()].filter((name) => name.includes("$")),
      []
    )
  })
})
