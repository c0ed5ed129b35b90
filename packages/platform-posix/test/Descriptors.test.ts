import { descriptors } from "@memory-bridge/platform-posix/Descriptors"
import { assert, describe, it } from "@effect/vitest"

const registry = () => {
  const closed: Array<number> = []
  return { closed, ...descriptors((descriptor) => closed.push(descriptor)) }
}
const held = (descriptor: number) => ({ descriptor, seen: undefined })

describe("the descriptors of a walk", () => {
  it("are closed once each, by hand or at the end", () => {
    const { close, closed, end, hold } = registry()
    const first = hold(held(10))
    hold(held(11))
    hold(held(12))
    close(first)
    close(first)
    assert.deepStrictEqual(closed, [10])
    end()
    end()
    assert.deepStrictEqual(closed, [10, 11, 12])
  })

  it("have handles that are never given twice, though the system gives a number again", () => {
    const { close, closed, find, hold } = registry()
    const first = hold(held(10))
    close(first)
    const second = hold(held(10))
    assert.notStrictEqual(first, second)
    assert.isUndefined(find(first))
    close(first)
    assert.deepStrictEqual(closed, [10])
    assert.strictEqual(find(second)?.descriptor, 10)
  })

  it("are unknown to another walk", () => {
    const one = registry()
    const other = registry()
    const handle = one.hold(held(10))
    other.hold(held(11))
    assert.isUndefined(other.find(handle))
    other.close(handle)
    assert.deepStrictEqual(other.closed, [])
  })

  it("cannot be added after the end", () => {
    const { closed, end, find, hold } = registry()
    end()
    assert.isUndefined(find(hold(held(10))))
    assert.deepStrictEqual(closed, [10])
  })
})
