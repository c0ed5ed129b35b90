/**
 * From a line to its one answer: look the method up, check its parameters, run it. (design.md section 6)
 *
 * Never fails. A method that dies is answered with "internal error" and nothing else; the log gets the kind of defect.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Line } from "./Lines.ts"
import { errorLine, type Id, readMessage, resultLine } from "./Message.ts"

/** The parameters are not what the method takes. */
export class InvalidParams extends Schema.TaggedError<InvalidParams>()("InvalidParams", {}) {}

/** One row of the method table: parameters as they came, a result that has a JSON form. */
export type Method<R> = (params: unknown) => Effect.Effect<unknown, InvalidParams, R>

export type MethodTable<R> = ReadonlyMap<string, Method<R>>

/** A row from the schema of its parameters and its program. */
export const method = <P extends Schema.ConstraintDecoder<unknown>, R>(
  params: P,
  run: (params: P["Type"]) => Effect.Effect<unknown, never, R>
): Method<R> => {
  const decode = Schema.decodeUnknownResult(params, { onExcessProperty: "error" })
  return (input) => {
    const decoded = decode(input)
    return Result.isFailure(decoded) ? Effect.fail(new InvalidParams()) : run(decoded.success)
  }
}

/** Enough to find a defect with the bundle at hand, without its message, which might hold a path or content. */
const defectOf = (cause: Cause.Cause<unknown>): { readonly error: string; readonly at?: string } => {
  const error = Cause.squash(cause)
  if (!(error instanceof Error)) return { error: "defect" }
  const position = /([A-Za-z0-9_.-]+:\d+:\d+)\)?$/m.exec(error.stack ?? "")?.[1]
  return position === undefined ? { error: error.name } : { error: error.name, at: position }
}

const internalError = (id: Id, name: string, detail: { readonly error: string }) =>
  Effect.as(
    Effect.annotateLogs(Effect.logError("method_defect"), { method: name, ...detail }),
    errorLine(id, "internal_error")
  )

/** The answer to one line, or `undefined` for a notification. */
export const answerTo = <R>(table: MethodTable<R>) =>
  Effect.fnUntraced(function* (line: Line): Effect.fn.Return<string | undefined, never, R> {
    if (line.kind === "too_long") return errorLine(null, "line_too_long")
    const message = readMessage(line.bytes)
    if (message.kind === "notification") return undefined
    if (message.kind === "refused") return errorLine(message.id, message.error)
    const run = table.get(message.method)
    if (run === undefined) return errorLine(message.id, "method_not_found")
    return yield* Effect.suspend(() => run(message.params)).pipe(
      Effect.flatMap((result) => {
        const answer = resultLine(message.id, result)
        return answer === undefined
          ? internalError(message.id, message.method, { error: "no_json_form" })
          : Effect.succeed(answer)
      }),
      Effect.catchTag("InvalidParams", () => Effect.succeed(errorLine(message.id, "invalid_params"))),
      Effect.catchCause((cause) => internalError(message.id, message.method, defectOf(cause)))
    )
  })
