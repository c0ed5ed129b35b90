/**
 * What the agent gets to see: the answer, or one of three codes with a fixed message. (seed 000 "Errors")
 *
 * The only place where typed errors become public codes, and so the only place to look for a leak: no path, no name,
 * no system text, no count passes through.
 */
import type { IdentityRefused } from "../identity/Caller.ts"
import type { RunRefused } from "../identity/Admission.ts"
import type { NoteRefused, ReadAnswer, RootRefused, ScanRefused, SearchAnswer } from "../notes/Notes.ts"
import type { InvalidRequest } from "../notes/Request.ts"
import type { PolicyRefused } from "../policy/PolicyStore.ts"

export type Refusal =
  | InvalidRequest
  | IdentityRefused
  | PolicyRefused
  | RunRefused
  | RootRefused
  | ScanRefused
  | NoteRefused

export type PublicCode = "invalid_request" | "unavailable" | "not_found_or_denied"

export interface PublicError {
  readonly ok: false
  readonly error: { readonly code: PublicCode; readonly message: string }
  /** Only with `invalid_request`: what the argument should have been. */
  readonly hint?: string
}

export type PublicAnswer = ({ readonly ok: true } & (SearchAnswer | ReadAnswer)) | PublicError

const messages: Readonly<Record<PublicCode, string>> = {
  invalid_request: "The request is not valid.",
  unavailable: "Memory is not available for this request.",
  not_found_or_denied: "The document does not exist or may not be read."
}

const failure = (code: PublicCode): PublicError => ({ ok: false, error: { code, message: messages[code] } })

/** The answer when nothing can be established, a defect included. */
export const unavailable: PublicError = failure("unavailable")

export const publicError = (refusal: Refusal): PublicError => {
  switch (refusal._tag) {
    case "InvalidRequest":
      return { ...failure("invalid_request"), hint: refusal.hint }
    case "NoteRefused":
      return failure("not_found_or_denied")
    case "IdentityRefused":
    case "PolicyRefused":
    case "RunRefused":
    case "RootRefused":
    case "ScanRefused":
      return unavailable
  }
}
