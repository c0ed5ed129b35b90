/**
 * What an operator hands to the lab: policies as files, and calls that an agent once made. (issue 5 items 2 and 3)
 *
 * All of it is text that nobody vouches for. A policy file is JSON or YAML: the settings themselves, or a piece of the
 * host's configuration that holds them where the host looks for them. Recorded calls come from a file of their own form
 * or from what the host exports of its sessions. The host's session store itself is not opened: a reader of a database in
 * use has to take its locks, and the host can write the same out (`hermes sessions export`).
 */
import { decodeText, maxSettingsLength } from "@memory-bridge/core/guard/Settings"
import type { Policy } from "@memory-bridge/core/guard/Policy"
import * as Recorded from "@memory-bridge/core/lab/Recorded"
import type { ProposedCall } from "@memory-bridge/core/lab/Simulation"
import type { PolicyDefect } from "@memory-bridge/core/policy/Policy"
import * as StrictJson from "@memory-bridge/core/policy/StrictJson"
import { decodeUtf8 } from "@memory-bridge/platform-posix/Utf8"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { isDeepStrictEqual } from "node:util"
import { keyPath } from "../config/GuardKeys.ts"
import { parse } from "../config/YamlSource.ts"
import { show } from "./Quote.ts"

/** Something that was handed in and cannot be used. */
export class InputRefused extends Schema.TaggedError<InputRefused>()("InputRefused", {
  headline: Schema.String,
  details: Schema.Array(Schema.Tuple([Schema.String, Schema.String]))
}) {}

const refused = (headline: string, ...details: ReadonlyArray<readonly [label: string, text: string]>) =>
  new InputRefused({ headline, details })

export const inputText = ({ details, headline }: InputRefused): string =>
  [`memory-bridge: ${headline}`, ...details.map(([label, text]) => `  ${label.padEnd(9)}  ${text}`), ""].join("\n")

// ---- Policies.

