/**
 * Puts what was written to a descriptor on stable storage. (seed 004 "synced before proceeding")
 *
 * Called directly, because Node's permission model takes `fs.fsync` away together with the rest, and the guard is to
 * run behind it. On macOS `fsync` leaves the data in the drive's cache; there F_FULLFSYNC does what the name says.
 */
import { interrupted, libc, outcome } from "./Libc.ts"

export type FileSync = (descriptor: number) => "synced" | "failed"

/** macOS `sys/fcntl.h`. */
const fullSync = 51

/** What a call came to once it was not interrupted. */
const settled = (call: () => number): number => {
  let result: number
  do result = outcome(call())
  while (interrupted(result))
  return result
}

export const fileSync = (platform: NodeJS.Platform = process.platform): FileSync => {
  const library = libc()
  const fsync = library.func("int fsync(int descriptor)")
  const fcntl = library.func("int fcntl(int descriptor, int command, ...)")
  return (descriptor) => {
    // Not every file system takes the full form; Node falls back in the same way.
    const full = platform === "darwin" && settled(() => fcntl(descriptor, fullSync)) >= 0
    return full || settled(() => fsync(descriptor)) >= 0 ? "synced" : "failed"
  }
}

/** The same on a thread of its own, for a process that answers others meanwhile. */
export const laterFileSync = (
  platform: NodeJS.Platform = process.platform
): ((descriptor: number) => Promise<"synced" | "failed">) => {
  const library = libc()
  const fsync = library.func("int fsync(int descriptor)")
  // A variadic function cannot be called so; without arguments after the dots the plain form is the same call.
  const fcntl = library.func("int fcntl(int descriptor, int command)")
  const onThread = (call: typeof fsync, ...args: ReadonlyArray<number>) =>
    new Promise<boolean>((resolve) => {
      call.async(...args, (error: unknown, result: number) => resolve(error === null && result >= 0))
    })
  return async (descriptor) => {
    const full = platform === "darwin" && (await onThread(fcntl, descriptor, fullSync))
    return full || (await onThread(fsync, descriptor)) ? "synced" : "failed"
  }
}
