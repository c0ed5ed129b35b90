/** The reference Broker's rules for a request: exact Host, no browsers, two paths, caps. (issue 4 part 2) */
import { assert, describe, it } from "@effect/vitest"
import { admitted, type RequestHead } from "@memory-bridge/core/recall/BrokerGate"
import { contextAnswer, memoriesOf, questionOf, questionText } from "@memory-bridge/core/recall/ContextWire"
import { identityQuery, nonceOf } from "@memory-bridge/core/recall/Identity"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

const authority = "127.0.0.1:4711"
type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const head = (method: string, target: string, headers: Headers): RequestHead => ({
  method,
  target,
  headers: new Map(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? [value] : value] as const]
    )
  )
})

const context = (changes: Headers = {}, method = "POST", target = "/context") =>
  outcome(
    head(method, target, {
      host: authority,
      "content-type": "application/json",
      "content-length": "80",
      authorization: "Bearer abc",
      ...changes
    })
  )

const identity = (target: string, changes: Headers = {}, method = "GET") =>
  outcome(head(method, target, { host: authority, ...changes }))

const outcome = (request: RequestHead): string => {
  const admission = admitted(request, authority)
  switch (admission.kind) {
    case "identity":
      return `identity ${admission.nonce}`
    case "context":
      return `context ${Redacted.value(admission.credential)}`
    case "refused":
      return String(admission.status)
  }
}

describe("a request that fits is admitted", () => {
  it("a question with a credential", () => {
    assert.strictEqual(context(), "context abc")
    assert.strictEqual(context({ "content-type": "Application/JSON; charset=utf-8" }), "context abc")
  })

  it("and the question who it is, from anybody", () => {
    assert.strictEqual(identity("/identity?nonce=0123456789abcdef"), "identity 0123456789abcdef")
  })
})

describe("whatever a browser could send is refused", () => {
  it.each([
    ["localhost:4711", "421"],
    ["127.0.0.1", "421"],
    ["127.0.0.1:4712", "421"],
    ["evil.example:4711", "421"],
    ["[::1]:4711", "421"],
    ["127.0.0.1:4711.", "421"],
    [undefined, "421"],
    [["127.0.0.1:4711", "evil.example"], "421"],
    [["127.0.0.1:4711", "127.0.0.1:4711"], "421"]
  ])("host %j", (host, expected) => {
    assert.strictEqual(context({ host }), expected)
    assert.strictEqual(identity("/identity?nonce=0123456789abcdef", { host }), expected)
  })

  it.each([
    ["origin", "http://127.0.0.1:4711"],
    ["origin", "null"],
    ["sec-fetch-site", "same-origin"],
    ["cookie", "a=b"],
    ["access-control-request-method", "POST"]
  ])("with %s", (name, value) => {
    assert.strictEqual(context({ [name]: value }), "403")
    assert.strictEqual(identity("/identity?nonce=0123456789abcdef", { [name]: value }), "403")
  })

  it("a preflight", () => {
    assert.strictEqual(context({}, "OPTIONS"), "405")
  })
})

describe("and whatever is no question", () => {
  it.each([
    ["no credential", { authorization: undefined }, "401"],
    ["another scheme", { authorization: "Basic abc" }, "401"],
    ["two credentials", { authorization: ["Bearer abc", "Bearer abc"] }, "401"],
    ["a credential that is no token", { authorization: "Bearer a b" }, "401"],
    ["no length", { "content-length": undefined }, "411"],
    ["two lengths", { "content-length": ["80", "8"] }, "411"],
    ["a length that is no number", { "content-length": "8e1" }, "411"],
    ["a chunked body", { "transfer-encoding": "chunked" }, "411"],
    ["too much", { "content-length": "16385" }, "413"],
    ["another type", { "content-type": "text/plain" }, "415"],
    ["no type", { "content-type": undefined }, "415"],
    ["a compressed body", { "content-encoding": "gzip" }, "415"],
    ["an expectation", { expect: "100-continue" }, "417"]
  ])("%s", (_, changes, expected) => {
    assert.strictEqual(context(changes), expected)
  })

  it.each([
    ["GET", "/context", "405"],
    ["POST", "/context?x=1", "404"],
    ["POST", "/context/", "404"],
    ["POST", "//context", "404"],
    ["GET", "http://127.0.0.1:4711/identity?nonce=0123456789abcdef", "404"],
    ["GET", "/", "404"],
    ["GET", "/identity", "400"],
    ["GET", "/identity?nonce=short", "400"],
    ["GET", `/identity?nonce=${"a".repeat(65)}`, "400"],
    ["GET", "/identity?nonce=0123456789abcdef&x=1", "400"],
    ["GET", "/identity?nonce=0123456789abcdef|x|1", "400"],
    ["POST", "/identity?nonce=0123456789abcdef", "405"]
  ])("%s %s is %s", (method, target, expected) => {
    assert.strictEqual(context({}, method, target), expected)
  })
})

describe("both sides read each other", () => {
  const question = { query: "where is the boat? \u{1f6a4}", limit: 20, session: "hint" }

  it("the question in both versions", () => {
    for (const [protocol, version] of [
      ["context/1", 1],
      ["context/2", 2]
    ] as const) {
      assert.deepStrictEqual(questionOf(JSON.parse(questionText(protocol, question))), { ...question, version })
    }
  })

  it.each([
    { version: 3, ...question },
    { version: 1, ...question, user_id: "eve" },
    { version: 1, ...question, query: " " },
    { version: 1, ...question, query: "x".repeat(2_001) },
    { version: 1, ...question, query: "\ud800" },
    { version: 1, ...question, limit: 0 },
    { version: 1, ...question, limit: 21 },
    { version: 1, ...question, limit: 1.5 },
    { version: 1, query: "x", limit: 5 },
    null
  ])("%j is no question", (body) => {
    assert.isUndefined(questionOf(body))
  })

  it("the answer in both versions", () => {
    const items = [{ id: "a", content: "x", revision: "x" }]
    for (const version of [1, 2] as const) {
      const answer = JSON.parse(JSON.stringify(contextAnswer(version, items)))
      assert.deepStrictEqual(Result.getOrThrow(memoriesOf(answer, 5)), items)
    }
  })

  it("the nonce", () => {
    assert.strictEqual(nonceOf(identityQuery("0123-4567-89ab-cdef")), "0123-4567-89ab-cdef")
  })
})
