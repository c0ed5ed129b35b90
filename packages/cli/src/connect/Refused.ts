/** Why a home is not connected or disconnected: a closed set of reasons, each with a cure in `Cure.ts`. (issue 7 item 4) */
import type { ActivationRefused } from "@memory-bridge/core/lab/ActivationPlace"
import { type Code, isCode } from "@memory-bridge/platform-posix/guard/AuditCalls"
import type { LabCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import { failure, isRefused } from "@memory-bridge/platform-posix/lab/Places"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { EditRefused } from "../config/YamlSource.ts"

/**
 * - `link` to `open_to_others`: a place that is not trusted; `missing`: it is not there
 * - `changed`: somebody wrote the file meanwhile; `locked`: another program connects or disconnects this home
 * - `not_permitted`, `read_only`, `storage`, `too_large`: the system would not, or has no room
 * - `file_unsupported`: the configuration cannot be edited safely, `detail` says why
 * - `not_ours`: a plugin's folder that this program did not make; `changed_by_user`: one of ours, written by somebody else
 * - `plugin_disabled`: the configuration switches the plugin off, which for the host wins over everything
 * - `journal_invalid`: the journal is not one of ours, or not whole
 * - `source_missing`, `native_missing`: the plugin, or its part for this machine, is not beside this program
 */
export const connectReasons = [
  "link",
  "not_directory",
  "not_regular",
  "hard_link",
  "foreign_owner",
  "open_to_others",
  "missing",
  "changed",
  "locked",
  "not_permitted",
  "read_only",
  "storage",
  "too_large",
  "file_unsupported",
  "not_ours",
  "changed_by_user",
  "plugin_disabled",
  "journal_invalid",
  "source_missing",
  "native_missing"
] as const
export type ConnectReason = (typeof connectReasons)[number]

export class ConnectRefused extends Schema.TaggedError<ConnectRefused>()("ConnectRefused", {
  reason: Schema.Literals(connectReasons),
  path: Schema.String,
  /** A code of the layer below, a plugin's name, or "". */
  detail: Schema.String,
  /** Of the configuration file, from 1; 0 for none. */
  line: Schema.Number
}) {}

export type Outcome<A> = Result.Result<A, ConnectRefused>

export const refusal = (reason: ConnectReason, path: string, detail = "", line = 0): ConnectRefused =>
  new ConnectRefused({ reason, path, detail, line })

export const refuse = (reason: ConnectReason, path: string, detail = ""): Outcome<never> =>
  Result.fail(refusal(reason, path, detail))

export const unsupported = ({ line, reason }: EditRefused, path: string): ConnectRefused =>
  refusal("file_unsupported", path, reason, line)

const isShared = (reason: string): reason is ConnectReason => (connectReasons as ReadonlyArray<string>).includes(reason)

/** A refusal of the layer that opens places, about this path. */
export const about = ({ detail, reason }: ActivationRefused, path: string): ConnectRefused => {
  if (reason === "storage" && detail === "ENOENT") return refusal("missing", path)
  return refusal(isShared(reason) ? reason : "storage", path, detail)
}

/** What a call of the system came to, with its code as a refusal. */
export const settled = <A>(result: A | Code, path: string): Outcome<Exclude<A, string>> =>
  isCode(result) ? Result.fail(about(failure(result, "home"), path)) : Result.succeed(result as Exclude<A, string>)

export const judged = <A>(result: A | ActivationRefused, path: string): Outcome<Exclude<A, ActivationRefused>> =>
  isRefused(result) ? Result.fail(about(result, path)) : Result.succeed(result as Exclude<A, ActivationRefused>)

export const synced = (calls: LabCalls, descriptor: number, path: string): Outcome<void> =>
  calls.sync(descriptor) === "synced" ? Result.succeed(undefined) : refuse("storage", path, "EIO")
