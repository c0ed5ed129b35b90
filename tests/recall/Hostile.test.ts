/**
 * The strict client against peers that misbehave, each a process of its own. (recall-contract 1.4 "Deadlines" and 4.1;
 * cases/recall.md 1, 35 to 45)
 */
import { assert, describe, it } from "@effect/vitest"
import { Http } from "@memory-bridge/core/recall/Http"
import * as StrictHttp from "@memory-bridge/platform-posix/recall/StrictHttp"
import * as Effect from "effect/Effect"
import { readdirSync } from "node:fs"
import { heard } from "./support/Child.ts"
import { ask, hostile, outcome, secret } from "./support/Peers.ts"

const deadline = 700

const descriptors = (): number => readdirSync("/proc/self/fd").length

/** What comes of each way. */
const ways: ReadonlyArray<readonly [string, string]> = [
  ["silent", "timed_out"],
  ["dripping", "timed_out"],
  ["dripping head", "timed_out"],
  ["early hints for ever", "timed_out"],
  ["redirecting", "302 - 0"],
  ["gzip bomb", "encoded"],
  ["brotli", "encoded"],
  ["chained encodings", "encoded"],
  ["transfer gzip", "encoded"],
  ["chunked flood", "too_large"],
  ["long body", "too_large"],
  ["announced flood", "too_large"],
  ["too long by one", "too_large"],
  ["head flood", "not_http"],
  ["switching protocols", "not_http"],
  ["garbage", "not_http"],
  ["two lengths", "not_http"],
  ["length and chunks", "not_http"],
  ["cut body", "unreachable"],
  ["cut chunk", "unreachable"],
  ["closing at once", "unreachable"],
  ["resetting", "unreachable"],
  ["not utf8", "not_utf8"],
  ["wrong type", "200 text/html 2"],
  ["no type", "200 - 2"],
  ["secret error", "500 application/json 0"],
  ["just short enough", "200 application/json 65536"],
  ["chunked", "200 application/json 2"],
  ["old http", "200 application/json 2"],
  ["identity", "200 application/json 2"],
  ["answering early", "200 application/json 2"]
]

describe("a peer that is", () => {
  it.live.each(ways)("%s: %s", ([way, expected]) =>
    Effect.gen(function* () {
      const { child, endpoint, received } = yield* hostile(way)
      const { millis, outcome: found } = yield* outcome({ endpoint, millis: deadline })
      assert.strictEqual(found, expected)
      yield* received
      assert.isBelow(millis, deadline + 250)
      assert.isUndefined(
        child.lines.find(({ elsewhere }) => elsewhere === true),
        "the redirect was followed"
      )
    }).pipe(Effect.scoped)
  )

  it.live("nobody: the connection is refused", () =>
    Effect.gen(function* () {
      const { child, endpoint } = yield* hostile("silent")
      yield* Effect.promise(child.kill)
      assert.strictEqual((yield* outcome({ endpoint })).outcome, "unreachable")
    }).pipe(Effect.scoped)
  )
})

describe("what is sent", () => {
  it.live("is one plain request and nothing about us", () =>
    Effect.gen(function* () {
      const { endpoint, received } = yield* hostile("identity")
      yield* ask({ endpoint })
      const body = `{"query":"a private question"}`
      assert.strictEqual(
        yield* received,
        [
          "POST /context HTTP/1.1",
          `Host: 127.0.0.1:${endpoint.port}`,
          "Accept: application/json",
          "Accept-Encoding: identity",
          "Connection: close",
          "Content-Type: application/json",
          `Content-Length: ${body.length}`,
          `Authorization: Bearer ${secret}`,
          "",
          body
        ].join("\r\n")
      )
    }).pipe(Effect.scoped)
  )

  it.live("goes to a peer whose address is the literal one, and to no other", () =>
    Effect.gen(function* () {
      const { endpoint, received } = yield* hostile("identity")
      // As if a name had slipped through: the socket's own peer address is held against the literal.
      const { outcome: found } = yield* outcome({ endpoint: { ...endpoint, host: "localhost" } })
      assert.strictEqual(found, "wrong_peer")
      assert.strictEqual(yield* received, "")
    }).pipe(Effect.scoped)
  )
})

describe("no failure tells", () => {
  it.live("the credential, the question or what the peer said", () =>
    Effect.gen(function* () {
      for (const way of ["silent", "garbage", "cut body", "closing at once", "head flood", "gzip bomb"]) {
        const { endpoint } = yield* hostile(way)
        const failure = yield* Effect.flip(ask({ endpoint, millis: 300 }))
        const shown = `${JSON.stringify(failure)} ${String(failure)} ${failure === "timed_out" ? "" : failure.stack}`
        for (const word of [secret, "private question", String(endpoint.port), "HPE_"]) assert.notInclude(shown, word)
      }
    }).pipe(Effect.scoped)
  )
})

describe("nothing stays open", () => {
  it.live("of a connection that is never used, once its scope has closed", () =>
    Effect.gen(function* () {
      const { child, endpoint, received } = yield* hostile("silent")
      yield* Effect.scoped(Http.use((http) => http.connect(endpoint, undefined)))
      yield* heard(child, ({ closed }) => closed)
      assert.strictEqual(yield* received, "")
    }).pipe(Effect.provide(StrictHttp.layer), Effect.scoped)
  )

  it.live("of fifty handshakes that are never answered", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* hostile("silent")
      const https = { ...endpoint, scheme: "https" } as const
      yield* outcome({ endpoint: https, millis: 5_000 }).pipe(Effect.timeoutOption(300))
      const before = descriptors()
      yield* Effect.forEach(Array.from({ length: 50 }), () => outcome({ endpoint: https, millis: 60 }), {
        concurrency: 10,
        discard: true
      })
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.isAtMost(descriptors(), before)
    }).pipe(Effect.scoped)
  )

  it.live("of two hundred questions to peers that hang, answer, or lie", () =>
    Effect.gen(function* () {
      const peers = [yield* hostile("silent"), yield* hostile("identity"), yield* hostile("chunked flood")]
      yield* Effect.forEach(peers, ({ endpoint }) => outcome({ endpoint, millis: 100 }), { discard: true })
      const before = descriptors()
      yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => peers[index % 3]!),
        ({ endpoint }) => outcome({ endpoint, millis: 100 }),
        { concurrency: 20, discard: true }
      )
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.isAtMost(descriptors(), before)
    }).pipe(Effect.scoped)
  )
})
