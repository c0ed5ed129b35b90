/**
 * An exclusive lock on an open file that is had at once or not at all. (seed 004 "Lock acquisition is nonblocking")
 *
 * `flock`, because Node has no file locks. The kernel gives it back with the last descriptor, so a process that dies
 * in the middle leaves none behind.
 */
import { constants } from "node:os"
import { libc, outcome } from "./Libc.ts"

const lockExclusive = 2
const lockNonBlocking = 4
const unlock = 8

/** Shared by Linux and macOS under both names. */
const { EWOULDBLOCK } = constants.errno

export interface FileLock {
  readonly take: (descriptor: number) => "locked" | "taken" | "failed"
  readonly giveBack: (descriptor: number) => "unlocked" | "failed"
}

export const fileLock = (): FileLock => {
  const flock = libc().func("int flock(int descriptor, int operation)")
  return {
    take: (descriptor) => {
      const result = outcome(flock(descriptor, lockExclusive | lockNonBlocking))
      return result >= 0 ? "locked" : result === -EWOULDBLOCK ? "taken" : "failed"
    },
    giveBack: (descriptor) => (outcome(flock(descriptor, unlock)) >= 0 ? "unlocked" : "failed")
  }
}