/** Mappings are maps here; a key that is no text fits no policy. */
const plain = (read: unknown): unknown => {
  if (Array.isArray(read)) return read.map(plain)
  if (!(read instanceof Map)) return read
  return Object.fromEntries([...read].map(([key, member]) => [String(key), plain(member)]))
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined

/** The settings, out of what may be written round them. */
const unwrapped = (value: unknown): unknown => {
  const inHost = keyPath("policy").reduce(memberOf, value)
  if (inHost !== undefined) return inHost
  return memberOf(value, "default_action") === undefined ? (memberOf(value, "policy") ?? value) : value
}

const notYaml = (line: number): PolicyDefect => ({
  key: "",
  rule: `is neither JSON nor plain YAML${line === 0 ? "" : ` (line ${line})`}`
})

/** The settings as they were written, not yet checked. */
export const settingsIn = (bytes: Uint8Array): Result.Result<unknown, PolicyDefect> => {
  const json = StrictJson.parse(new TextDecoder().decode(bytes))
  if (Result.isSuccess(json)) return Result.succeed(unwrapped(json.success))
  if (json.failure.rule !== "not_json") return Result.fail({ key: json.failure.key, rule: json.failure.rule })
  const source = parse(bytes)
  if (Result.isFailure(source)) return Result.fail(notYaml(source.failure.line))
  const [old, now] = source.success.readings.map((reading) => unwrapped(plain(reading)))
  if (isDeepStrictEqual(old, now)) return Result.succeed(now)
  return Result.fail({ key: "", rule: "means something else to YAML 1.1 than to YAML 1.2: quote its words" })
}

/** A policy out of a file, and the settings that it was written as. */
export interface PolicyFile {
  readonly policy: Policy
  readonly settings: unknown
}

/** What the bytes of a policy file mean, or why they are no policy. */
export const policyIn = (bytes: Uint8Array, userHome: string): Result.Result<PolicyFile, PolicyDefect> =>
  Result.flatMap(settingsIn(bytes), (data) =>
    Result.flatMap(
      Result.try({
        try: () => JSON.stringify(data) ?? "null",
        catch: (): PolicyDefect => ({ key: "", rule: "is no data" })
      }),
      (text) => Result.map(decodeText(text, userHome), (policy): PolicyFile => ({ policy, settings: JSON.parse(text) }))
    )
  )

/** More than any policy takes, in any script. */
const maxPolicyBytes = 4 * maxSettingsLength

const bytesOf = Effect.fnUntraced(function* (path: string, what: string, maxBytes: number) {
  const files = yield* FileSystem.FileSystem
  const unreadable = () => refused(`The ${what} cannot be read.`, ["component", show(path)])
  const { size } = yield* Effect.mapError(files.stat(path), unreadable)
  if (size > BigInt(maxBytes)) {
    return yield* refused(`The ${what} is too large.`, ["component", show(path)], ["rule", `at most ${maxBytes} bytes`])
  }
  return yield* Effect.mapError(files.readFile(path), unreadable)
})

export const policyFile = Effect.fnUntraced(function* (path: string, userHome: string) {
  const bytes = yield* bytesOf(path, "policy", maxPolicyBytes)
  const decoded = policyIn(bytes, userHome)
  if (Result.isSuccess(decoded)) return decoded.success
  const { key, rule } = decoded.failure
  return yield* refused(
    "The policy is not valid.",
    ["component", show(path)],
    ...(key === "" ? [] : [["key", show(key)] as const]),
    ["rule", show(rule)]
  )
})

// ---- Recorded calls.

export interface Recordings {
  readonly calls: ReadonlyArray<ProposedCall>
  readonly skipped: number
}

const noRecordings: Recordings = { calls: [], skipped: 0 }

/** Four bytes for each of the characters that are taken at most would be more than fits into one text. */
const maxRecordingBytes = Recorded.maxRecordingLength

const isDatabase = (bytes: Uint8Array): boolean =>
  new TextDecoder("latin1").decode(bytes.subarray(0, 15)) === "SQLite format 3"

const recordingIn = (bytes: Uint8Array, name: string): Effect.Effect<Recordings, InputRefused> => {
  if (isDatabase(bytes)) {
    return Effect.fail(
      refused(
        "The session store is not opened.",
        ["component", name],
        ["rule", "it is the host's own database"],
        ["cure", "hermes sessions export ./sessions.jsonl, then --sessions ./sessions.jsonl"]
      )
    )
  }
  const text = decodeUtf8(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length)
  if (text === undefined) {
    return Effect.fail(refused("The recording is not valid.", ["component", name], ["rule", "is not UTF-8 text"]))
  }
  return Result.match(Recorded.decode(text), {
    onFailure: (defect) =>
      Effect.fail(refused("The recording is not valid.", ["component", name], ["rule", Recorded.spokenDefect(defect)])),
    onSuccess: Effect.succeed
  })
}

/** All of standard input, and no more than a recording may have. */
const standardInput = Effect.fnUntraced(function* () {
  const { stdin } = yield* Stdio.Stdio
  const chunks: Array<Uint8Array> = []
  let length = 0
  yield* Stream.runForEach(stdin, (chunk) => {
    chunks.push(chunk)
    length += chunk.length
    return length > maxRecordingBytes
      ? Effect.fail(refused("The recording is too large.", ["rule", `at most ${maxRecordingBytes} bytes`]))
      : Effect.void
  }).pipe(
    Effect.mapError((error) => (error instanceof InputRefused ? error : refused("Standard input cannot be read.")))
  )
  return Buffer.concat(chunks)
})

const recordingOf = Effect.fnUntraced(function* (path: string | undefined, from: "calls" | "sessions") {
  if (path === undefined) return noRecordings
  const isStandard = path === "-"
  const bytes = yield* isStandard ? standardInput() : bytesOf(path, "recording", maxRecordingBytes)
  const { calls, skipped } = yield* recordingIn(bytes, isStandard ? "standard input" : show(path))
  return {
    calls: calls.map(({ args, label, source, tool }) => ({ source, label: `${from}, ${label}`, tool, args })),
    skipped
  }
})

export interface RecordingFiles {
  /** Files, or `-` for standard input. */
  readonly calls: string | undefined
  readonly sessions: string | undefined
}

export const recordings = Effect.fnUntraced(function* ({ calls, sessions }: RecordingFiles) {
  if (calls === "-" && sessions === "-") return yield* refused("Standard input can be read only once.")
  const [one, other] = [yield* recordingOf(calls, "calls"), yield* recordingOf(sessions, "sessions")]
  return { calls: [...one.calls, ...other.calls], skipped: one.skipped + other.skipped }
})
