/** Facts of a trusted entry, with changes. */
import type { Facts } from "@memory-bridge/core/tree/Facts"

/** The running user of the tests, and somebody else. */
export const user = 1000
export const stranger = 1234

export const file = (changes: Partial<Facts> = {}): Facts => ({
  kind: "file",
  owner: user,
  group: user,
  mode: 0o600,
  links: 1,
  size: 10,
  device: 1n,
  mount: 7n,
  inode: 42n,
  modified: 1_000_000_000n,
  changed: 1_000_000_000n,
  ...changes
})

export const directory = (changes: Partial<Facts> = {}): Facts =>
  file({ kind: "directory", mode: 0o700, links: 2, ...changes })
