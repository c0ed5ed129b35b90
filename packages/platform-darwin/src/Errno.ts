/**
 * The errno numbers of macOS, from `sys/errno.h` (xnu, bsd/sys/errno.h), and what they mean for a walk. (core `Fault`)
 *
 * A table of its own, because this adapter reads what macOS's C library left, also where that library is simulated on a
 * system that numbers otherwise. From EDEADLK (11) and EAGAIN (35) on the two systems have little in common.
 */
import { type FaultOf, faultTable } from "@memory-bridge/platform-posix/Errno"

export const numbers = {
  EPERM: 1,
  ENOENT: 2,
  EINTR: 4,
  EIO: 5,
  ENXIO: 6,
  EDEADLK: 11,
  ENOMEM: 12,
  EACCES: 13,
  EXDEV: 18,
  ENODEV: 19,
  ENOTDIR: 20,
  EINVAL: 22,
  ENFILE: 23,
  EMFILE: 24,
  ENOTSUP: 45,
  ELOOP: 62,
  ENAMETOOLONG: 63,
  /** Discrete from ENOTSUP for everything that is built today (`__DARWIN_UNIX03`). */
  EOPNOTSUPP: 102
} as const

export const { EINVAL, ENOENT, ENOTDIR, ENOTSUP, EOPNOTSUPP } = numbers

const shared = faultTable(numbers)

/**
 * The kernel answers EOPNOTSUPP to the opening of a socket (`vn_authorize_open_existing`). EDEADLK, from content that
 * is in the cloud and not here, stays `io`.
 */
export const faultOf: FaultOf = (errno) => (errno === EOPNOTSUPP ? "special" : shared(errno))
