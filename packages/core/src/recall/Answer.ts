/**
 * What a peer's answer means: an object of JSON, or the reason why there is none. (recall-contract 1.4 "Error map")
 *
 * Nothing of a body but the object itself goes further; what a server says about its own errors may quote content.
 */
import * as Result from "effect/Result"
import { SourceFailed } from "./Failure.ts"
import type { HttpAnswer } from "./Http.ts"
import { isRecord } from "./Item.ts"

export type JsonObject = Readonly<Record<string, unknown>>

const restWithout = 5_000
const longestRest = 60_000

/** Seconds are honoured, up to a minute; a date, which few send, is taken for the usual rest. */
const retryAfterMillis = (text: string | undefined): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text) * 1_000, longestRest) : restWithout

const failed = (reason: SourceFailed["reason"]): SourceFailed => new SourceFailed({ reason })

const failureOf = ({ retryAfter, status }: HttpAnswer): SourceFailed => {
  switch (status) {
    case 401:
    case 403:
      return failed("not_granted")
    case 404:
    case 405:
    case 406:
    case 426:
      return failed("incompatible")
    case 408:
    case 425:
    case 429:
      return new SourceFailed({ reason: "busy", retryAfterMillis: retryAfterMillis(retryAfter) })
    case 413:
      return failed("query_too_long")
  }
  if (status >= 300 && status < 400) return failed("redirected")
  if (status >= 400 && status < 500) return failed("rejected")
  return failed(status >= 500 ? "server_error" : "garbled")
}

export const objectOf = (answer: HttpAnswer): Result.Result<JsonObject, SourceFailed> => {
  if (answer.status !== 200) return Result.fail(failureOf(answer))
  if (answer.mediaType !== "application/json") return Result.fail(failed("garbled"))
  return Result.flatMap(
    Result.try({ try: (): unknown => JSON.parse(answer.body), catch: () => failed("garbled") }),
    (value) => (isRecord(value) ? Result.succeed(value) : Result.fail(failed("garbled")))
  )
}
