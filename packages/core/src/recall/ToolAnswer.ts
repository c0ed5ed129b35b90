/**
 * The two tools of the provider: their arguments, strictly, and what the model gets to see. (seed 003 "Write and
 * anti-recursion boundary", cases/recall.md 18, 23 and 51)
 *
 * Arguments are a query or a text and nothing else: whose memories are read is never for the model to say. What was
 * found comes in the same boundary as injected recall, so that whoever reads a transcript can take it out again. An
 * answer that there is none is final and says so, because a model that is told to try again does.
 */
import * as Result from "effect/Result"
import { blockOf } from "./Block.ts"
import { maxStoredLength } from "./Capture.ts"
import { maxLimit } from "./ContextWire.ts"
import type { SourceFailed } from "./Failure.ts"
import { isRecord, type Item } from "./Item.ts"
import { boundedQuery, maxQueryChars } from "./Query.ts"
import type { Settings } from "./Settings.ts"
import type { Stored } from "./Source.ts"
import { strip } from "./Strip.ts"

export type ToolError = "invalid_request" | "unavailable" | "not_offered" | "not_stored"

export type ToolAnswer =
  | { readonly ok: true; readonly count: number; readonly context: string }
  | { readonly ok: true; readonly stored: true; readonly searchable: boolean }
  | {
      readonly ok: false
      readonly error: { readonly code: ToolError; readonly message: string; readonly retry: false }
      /** Only with `invalid_request`: what the argument should have been. */
      readonly hint?: string
    }

const messages: Readonly<Record<ToolError, string>> = {
  invalid_request: "The request is not valid.",
  unavailable: "Memory recall is not available. Do not call this tool again now; go on without recalled memory.",
  not_offered: "Memories cannot be added here. Do not call this tool again.",
  not_stored: "The memory was not stored. Do not call this tool again now; go on without it."
}

export const toolError = (code: ToolError): ToolAnswer => ({
  ok: false,
  error: { code, message: messages[code], retry: false }
})

const invalid = (hint: string): Result.Result<never, ToolAnswer> =>
  Result.fail({ ...toolError("invalid_request"), hint } as ToolAnswer)

const onlyHas = (args: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): boolean =>
  Object.keys(args).every((name) => names.includes(name))

export interface SearchArguments {
  readonly query: string
  readonly limit: number
}

/** A longer query is cut like a turn's: it is the model's way to pass a whole message on. */
export const searchArguments = (
  args: unknown,
  { limit: usual }: Settings
): Result.Result<SearchArguments, ToolAnswer> => {
  if (!isRecord(args) || !onlyHas(args, ["query", "limit"])) return invalid("pass only query (text) and limit")
  const query = typeof args["query"] === "string" ? boundedQuery(args["query"]) : ""
  if (query === "") return invalid(`query must be text, not blank; the first ${maxQueryChars} characters count`)
  const { limit = usual } = args
  return typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= maxLimit
    ? Result.succeed({ query, limit })
    : invalid(`limit must be a whole number from 1 to ${maxLimit}`)
}

/** The text to store, without what was recalled. */
export const addArguments = (args: unknown): Result.Result<string, ToolAnswer> => {
  if (!isRecord(args) || !onlyHas(args, ["text"])) return invalid("pass only text")
  const { text } = args
  if (typeof text !== "string" || text.length > maxStoredLength) {
    return invalid(`text must be text of at most ${maxStoredLength} characters`)
  }
  const own = strip(text).toWellFormed().trim()
  return own === ""
    ? invalid("text must say something of its own; recalled memories are not stored again")
    : Result.succeed(own)
}

export const foundAnswer = (items: ReadonlyArray<Item>, { maxChars }: Settings): ToolAnswer => {
  const { items: shown, text } = blockOf(items, maxChars)
  return { ok: true, count: shown.length, context: text }
}

export const storedAnswer = ({ searchable }: Stored): ToolAnswer => ({ ok: true, stored: true, searchable })

/** Too long is the one failure that another text would not meet. */
export const failedAnswer = ({ reason }: SourceFailed, kind: "read" | "write"): ToolAnswer => {
  if (reason === "query_too_long")
    return { ...toolError("invalid_request"), hint: "a shorter text may pass" } as ToolAnswer
  return toolError(kind === "read" ? "unavailable" : "not_stored")
}
