/**
 * Which texts name a peer that may be talked to. (recall-contract 1.4 "Discovery file", cases/recall.md 38 and 45)
 *
 * An origin and nothing more. Plain HTTP only to `127.0.0.1` or `[::1]` spelled just so: no name, which a resolver could
 * answer otherwise, and no other spelling of a number, which two parsers could read differently. Everything else needs
 * HTTPS.
 */
import * as Result from "effect/Result"

export interface Endpoint {
  readonly scheme: "http" | "https"
  /** A name or the literal of an address, without brackets. */
  readonly host: string
  readonly port: number
  /** Whether the host is the literal of the loopback address. The peer's address is then checked too. */
  readonly loopback: boolean
}

/**
 * - `scheme`: neither `http://` nor `https://`; `userinfo`: a user or password
 * - `not_origin`: something after host and port; `host`: no name or canonical address; `port`: not 1 to 65535
 * - `plain_http`: HTTP to something else than the loopback literals
 */
export type EndpointDefect = "scheme" | "userinfo" | "not_origin" | "host" | "port" | "plain_http"

const defaultPorts = { http: 80, https: 443 } as const

const octet = /^(?:0|[1-9]\d{0,2})$/
const isIpv4 = (host: string): boolean => {
  const octets = host.split(".")
  return octets.length === 4 && octets.every((text) => octet.test(text) && Number(text) < 256)
}

/** What some resolver would read as an address although it is no canonical one: `127.1`, `0x7f.1`, `2130706433`. */
const numeric = /(?:^|\.)(?:0[xX][0-9a-fA-F]*|\d+)$/

const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const isName = (host: string): boolean =>
  host.length <= 253 && !numeric.test(host) && host.split(".").every((text) => label.test(text))

const group = /^[0-9a-fA-F]{1,4}$/
/** Apart from `::1` nothing that begins with zeros: unspecified, mapped and compatible forms mean other addresses. */
const isIpv6 = (host: string): boolean => {
  if (host === "::1") return true
  if (/^:|^0+:|[^:]:$|:::/.test(host)) return false
  const halves = host.split("::")
  const groups = host.split(":").filter((text) => text !== "")
  if (!groups.every((text) => group.test(text))) return false
  return halves.length === 2 ? groups.length < 8 : halves.length === 1 && groups.length === 8
}

const portOf = (text: string, scheme: Endpoint["scheme"]): number | undefined => {
  if (text === "") return defaultPorts[scheme]
  const port = /^:[1-9]\d{0,4}$/.test(text) ? Number(text.slice(1)) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}

const form = /^(\[[^\]]*\]|[^:[\]]*)(:.*)?$/

const judge = (scheme: Endpoint["scheme"], authority: string): Endpoint | EndpointDefect => {
  if (authority.includes("@")) return "userinfo"
  if (/[/?#\\]/.test(authority)) return "not_origin"
  const [, written = "", portText = ""] = form.exec(authority) ?? []
  const bracketed = written.startsWith("[")
  const host = bracketed ? written.slice(1, -1) : written
  if (bracketed ? !isIpv6(host) : !(isIpv4(host) || isName(host)) || host === "0.0.0.0") return "host"
  const port = portOf(portText, scheme)
  if (port === undefined) return "port"
  const loopback = host === "127.0.0.1" || (bracketed && host === "::1")
  return scheme === "http" && !loopback ? "plain_http" : { scheme, host, port, loopback }
}

export const endpointOf = (origin: string): Result.Result<Endpoint, EndpointDefect> => {
  const [, scheme, authority] = /^(https?):\/\/(.*)$/s.exec(origin) ?? []
  if (authority === undefined) return Result.fail("scheme")
  const found = judge(scheme as Endpoint["scheme"], authority)
  return typeof found === "string" ? Result.fail(found) : Result.succeed(found)
}

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** As the `Host` header has it: the port only where it is not the scheme's own. */
export const authorityOf = ({ host, port, scheme }: Endpoint): string =>
  port === defaultPorts[scheme] ? bracketed(host) : `${bracketed(host)}:${port}`

export const originOf = (endpoint: Endpoint): string => `${endpoint.scheme}://${authorityOf(endpoint)}`
