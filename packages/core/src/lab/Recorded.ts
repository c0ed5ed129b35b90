/**
 * Calls that an agent once made, read from text that nobody vouches for. (issue "recorded calls from a file or from the
 * host's session store (read only, redacted)")
 *
 * Two forms, one JSON object in each line: a call, `{"tool": …, "args": {…}}` and nothing else; or a session as the host
 * exports it (`hermes sessions export`), whose messages hold `tool_calls` with a function's name and its arguments as
 * JSON text. Of a session only the calls are looked at. What is refused is named by line and rule; no text of the
 * recording is ever part of a message.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as StrictJson from "../policy/StrictJson.ts"
import type { ProposedCall } from "./Simulation.ts"

/** UTF-16 units of a whole recording. */
export const maxRecordingLength = 256 * 1024 * 1024
/** UTF-16 units of a recorded call; a session is as long as it is. */
export const maxCallLength = 1024 * 1024
export const maxRecordedCalls = 1_000_000

/**
 * - `too_long`, `line_too_long`, `too_many`: more than a recording may have
 * - `not_json`, `duplicate_key`, `too_deep`: no JSON with one meaning
 * - `not_call`: neither a call nor a session of the exact form
 */
export type RecordingRule =
  | "too_long"
  | "line_too_long"
  | "too_many"
  | "not_json"
  | "duplicate_key"
  | "too_deep"
  | "not_call"

export interface RecordingDefect {
  /** From 1; 0 for the recording as a whole. */
  readonly line: number
  readonly rule: RecordingRule
}

export interface Recording {
  readonly calls: ReadonlyArray<ProposedCall>
  /** Calls of a session whose arguments are no JSON object: the host never ran them. */
  readonly skipped: number
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const Arguments = Schema.Unknown.pipe(
  Schema.check(Schema.makeFilter((value: unknown) => (isObject(value) ? undefined : "is no object")))
)
const Call = Schema.Struct({ tool: Schema.String, args: Arguments })
const decodeCall = Schema.decodeUnknownResult(Call, { onExcessProperty: "error" })

/** Only what a replay needs; a host may write more. */
const Session = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({
      tool_calls: Schema.optionalKey(
        Schema.NullOr(
          Schema.Array(Schema.Struct({ function: Schema.Struct({ name: Schema.String, arguments: Schema.Unknown }) }))
        )
      )
    })
  )
})
const decodeSession = Schema.decodeUnknownResult(Session)

const refuse = (line: number, rule: RecordingRule): Result.Result<never, RecordingDefect> => Result.fail({ line, rule })

interface Made {
  readonly tool: string
  readonly args: unknown
}

/** Arguments stand in the store as text; `undefined` where they are no object. */
const argumentsOf = (written: unknown): unknown => {
  const value =
    typeof written === "string" ? Result.getOrElse(StrictJson.parse(written), (): unknown => undefined) : written
  return isObject(value) ? value : undefined
}

/** Behind the host's tool search, the call that the hook sees is the one inside. */
const unwrapped = (tool: string, args: unknown): Made | undefined => {
  if (!isObject(args)) return undefined
  const inner = tool === "tool_call" ? args["name"] : undefined
  if (typeof inner !== "string") return { tool, args }
  const innerArgs = argumentsOf(args["arguments"])
  return innerArgs === undefined ? undefined : { tool: inner, args: innerArgs }
}

const sessionCalls = (value: unknown): ReadonlyArray<Made | undefined> | undefined =>
  Result.getOrElse(
    Result.map(decodeSession(value), ({ messages }) =>
      messages.flatMap(({ tool_calls: calls }) =>
        (calls ?? []).map((call) => unwrapped(call.function.name, argumentsOf(call.function.arguments)))
      )
    ),
    () => undefined
  )

const callsOf = (text: string, line: number): Result.Result<ReadonlyArray<Made | undefined>, RecordingDefect> => {
  const parsed = StrictJson.parse(text)
  if (Result.isFailure(parsed)) return refuse(line, parsed.failure.rule)
  const value = parsed.success
  if (isObject(value) && Object.hasOwn(value, "messages")) {
    const calls = sessionCalls(value)
    return calls === undefined ? refuse(line, "not_call") : Result.succeed(calls)
  }
  if (text.length > maxCallLength) return refuse(line, "line_too_long")
  return Result.match(decodeCall(value), {
    onFailure: () => refuse(line, "not_call"),
    onSuccess: (call) => Result.succeed([call])
  })
}

/** Reads a recording whole or not at all. Empty lines count and say nothing. */
export const decode = (text: string): Result.Result<Recording, RecordingDefect> => {
  if (text.length > maxRecordingLength) return refuse(0, "too_long")
  const calls: Array<ProposedCall> = []
  let skipped = 0
  let line = 0
  for (const written of text.split("\n")) {
    line += 1
    const trimmed = written.endsWith("\r") ? written.slice(0, -1) : written
    if (trimmed === "") continue
    const made = callsOf(trimmed, line)
    if (Result.isFailure(made)) return Result.fail(made.failure)
    for (const call of made.success) {
      if (call === undefined) skipped += 1
      else calls.push({ source: "recorded", label: `line ${line}`, tool: call.tool, args: call.args })
    }
    if (calls.length > maxRecordedCalls) return refuse(line, "too_many")
  }
  return Result.succeed({ calls, skipped })
}

/** What an operator is told. */
export const spokenDefect = ({ line, rule }: RecordingDefect): string => {
  const where = line === 0 ? "The recording" : `Line ${line} of the recording`
  switch (rule) {
    case "too_long":
      return `${where} is longer than ${maxRecordingLength} characters.`
    case "line_too_long":
      return `${where} is longer than ${maxCallLength} characters.`
    case "too_many":
      return `${where} is beyond the ${maxRecordedCalls} calls that are replayed at most.`
    case "not_json":
      return `${where} is not JSON.`
    case "duplicate_key":
      return `${where} has a key twice.`
    case "too_deep":
      return `${where} is nested too deeply.`
    case "not_call":
      return `${where} is neither {"tool": …, "args": {…}} nor a session with its messages.`
  }
}
