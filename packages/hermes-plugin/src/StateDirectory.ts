/**
 * The one directory that the sidecar of hy_memory may write in, opened before the fences rise. (recall-contract 1.4
 * "hy-memory-seen.json")
 *
 * Synchronous, because nothing asynchronous may come before Landlock. Made for its owner alone where it is missing; a
 * link, somebody else's or one that others may write to is no place for a state, and nothing is then writable at all.
 */
import { stateDirectoryName } from "@memory-bridge/core/recall/SeenFile"
import { closeSync, constants, fstatSync, mkdirSync, openSync } from "node:fs"
import { join } from "node:path"

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

const ownDirectory = 0o700
const groupOrOtherWrite = 0o022

const make = (path: string): void => {
  try {
    mkdirSync(path, { mode: ownDirectory })
  } catch {
    // It is there, or cannot be made; opening it says which.
  }
}

/** An open descriptor, or `undefined` where the home has no such place. */
export const openStateDirectory = (home: string): number | undefined => {
  const path = join(home, stateDirectoryName)
  make(path)
  try {
    const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    const { mode, uid } = fstatSync(descriptor)
    if (uid === process.geteuid?.() && (mode & groupOrOtherWrite) === 0) return descriptor
    closeSync(descriptor)
    return undefined
  } catch {
    return undefined
  }
}
