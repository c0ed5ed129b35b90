/**
 * The C library calls that Linux and macOS share, and the rule by which every call here and in the platform packages
 * answers: a result of zero or more, or a negated errno, as a kernel itself does. (design.md section 5, "FFI is koffi")
 *
 * An interrupted call is made again; nobody above sees EINTR. Names are NUL-terminated bytes in a buffer that the
 * caller keeps, because a koffi string costs an allocation for each call.
 */
import koffi from "koffi"
import { EINTR, EIO } from "./Errno.ts"

export interface PosixCalls {
  /** Never with O_CREAT: the mode argument does not exist here. */
  readonly openAt: (directory: number, name: Uint8Array, flags: number) => number
  /** Reads at an offset, so that a descriptor has no position to care about; fails on pipes. */
  readonly readAt: (descriptor: number, into: Uint8Array, count: number, offset: number) => number
  readonly rewind: (descriptor: number) => number
  readonly close: (descriptor: number) => number
  readonly effectiveUser: () => number
}

/** The C library that this process already runs on. */
export const libc = () => koffi.load(null)

export type Library = ReturnType<typeof libc>

/** What a call came to: its result, or the negated errno. A failure that left no errno is `-EIO`, never a success. */
export const outcome = (result: number | bigint): number => {
  const value = Number(result)
  if (value >= 0) return value
  const errno = koffi.errno()
  return errno > 0 ? -errno : -EIO
}

export const interrupted = (outcome: number): boolean => outcome === -EINTR

/** Looks at a failure that comes twice; more than that says nothing new. */
const mostLooks = 4

/**
 * What a call that failed with `first` comes to when it is made again. An errno belongs to the thread, and the engine may
 * make calls of its own before it can be looked at, so one counts once it was told twice in a row. For calls that change
 * nothing where they fail.
 */
export const lookedAtTwice = (first: number, call: () => number | bigint): number => {
  let last = first
  for (let looks = 1; looks < mostLooks || interrupted(last); looks++) {
    const now = outcome(call())
    if (now >= 0 || (now === last && !interrupted(now))) return now
    last = now
  }
  return last
}

export const posixCalls = (library: Library = libc()): PosixCalls => {
  // Variadic, as its header has it: on Apple silicon what stands after the dots travels by another way.
  const openat = library.func("int openat(int directory, const uint8_t *name, int flags, ...)")
  const pread = library.func("long pread(int descriptor, void *into, size_t count, int64_t offset)")
  const lseek = library.func("int64_t lseek(int descriptor, int64_t offset, int whence)")
  const close = library.func("int close(int descriptor)")
  const geteuid = library.func("uint32_t geteuid()")

  return {
    openAt: (directory, name, flags) => {
      const result = outcome(openat(directory, name, flags))
      return result >= 0 ? result : lookedAtTwice(result, () => openat(directory, name, flags))
    },
    readAt: (descriptor, into, count, offset) => {
      const result = outcome(pread(descriptor, into, count, offset))
      return result >= 0 ? result : lookedAtTwice(result, () => pread(descriptor, into, count, offset))
    },
    rewind: (descriptor) => {
      const result = outcome(lseek(descriptor, 0, 0))
      return result >= 0 ? result : lookedAtTwice(result, () => lseek(descriptor, 0, 0))
    },
    // Not made again: an interrupted close has closed on Linux, and the number may be in use by then.
    close: (descriptor) => outcome(close(descriptor)),
    effectiveUser: () => geteuid()
  }
}
