/**
 * A keyed digest, as a service: the core has no cryptography of its own. (recall-contract 1.4 "Identity", T3)
 *
 * Two uses: to prove who listens on a port, and to tell whether a memory has changed without keeping its text.
 */
import * as Context from "effect/Context"

export class Mac extends Context.Service<
  Mac,
  {
    /** HMAC-SHA-256 of the text's UTF-8, as 64 lower case hexadecimal digits. */
    readonly sign: (key: string, text: string) => string
  }
>()("@memory-bridge/core/recall/Mac") {}

/** Takes the same time wherever two texts of one length differ. */
export const sameText = (one: string, other: string): boolean => {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}
