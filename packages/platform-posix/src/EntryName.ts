/**
 * Decides which strings may be handed to the kernel as *one* name, and writes them as NUL-terminated bytes.
 * (seed 000 "Filesystem safety": one component at a time, relative to an open parent)
 *
 * A separator, a NUL, a dot name or the empty name would make the kernel resolve something other than a child of the
 * parent; an unpaired surrogate has no UTF-8 and would be written as U+FFFD, which may be the name of another file.
 * No entry bears such a name, so each is `missing`. The core refuses them long before; this is the last fence.
 */
import type { Fault } from "@memory-bridge/core/tree/Tree"

/** No system takes a path of 4096 bytes or more, and a string never has fewer bytes than UTF-16 units. */
const longest = 4095

/** Room for the longest name at three bytes for a unit, and its NUL. */
export const nameCapacity = longest * 3 + 1

/** Writes `name` to the start of `into`; `undefined` when it was written. */
export const writeName = (into: Buffer, name: string): Fault | undefined => {
  const length = name.length
  if (length === 0 || name === "." || name === "..") return "missing"
  if (length > longest) return "name_too_long"
  for (let index = 0; index < length; index++) {
    const unit = name.charCodeAt(index)
    if (unit === 0 || unit === 0x2f) return "missing"
    if (unit >= 0x80) return writeUnicode(into, name)
    into[index] = unit
  }
  into[length] = 0
  return undefined
}

const unwritable = /[\0/]|\p{Surrogate}/u

const writeUnicode = (into: Buffer, name: string): Fault | undefined => {
  if (unwritable.test(name)) return "missing"
  into[into.write(name, 0, "utf8")] = 0
  return undefined
}
