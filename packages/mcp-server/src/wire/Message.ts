/**
 * JSON-RPC 2.0 as the Model Context Protocol uses it: bytes to a message, an outcome to a line. (MCP "Base protocol")
 *
 * Strict where a mistake could be read in two ways, about encoding, ids and batches, and open for members that a later
 * version may add. A response is nothing to act on, since this server asks its client nothing; nor is a blank line.
 */
import type { Line } from "@memory-bridge/hermes-plugin/rpc/Lines"
import * as Result from "effect/Result"
import { isUtf8 } from "node:buffer"

/** Never null: the protocol forbids it. */
export type Id = string | number

/** UTF-16 code units. Ids come back in the answer, so they are bounded. */
const maxIdLength = 256

export type Message =
  | { readonly kind: "call"; readonly id: Id; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly id: Id | null; readonly error: RpcError }

/** An error object of JSON-RPC. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export const errors = {
  parse_error: { code: -32700, message: "Parse error" },
  invalid_request: { code: -32600, message: "Invalid request" },
  batch: { code: -32600, message: "Batches are not supported" },
  id_in_use: { code: -32600, message: "The id belongs to a request that is not answered yet" },
  method_not_found: { code: -32601, message: "Method not found" },
  internal_error: { code: -32603, message: "Internal error" },
  line_too_long: { code: -32600, message: "The message is too long" }
} as const satisfies Record<string, RpcError>

const isId = (value: unknown): value is Id =>
  typeof value === "string" ? value.length <= maxIdLength : Number.isSafeInteger(value)

const refused = (error: RpcError, id: Id | null = null): Message => ({ kind: "refused", id, error })

const parse = (bytes: Uint8Array): Result.Result<unknown, undefined> => {
  // Decoding would turn bad bytes into U+FFFD, and two different lines into one.
  if (!isUtf8(bytes)) return Result.fail(undefined)
  return Result.try({
    try: (): unknown => JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")),
    catch: () => undefined
  })
}

const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

const messageIn = (json: unknown): Message => {
  if (Array.isArray(json)) return refused(errors.batch)
  if (typeof json !== "object" || json === null) return refused(errors.invalid_request)
  const { id, jsonrpc, method, params } = json as Readonly<Record<string, unknown>>
  const hasId = Object.hasOwn(json, "id")
  const known = hasId && isId(id) ? id : null
  if (jsonrpc !== "2.0") return refused(errors.invalid_request, known)
  if (!Object.hasOwn(json, "method")) {
    const answers = Object.hasOwn(json, "result") || Object.hasOwn(json, "error")
    return answers ? { kind: "nothing" } : refused(errors.invalid_request, known)
  }
  if (typeof method !== "string" || Array.isArray(params)) return refused(errors.invalid_request, known)
  if (!hasId) return { kind: "notification", method, params }
  return known === null ? refused(errors.invalid_request) : { kind: "call", id: known, method, params }
}

/** What a line asks for. */
export const readMessage = (line: Line): Message => {
  if (line.kind === "too_long") return refused(errors.line_too_long)
  if (isBlank(line.bytes)) return { kind: "nothing" }
  const json = parse(line.bytes)
  return Result.isFailure(json) ? refused(errors.parse_error) : messageIn(json.success)
}

export const resultLine = (id: Id, result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n"

export const errorLine = (id: Id | null, error: RpcError): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error }) + "\n"
