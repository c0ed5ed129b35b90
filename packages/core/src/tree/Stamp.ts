/**
 * Facts as a row of 32-bit words, so that an adapter can compare what the system tells with what was kept, word by word and
 * without making `Facts` of it. (core `Walk.glance`, design.md section 8)
 *
 * Two stamps are the same exactly if all of the facts are: kind, owner, mode and links as well as what `unchanged` looks
 * at. A wide number is two words, the lower first. A time is its second, as a wide number, and the nanoseconds within it,
 * as the system tells it.
 */
import type { Facts } from "./Facts.ts"

/** Words of one stamp. */
export const stampWords = 20

/** Where each fact stands; `mounted` is 1 where the mount is known. */
export const stampAt = {
  kind: 0,
  mode: 1,
  owner: 2,
  group: 3,
  links: 4,
  size: 5,
  device: 7,
  mounted: 9,
  mount: 10,
  inode: 12,
  modified: 14,
  changed: 17
} as const

export const kindNumbers: Readonly<Record<Facts["kind"], number>> = { other: 0, file: 1, directory: 2 }

/** Facts with the stamp that they have. */
export interface Seen {
  readonly facts: Facts
  readonly stamp: Int32Array
}

const writeWide = (into: Int32Array, at: number, value: bigint): void => {
  into[at] = Number(BigInt.asIntN(32, value))
  into[at + 1] = Number(BigInt.asIntN(32, value >> 32n))
}

const nanoseconds = 1_000_000_000n

const writeTime = (into: Int32Array, at: number, time: bigint): void => {
  // As the system has it, the part of a second counts upwards before 1970 too.
  const part = ((time % nanoseconds) + nanoseconds) % nanoseconds
  writeWide(into, at, (time - part) / nanoseconds)
  into[at + 2] = Number(part)
}

/** Writes the stamp of facts from `at` on. */
export const writeStamp = (facts: Facts, into: Int32Array, at: number): void => {
  into[at + stampAt.kind] = kindNumbers[facts.kind]
  into[at + stampAt.mode] = facts.mode
  into[at + stampAt.owner] = facts.owner
  into[at + stampAt.group] = facts.group
  into[at + stampAt.links] = facts.links
  writeWide(into, at + stampAt.size, BigInt(facts.size))
  writeWide(into, at + stampAt.device, facts.device)
  into[at + stampAt.mounted] = facts.mount === undefined ? 0 : 1
  writeWide(into, at + stampAt.mount, facts.mount ?? 0n)
  writeWide(into, at + stampAt.inode, facts.inode)
  writeTime(into, at + stampAt.modified, facts.modified)
  writeTime(into, at + stampAt.changed, facts.changed)
}

export const seenAs = (facts: Facts): Seen => {
  const stamp = new Int32Array(stampWords)
  writeStamp(facts, stamp, 0)
  return { facts, stamp }
}

/** A stamp that no facts have. */
export const noStamp: Readonly<Int32Array> = new Int32Array(stampWords).fill(-1)

/** Bytes. */
export const sizeIn = (stamps: Int32Array, at: number): number =>
  (stamps[at + stampAt.size]! >>> 0) + stamps[at + stampAt.size + 1]! * 0x1_0000_0000

const row = new Int32Array(stampWords)

/** Whether facts are those that the stamp at `at` was made of. */
export const isStamped = (facts: Facts, stamps: Int32Array, at: number): boolean => {
  writeStamp(facts, row, 0)
  return row.every((word, index) => word === stamps[at + index])
}
