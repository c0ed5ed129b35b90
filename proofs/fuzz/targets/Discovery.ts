/** The small files of a connection, and the origins in them: what is accepted is read again as the same. */
import { connectionOf, connectionText } from "@memory-bridge/core/recall/Connection"
import { credentialOfFile } from "@memory-bridge/core/recall/Credential"
import { discoveryOf, discoveryText } from "@memory-bridge/core/recall/Discovery"
import { endpointOf, originOf } from "@memory-bridge/core/recall/Endpoint"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { posix } from "node:path"
import { holds, same, type Target } from "../Target.ts"

/** Against the URL parser of the platform. */
const checkOrigin = (text: string): void => {
  const result = endpointOf(text)
  if (Result.isFailure(result)) return
  const endpoint = result.success
  const url = new URL(text)
  same("the URL parser finds the same scheme", url.protocol, `${endpoint.scheme}:`)
  same("the URL parser finds the same port", Number(url.port || (endpoint.scheme === "http" ? 80 : 443)), endpoint.port)
  holds(
    "nothing but an origin",
    url.username === "" && url.password === "" && url.pathname === "/" && url.search === "" && url.hash === ""
  )
  const host = url.hostname.replaceAll(/[[\]]/g, "")
  if (endpoint.loopback) holds("loopback is the loopback address", host === "127.0.0.1" || host === "::1", host)
  else
    holds(
      "what is not loopback is another host, by HTTPS",
      endpoint.scheme === "https" && host !== "::1" && host !== "127.0.0.1",
      host
    )
  // Two parsers that read one text as two hosts are how a check is walked round. An IPv6 literal has several spellings.
  if (!host.includes(":")) same("the URL parser finds the same host", host, endpoint.host.toLowerCase())
  same("written again it is the same", Result.getOrThrow(endpointOf(originOf(endpoint))), endpoint)
}

const example = (url: string) =>
  JSON.stringify({
    version: 1,
    product: "memhub-broker",
    instance: "aaaaaaaaaaaaaaaa",
    pid: 1,
    started: 5,
    url,
    protocols: ["context/2"]
  })

export const discovery: Target = {
  name: "discovery",
  input: "text",
  json: true,
  words: [
    "http://",
    "https://",
    "127.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    ":80",
    ":0",
    ":65536",
    "@",
    "/",
    "?",
    "#",
    "\\",
    "%31",
    "0x7f.1",
    "127.1",
    "2130706433",
    "0177.0.0.1",
    "xn--a",
    ".",
    "version",
    "product",
    "instance",
    "pid",
    "started",
    "url",
    "protocols",
    "discovery_file",
    "credential_file",
    "[1:2::3]",
    "[0::1]",
    "[::]",
    "a.b",
    "\u3002",
    "\n"
  ],
  seeds: [
    example("http://127.0.0.1:8000"),
    example("http://[::1]:1"),
    example("https://127.0.0.1:8443"),
    JSON.stringify({ version: 1, discovery_file: "/run/u/d.json", credential_file: "/home/u/c" }),
    "http://127.0.0.1:8000",
    "https://memory.example.org",
    "https://[2001:db8::1]:8443",
    "abcDEF123._~+/-==\n"
  ],
  check: (text) => {
    checkOrigin(text)
    const found = discoveryOf(text)
    if (Result.isSuccess(found)) {
      holds(
        "a Broker is on the loopback address",
        found.success.endpoint.loopback && found.success.endpoint.scheme === "http"
      )
      same("a discovery is read again as the same", discoveryOf(discoveryText(found.success)), found)
    }
    const connection = connectionOf(text)
    if (Result.isSuccess(connection)) {
      const { credentialFile, discoveryFile } = connection.success
      holds(
        "paths are canonical",
        [credentialFile, discoveryFile].every((path) => path.startsWith("/") && posix.normalize(path) === path)
      )
      same("a connection is read again as the same", connectionOf(connectionText(connection.success)), connection)
    }
    const credential = credentialOfFile(text)
    if (credential !== undefined) {
      const value = Redacted.value(credential)
      holds("a credential ends no header line", /^[!-~]+$/.test(value))
      holds(
        "a credential does not show itself",
        !`${String(credential)}${JSON.stringify(credential)}`.includes(value) || value.length < 12
      )
    }
  }
}
