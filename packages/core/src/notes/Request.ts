/**
 * The model's arguments, validated strictly before anything else happens. (seed 000 "Tools", "Errors")
 *
 * A hint speaks of the argument alone; it never repeats the value.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type DocumentId, maxIdLength, maxIdSegments, parse } from "../tree/DocumentId.ts"
import { lengthOf } from "./Text.ts"

/** Code points. */
export const maxQueryChars = 256
export const maxLimit = 10

/** The arguments break the tool's contract. `hint` is for the agent. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  hint: Schema.String
}) {}

export interface SearchRequest {
  readonly query: string
  /** Absent: the policy's `default_results`. */
  readonly limit: number | undefined
}

export interface ReadRequest {
  readonly id: DocumentId
  /** Absent: from the start. Version 2. */
  readonly fromLine: number | undefined
}

const hints = {
  search: "pass only query (text) and, if wanted, limit (a whole number)",
  query: `query must be text of 1 to ${maxQueryChars} characters, not blank, without control characters`,
  limit: `limit must be a whole number from 1 to ${maxLimit}`,
  read: "pass only id (text), as search returned it",
  id:
    `id must be a relative path of 1 to ${maxIdLength} characters and at most ${maxIdSegments} segments, ` +
    "without empty, dot or control parts",
  readFrom: "pass only id (text), as search returned it, and, if wanted, from_line (a whole number)",
  fromLine: "from_line must be a whole number from 1, as line or next_line told it"
} as const

const invalid = (hint: keyof typeof hints) => Result.fail(new InvalidRequest({ hint: hints[hint] }))

const control = /[\p{Cc}\u2028\u2029]/u

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const onlyHas = (args: Record<string, unknown>, names: ReadonlyArray<string>): boolean =>
  Object.keys(args).every((name) => names.includes(name))

export const searchRequest = (args: unknown): Result.Result<SearchRequest, InvalidRequest> => {
  if (!isRecord(args) || !onlyHas(args, ["query", "limit"])) return invalid("search")
  const { limit, query } = args
  if (typeof query !== "string" || query.trim() === "" || lengthOf(query) > maxQueryChars) return invalid("query")
  if (control.test(query) || !query.isWellFormed()) return invalid("query")
  if (!Object.hasOwn(args, "limit")) return Result.succeed({ query, limit: undefined })
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > maxLimit) return invalid("limit")
  return Result.succeed({ query, limit })
}

export const readRequest = (args: unknown): Result.Result<DocumentId, InvalidRequest> => {
  if (!isRecord(args) || !onlyHas(args, ["id"])) return invalid("read")
  if (typeof args["id"] !== "string") return invalid("id")
  const id = parse(args["id"])
  return typeof id === "object" ? invalid("id") : Result.succeed(id)
}

/**
 * Whether the arguments of a read have `from_line`, which version 1 does not know. Only a policy tells which version a
 * call is of, so they are judged again once there is one; till then, and where there is none, they break the contract.
 */
export const asksForLine = (args: unknown): boolean => isRecord(args) && Object.hasOwn(args, "from_line")

/** The arguments of a read in version 2. */
export const readFromRequest = (args: unknown): Result.Result<ReadRequest, InvalidRequest> => {
  if (!isRecord(args) || !onlyHas(args, ["id", "from_line"])) return invalid("readFrom")
  const { from_line: fromLine, id, ...rest } = args
  const read = readRequest({ ...rest, id })
  if (Result.isFailure(read)) return Result.fail(read.failure)
  if (!Object.hasOwn(args, "from_line")) return Result.succeed({ id: read.success, fromLine: undefined })
  return typeof fromLine === "number" && Number.isSafeInteger(fromLine) && fromLine >= 1
    ? Result.succeed({ id: read.success, fromLine })
    : invalid("fromLine")
}
