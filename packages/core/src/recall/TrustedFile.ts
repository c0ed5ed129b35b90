/**
 * Small files that decide whom we talk to, and who may have written them. (recall-contract 1.4, cases/recall.md 41)
 *
 * A file is opened once, without following a link and without waiting for a pipe; what its own descriptor says is
 * judged here, and the same descriptor is then read. `missing` is its own answer and nothing else is taken for it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Facts } from "../tree/Facts.ts"

/**
 * - `public`: others may read it, nobody else may write it (connection and discovery file)
 * - `private`: nobody else may do anything with it (credential)
 * - `shared`: as `public`, and may be a link: what the system's own certificates often are
 */
export type FileRule = "public" | "private" | "shared"

/**
 * - `missing` there is no such file; `link`, `not_file` what is there is something else; `hard_link` it has two names
 * - `foreign_owner`, `writable_by_others`, `readable_by_others` somebody else may change or read it
 * - `too_large`, `not_utf8`; `changed` while it was read; `not_permitted`, `unreadable` the system would not
 */
export const fileFaults = [
  "missing",
  "link",
  "not_file",
  "hard_link",
  "foreign_owner",
  "writable_by_others",
  "readable_by_others",
  "too_large",
  "not_utf8",
  "changed",
  "not_permitted",
  "unreadable"
] as const
export type FileFault = (typeof fileFaults)[number]

const root = 0
const writable = 0o022
const anything = 0o077

/** What the facts of an open file refuse. `user` is the effective user id. */
export const fileFault = (
  { kind, links, mode, owner, size }: Pick<Facts, "kind" | "links" | "mode" | "owner" | "size">,
  rule: FileRule,
  user: number,
  maxBytes: number
): FileFault | undefined => {
  if (kind !== "file") return "not_file"
  if (owner !== user && (rule === "private" || owner !== root)) return "foreign_owner"
  if ((mode & writable) !== 0) return "writable_by_others"
  if (rule === "private" && (mode & anything) !== 0) return "readable_by_others"
  if (rule !== "shared" && links !== 1) return "hard_link"
  return size > maxBytes ? "too_large" : undefined
}

export interface Read {
  readonly kind: "text"
  readonly text: string
}

export type FileReading = Read | { readonly kind: "refused"; readonly fault: FileFault }

export class TrustedFiles extends Context.Service<
  TrustedFiles,
  {
    /** Reads the file at an absolute path, judged by `fileFault`. */
    readonly read: (path: string, rule: FileRule, maxBytes: number) => Effect.Effect<FileReading>
  }
>()("@memory-bridge/core/recall/TrustedFiles") {}
