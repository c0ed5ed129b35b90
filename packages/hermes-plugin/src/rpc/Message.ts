/**
 * JSON-RPC 2.0 as bytes and as values: what a line asks for, and what an answer looks like. (design.md section 6)
 *
 * Strict both ways: no unknown member, no fractional or oversized id, no batch. A pure codec; it serves nothing.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isUtf8 } from "node:buffer"

/** Ids come back in the answer, so they are bounded. The shim counts from 1. */
const Id = Schema.NullOr(Schema.Union([Schema.Int, Schema.String.pipe(Schema.check(Schema.isMaxLength(64)))]))
export type Id = typeof Id.Type

const Request = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  /** Absent in a notification, which gets no answer. */
  id: Schema.optionalKey(Id),
  method: Schema.String,
  params: Schema.optionalKey(Schema.Unknown)
})

const decodeRequest = Schema.decodeUnknownResult(Request, { onExcessProperty: "error" })
const decodeId = Schema.decodeUnknownResult(Id)

const errors = {
  parse_error: { code: -32700, message: "parse error" },
  invalid_request: { code: -32600, message: "invalid request" },
  method_not_found: { code: -32601, message: "method not found" },
  invalid_params: { code: -32602, message: "invalid params" },
  internal_error: { code: -32603, message: "internal error" },
  line_too_long: { code: -32000, message: "line too long" }
} as const
export type RpcError = keyof typeof errors

export type Message =
  | { readonly kind: "call"; readonly id: Id; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification" }
  | { readonly kind: "refused"; readonly id: Id; readonly error: RpcError }

const refused = (error: RpcError, id: Id = null): Message => ({ kind: "refused", id, error })

const parseJson = (bytes: Uint8Array): Result.Result<unknown, "parse_error"> => {
  // Decoding would turn bad bytes into U+FFFD, and two different lines into one.
  if (!isUtf8(bytes)) return Result.fail("parse_error")
  return Result.try({
    try: (): unknown => JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")),
    catch: () => "parse_error" as const
  })
}

/** The id of something that is no request, so that its sender can still match the answer. */
const idOf = (json: unknown): Id => {
  if (typeof json !== "object" || json === null || Array.isArray(json) || !Object.hasOwn(json, "id")) return null
  return Result.getOrElse(decodeId((json as { readonly id: unknown }).id), () => null)
}

/** What one line, without its line feed, asks for. */
export const readMessage = (bytes: Uint8Array): Message => {
  const json = parseJson(bytes)
  if (Result.isFailure(json)) return refused(json.failure)
  const request = decodeRequest(json.success)
  if (Result.isFailure(request)) return refused("invalid_request", idOf(json.success))
  const { id, method, params } = request.success
  return id === undefined ? { kind: "notification" } : { kind: "call", id, method, params }
}

export const errorLine = (id: Id, error: RpcError): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: errors[error] }) + "\n"

/** `undefined` where the result has no JSON form, which is a defect of the method. */
export const resultLine = (id: Id, result: unknown): string | undefined => {
  const json = Result.try({ try: (): string | undefined => JSON.stringify(result), catch: () => undefined })
  return Result.isFailure(json) || json.success === undefined
    ? undefined
    : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json.success}}\n`
}
