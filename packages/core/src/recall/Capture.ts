/**
 * What of a turn may be stored as a memory: what the user wrote, and nothing else. (seed 003 "Write and anti-recursion
 * boundary", cases/recall.md 28 and 46)
 *
 * Recalled text that came back would be stored again and grow with every turn, so blocks are taken out first, whole or
 * cut. What then says nothing is not stored.
 */
import { isTrivial } from "./Query.ts"
import { holdsPrivateKey, withoutSecrets } from "./Secrets.ts"
import { afterStrayClose, strip } from "./Strip.ts"

/** UTF-16 units of a stored text. */
export const maxStoredLength = 16_000
/** UTF-16 units that are looked at; a longer text is an envelope round something, not something a person wrote. */
const maxTurnLength = 262_144

export type CaptureRefusal = "nothing_left" | "private_key" | "too_long"

/** The text to store, or why there is none. */
export const captured = (text: string): { readonly text: string } | CaptureRefusal => {
  if (text.length > maxTurnLength) return "too_long"
  const own = strip(afterStrayClose(text)).toWellFormed().trim()
  if (isTrivial(own)) return "nothing_left"
  if (holdsPrivateKey(own)) return "private_key"
  return own.length > maxStoredLength ? "too_long" : { text: withoutSecrets(own) }
}
