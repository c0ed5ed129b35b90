/** Small steps that every test of a walk takes. */
import type { DirectoryHandle, Fault, Walk } from "@memory-bridge/core/tree/Tree"
import { assert } from "@effect/vitest"

/** The value, or a failed test that names the fault. */
export const got = <A>(result: A | Fault | "too_many"): Exclude<A, string> => {
  if (typeof result === "string") return assert.fail(`unexpected ${result}`)
  return result as Exclude<A, string>
}

/** The directory that the names lead to from `/`. */
export const descend = (walk: Walk, names: ReadonlyArray<string>): DirectoryHandle =>
  names.reduce<DirectoryHandle>((parent, name) => got(walk.directory(parent, name, "across")), got(walk.root()))
