/**
 * Says what an errno means for a walk. (core `Fault`; design.md section 4 "fail closed")
 *
 * The union is closed: a number without a row is `io`, so that no new errno can turn into an answer about the entry.
 * The numbers come from the running system, because Linux and macOS number several of them differently; an adapter that
 * speaks to another C library than the running one brings its own.
 */
import type { Fault } from "@memory-bridge/core/tree/Tree"
import { constants } from "node:os"

export const {
  E2BIG,
  EACCES,
  EINTR,
  EINVAL,
  EIO,
  ELOOP,
  EMFILE,
  ENAMETOOLONG,
  ENFILE,
  ENODATA,
  ENODEV,
  ENOENT,
  ENOMEM,
  ENOSYS,
  ENOTDIR,
  ENXIO,
  EOPNOTSUPP,
  EPERM,
  ERANGE,
  EXDEV
} = constants.errno

const faults = {
  ENOENT: "missing",
  ELOOP: "link",
  ENOTDIR: "not_directory",
  EACCES: "not_permitted",
  EPERM: "not_permitted",
  EXDEV: "other_device",
  ENXIO: "special",
  ENODEV: "special",
  ENAMETOOLONG: "name_too_long",
  EMFILE: "exhausted",
  ENFILE: "exhausted",
  ENOMEM: "exhausted"
} as const satisfies { readonly [name: string]: Fault }

type Name = keyof typeof faults

export type FaultOf = (errno: number) => Fault

/** For a system that numbers them so. */
export const faultTable = (numbers: { readonly [name in Name]: number }): FaultOf => {
  const rows = new Map<number, Fault>((Object.keys(faults) as Array<Name>).map((name) => [numbers[name], faults[name]]))
  return (errno) => rows.get(errno) ?? "io"
}

export const faultOf: FaultOf = faultTable(constants.errno)
