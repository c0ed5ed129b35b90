/**
 * The reference Broker's rules for a request, before its body is read. (recall-contract 1.4; issue 4 part 2 "exact Host
 * check, no CORS")
 *
 * A page in a browser can reach every port of its machine: so the `Host` must be the very address that the discovery
 * file names, and whatever says that it comes from a page is refused. Two paths, one method each; a total function over
 * the request's head.
 */
import { contextPath, maxContextBytes } from "./ContextWire.ts"
import { type Credential, credentialOf } from "./Credential.ts"
import { identityPath, nonceOf } from "./Identity.ts"

export interface RequestHead {
  readonly method: string
  /** As it stands in the request line. */
  readonly target: string
  /** Names in lower case, with all values in order. */
  readonly headers: ReadonlyMap<string, ReadonlyArray<string>>
}

export type Admission =
  | { readonly kind: "identity"; readonly nonce: string }
  | { readonly kind: "context"; readonly credential: Credential }
  | { readonly kind: "refused"; readonly status: number }

const refused = (status: number): Admission => ({ kind: "refused", status })

/** The one value of a header that may not come twice. */
const single = ({ headers }: RequestHead, name: string): string | undefined => {
  const values = headers.get(name) ?? []
  return values.length === 1 ? values[0] : undefined
}

/** What only a browser sends. */
const browserHeaders = ["origin", "sec-fetch-site", "sec-fetch-mode", "access-control-request-method", "cookie"]

const bodyRefusal = (head: RequestHead): number | undefined => {
  const length = single(head, "content-length")
  if (length === undefined || !/^\d{1,9}$/.test(length) || head.headers.has("transfer-encoding")) return 411
  if (Number(length) > maxContextBytes) return 413
  const [mediaType = ""] = (single(head, "content-type") ?? "").split(";")
  if (mediaType.trim().toLowerCase() !== "application/json") return 415
  return head.headers.has("content-encoding") ? 415 : head.headers.has("expect") ? 417 : undefined
}

const bearer = /^Bearer ([^ ]+)$/i

/** `authority`: host and port of the discovery file. */
export const admitted = (head: RequestHead, authority: string): Admission => {
  if (single(head, "host") !== authority) return refused(421)
  if (browserHeaders.some((name) => head.headers.has(name))) return refused(403)
  const path = head.target.split("?", 1)[0]
  if (path === identityPath) {
    if (head.method !== "GET") return refused(405)
    const nonce = nonceOf(head.target)
    return nonce === undefined ? refused(400) : { kind: "identity", nonce }
  }
  if (head.target !== contextPath) return refused(404)
  if (head.method !== "POST") return refused(405)
  const status = bodyRefusal(head)
  if (status !== undefined) return refused(status)
  const [, token] = bearer.exec(single(head, "authorization") ?? "") ?? []
  const credential = token === undefined ? undefined : credentialOf(token)
  return credential === undefined ? refused(401) : { kind: "context", credential }
}
