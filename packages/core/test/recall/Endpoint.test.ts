/** recall-contract 1.4 "Discovery file"; cases/recall.md 38 and 45. */
import { assert, describe, it } from "@effect/vitest"
import { authorityOf, endpointOf, originOf } from "@memory-bridge/core/recall/Endpoint"
import * as Result from "effect/Result"

const outcome = (origin: string): string =>
  Result.match(endpointOf(origin), {
    onSuccess: (endpoint) =>
      `${endpoint.scheme} ${endpoint.host} ${endpoint.port}${endpoint.loopback ? " loopback" : ""}`,
    onFailure: (defect) => defect
  })

describe("an origin", () => {
  it.each([
    ["http://127.0.0.1:19527", "http 127.0.0.1 19527 loopback"],
    ["http://127.0.0.1", "http 127.0.0.1 80 loopback"],
    ["http://[::1]:8080", "http ::1 8080 loopback"],
    ["https://127.0.0.1:8443", "https 127.0.0.1 8443 loopback"],
    ["https://memory.example.com", "https memory.example.com 443"],
    ["https://memory:65535", "https memory 65535"],
    ["https://10.0.0.7:1", "https 10.0.0.7 1"],
    ["https://[2001:db8::7]", "https 2001:db8::7 443"],
    ["https://[2001:db8:0:0:0:0:0:7]", "https 2001:db8:0:0:0:0:0:7 443"],
    ["https://localhost", "https localhost 443"]
  ])("%s is %s", (origin, expected) => {
    assert.strictEqual(outcome(origin), expected)
  })

  it.each([
    ["http://localhost:19527", "plain_http"],
    ["http://127.0.0.2:19527", "plain_http"],
    ["http://10.0.0.7", "plain_http"],
    ["http://memory.example.com", "plain_http"],
    ["http://[2001:db8::7]", "plain_http"],
    ["http://127.1", "host"],
    ["http://127.0.0.01", "host"],
    ["http://0x7f000001", "host"],
    ["http://0x7f.0.0.1", "host"],
    ["http://2130706433", "host"],
    ["http://017700000001", "host"],
    ["http://127.0.0.1.", "host"],
    ["http://0.0.0.0", "host"],
    ["http://[::ffff:127.0.0.1]", "host"],
    ["http://[::ffff:7f00:1]", "host"],
    ["http://[0:0:0:0:0:0:0:1]", "host"],
    ["http://[0::1]", "host"],
    ["http://[::]", "host"],
    ["https://[1:::2]", "host"],
    ["https://[fe80:::]", "host"],
    ["http://[::1%25lo]", "host"],
    ["http://[127.0.0.1]", "host"],
    ["http://::1", "host"],
    ["http://localhost.evil.com", "plain_http"],
    ["https://evil.com.", "host"],
    ["https://-evil.com", "host"],
    ["https://ev il.com", "host"],
    ["https://\u0435vil.com", "host"],
    ["https://127.0.0.1.nip.io", "https 127.0.0.1.nip.io 443"],
    ["https://", "host"],
    ["http://user@127.0.0.1", "userinfo"],
    ["http://user:pass@127.0.0.1:80", "userinfo"],
    ["http://127.0.0.1@evil.com", "userinfo"],
    ["http://127.0.0.1/", "not_origin"],
    ["http://127.0.0.1/api", "not_origin"],
    ["http://127.0.0.1?x", "not_origin"],
    ["http://127.0.0.1#x", "not_origin"],
    ["http://127.0.0.1\\x", "not_origin"],
    ["http://127.0.0.1:0", "port"],
    ["http://127.0.0.1:", "port"],
    ["http://127.0.0.1:080", "port"],
    ["http://127.0.0.1:65536", "port"],
    ["http://127.0.0.1:80x", "port"],
    ["http://127.0.0.1:80\n", "host"],
    [" http://127.0.0.1", "scheme"],
    ["HTTP://127.0.0.1", "scheme"],
    ["ftp://127.0.0.1", "scheme"],
    ["127.0.0.1:80", "scheme"],
    ["", "scheme"]
  ])("%j is %s", (origin, expected) => {
    assert.strictEqual(outcome(origin), expected)
  })

  it.each(["http://127.0.0.1:19527", "http://[::1]:8080", "https://memory.example.com", "https://[2001:db8::7]:444"])(
    "%s is written as it was read",
    (origin) => {
      assert.strictEqual(originOf(Result.getOrThrow(endpointOf(origin))), origin)
      assert.strictEqual(authorityOf(Result.getOrThrow(endpointOf(origin))), origin.replace(/^https?:\/\//, ""))
    }
  )
})
