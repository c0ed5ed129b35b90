/**
 * What a bearer credential may look like, in a file and in a variable. (recall-contract 1.4 "Credential file")
 *
 * The characters of a token and no others, so that it cannot end a header line. Redacted from here on: it shows in no
 * log, no error and no JSON.
 */
import * as Redacted from "effect/Redacted"

export type Credential = Redacted.Redacted<string>

export const maxCredentialLength = 2_048

/** RFC 7235 `token68`. */
const token68 = /^[A-Za-z0-9._~+/-]+=*$/

export const credentialOf = (text: string): Credential | undefined =>
  text.length <= maxCredentialLength && token68.test(text) ? Redacted.make(text, { label: "credential" }) : undefined

/** The file has one line. */
export const credentialOfFile = (text: string): Credential | undefined =>
  credentialOf(text.endsWith("\n") ? text.slice(0, -1) : text)
