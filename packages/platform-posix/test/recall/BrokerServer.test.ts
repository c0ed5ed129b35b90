/** The reference Broker on its socket: discovery, grants, identity, caps. (issue 4 part 2, recall-contract 1.4) */
import { assert, describe, it } from "@effect/vitest"
import { discoveryOf, type Discovery } from "@memory-bridge/core/recall/Discovery"
import { SourceFailed } from "@memory-bridge/core/recall/Failure"
import type { BrokerAnswer } from "@memory-bridge/core/recall/BrokerAnswer"
import { serveBroker } from "@memory-bridge/platform-posix/recall/BrokerServer"
import { grant, grantFileOf, grantsOf, revoke } from "@memory-bridge/platform-posix/recall/Grants"
import { sign } from "@memory-bridge/platform-posix/recall/Mac"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { folder } from "./Folder.ts"

const echo: BrokerAnswer = ({ limit, query }) =>
  Effect.succeed([{ id: "m1", content: `${query} ${limit}`, revision: "" }])

const broker = (answer: BrokerAnswer = echo) =>
  Effect.gen(function* () {
    const at = yield* folder
    const store = join(at, "grants")
    const credentialFile = yield* Effect.promise(() => grant(store, "hermes"))
    const discoveryFile = join(at, "run", "broker.json")
    const discovery = yield* serveBroker({ discoveryFile, grantStore: store, answer })
    return {
      at,
      store,
      credentialFile,
      discoveryFile,
      discovery,
      credential: readFileSync(credentialFile, "utf8").trim()
    }
  })

/** What comes back for bytes on a new connection, until it is closed. */
const raw = ({ endpoint }: Discovery, text: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        let answer = ""
        const socket = connect(endpoint.port, "127.0.0.1", () => socket.write(text))
        socket.on("data", (bytes: Buffer) => (answer += bytes.toString("utf8")))
        socket.on("error", () => {})
        socket.on("close", () => resolve(answer))
      })
  )

const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? "closed"

const question = (
  discovery: Discovery,
  credential: string,
  changes: Readonly<Record<string, string>> = {},
  body?: string
) => {
  const text = body ?? JSON.stringify({ version: 1, query: "boat", limit: 5, session: "" })
  const headers = {
    Host: `127.0.0.1:${discovery.endpoint.port}`,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(text)),
    Authorization: `Bearer ${credential}`,
    ...changes
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /context HTTP/1.1\r\n${lines.join("")}\r\n${text}`
}

describe("a Broker that runs", () => {
  it.live("is announced by a file for its owner alone, which goes with it", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const file = join(at, "run", "broker.json")
      const options = { discoveryFile: file, grantStore: join(at, "grants"), answer: echo }
      const discovery = yield* Effect.scoped(
        Effect.tap(serveBroker(options), (discovery) =>
          Effect.sync(() => {
            assert.deepStrictEqual(Result.getOrThrow(discoveryOf(readFileSync(file, "utf8"))), discovery)
            assert.strictEqual(statSync(file).mode & 0o7777, 0o600)
            assert.deepStrictEqual(readdirSync(join(at, "run")), ["broker.json"])
          })
        )
      )
      assert.isFalse(existsSync(file))
      assert.strictEqual(yield* raw(discovery, "GET / HTTP/1.1\r\n\r\n"), "", "nobody listens any more")
    }).pipe(Effect.scoped)
  )

  it.live("does not take back what another one has announced since", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const options = { discoveryFile: join(at, "broker.json"), grantStore: join(at, "grants"), answer: echo }
      const later = yield* Effect.scoped(Effect.andThen(serveBroker(options), serveBroker(options)))
      assert.isFalse(existsSync(options.discoveryFile))
      const one = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* serveBroker(options)
          writeFileSync(options.discoveryFile, "of another")
        })
      )
      assert.isUndefined(one)
      assert.strictEqual(readFileSync(options.discoveryFile, "utf8"), "of another")
      assert.isString(later.instance)
    }).pipe(Effect.scoped)
  )

  it.live("says why it does not start", () =>
    Effect.gen(function* () {
      const at = yield* folder
      chmodSync(at, 0o777)
      const failure = yield* Effect.flip(
        serveBroker({ discoveryFile: join(at, "broker.json"), grantStore: join(at, "g"), answer: echo })
      )
      assert.strictEqual(failure.reason, "cannot_announce")
    }).pipe(Effect.scoped)
  )
})

describe("grants", () => {
  it.live("are files for the owner alone; a new one replaces the old", () =>
    Effect.gen(function* () {
      const store = join(yield* folder, "grants")
      const [first, second] = yield* Effect.promise(async () => {
        const path = await grant(store, "hermes")
        const before = readFileSync(path, "utf8")
        await grant(store, "hermes")
        return [before, readFileSync(path, "utf8")]
      })
      assert.notStrictEqual(first, second)
      assert.match(second!, /^[A-Za-z0-9_-]{43}\n$/)
      assert.strictEqual(statSync(store).mode & 0o7777, 0o700)
      assert.strictEqual(statSync(grantFileOf(store, "hermes")).mode & 0o7777, 0o600)
      const grants = yield* Effect.promise(() => grantsOf(store))
      assert.deepStrictEqual(
        grants.map(({ credential, host }) => [host, Redacted.value(credential)]),
        [["hermes", second!.trim()]]
      )
      yield* Effect.promise(() => revoke(store, "hermes"))
      assert.deepStrictEqual(yield* Effect.promise(() => grantsOf(store)), [])
    }).pipe(Effect.scoped)
  )

  it.live("that others may read grant nothing", () =>
    Effect.gen(function* () {
      const store = join(yield* folder, "grants")
      const path = yield* Effect.promise(() => grant(store, "hermes"))
      writeFileSync(join(store, "notes.txt"), "abc")
      chmodSync(path, 0o640)
      assert.deepStrictEqual(yield* Effect.promise(() => grantsOf(store)), [])
    }).pipe(Effect.scoped)
  )

  it.live.each(["", "../x", "Hermes", "a/b", ".x", "a".repeat(65)])("have no host called %j", (host) =>
    Effect.gen(function* () {
      const store = join(yield* folder, "grants")
      const failure = yield* Effect.flip(Effect.tryPromise(() => grant(store, host)))
      assert.isDefined(failure)
      assert.isFalse(existsSync(store))
    }).pipe(Effect.scoped)
  )
})

describe("who it is", () => {
  it.live("it proves to anybody, with each credential that it grants", () =>
    Effect.gen(function* () {
      const { credential, discovery, store } = yield* broker()
      yield* Effect.promise(() => grant(store, "another"))
      const nonce = "0123456789abcdef"
      const { endpoint, instance } = discovery
      const answer = yield* raw(
        discovery,
        `GET /identity?nonce=${nonce} HTTP/1.1\r\nHost: 127.0.0.1:${endpoint.port}\r\n\r\n`
      )
      const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as { proofs: ReadonlyArray<string> }
      assert.strictEqual(body.proofs.length, 2)
      assert.include(body.proofs, sign(credential, `${nonce}|${instance}|${endpoint.port}`))
      assert.notInclude(answer, credential)
    }).pipe(Effect.scoped)
  )
})

describe("a question", () => {
  it.live("under a grant is answered, in the version that was asked", () =>
    Effect.gen(function* () {
      const { credential, discovery } = yield* broker()
      const answer = yield* raw(discovery, question(discovery, credential))
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
      assert.include(answer, `{"version":1,"memories":[{"memory_id":"m1","content":"boat 5"}]}`)
      const second = JSON.stringify({ version: 2, query: "boat", limit: 1, session: "x" })
      assert.include(
        yield* raw(discovery, question(discovery, credential, {}, second)),
        `{"version":2,"memories":{"profile":[],"proactive":[],"normal":[{"memory_id":"m1","content":"boat 1"}]}}`
      )
    }).pipe(Effect.scoped)
  )

  it.live("gets no header that would let a page read the answer, and the connection is closed", () =>
    Effect.gen(function* () {
      const { credential, discovery } = yield* broker()
      const twice = question(discovery, credential) + question(discovery, credential)
      const answer = yield* raw(discovery, twice)
      assert.strictEqual(answer.match(/HTTP\/1\.1 /g)?.length, 1)
      assert.notMatch(answer, /access-control|set-cookie|server:|date:/i)
      assert.match(answer, /connection: close/i)
    }).pipe(Effect.scoped)
  )

  it.live("without a grant, or under one that was revoked or replaced, is refused at once", () =>
    Effect.gen(function* () {
      const { credential, discovery, store } = yield* broker()
      const status = (of: string) => Effect.map(raw(discovery, question(discovery, of)), statusOf)
      assert.strictEqual(yield* status("another"), "403")
      assert.strictEqual(yield* status(""), "401")
      assert.strictEqual(yield* status(credential), "200")
      yield* Effect.promise(() => grant(store, "hermes"))
      assert.strictEqual(yield* status(credential), "403")
      const next = readFileSync(grantFileOf(store, "hermes"), "utf8").trim()
      assert.strictEqual(yield* status(next), "200")
      yield* Effect.promise(() => revoke(store, "hermes"))
      assert.strictEqual(yield* status(next), "403")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["another host", { Host: "localhost:1" }, undefined, "421"],
    ["an origin", { Origin: "http://evil.example" }, undefined, "403"],
    ["another type", { "Content-Type": "text/plain" }, undefined, "415"],
    ["no JSON", {}, "{", "400"],
    ["no question", {}, `{"version":1}`, "400"],
    ["a question for somebody", {}, `{"version":1,"query":"x","limit":1,"session":"","user_id":"eve"}`, "400"],
    ["too much", {}, "x".repeat(16_385), "413"]
  ] as const)("with %s is refused", ([, changes, body, expected]) =>
    Effect.gen(function* () {
      const { credential, discovery } = yield* broker()
      assert.strictEqual(statusOf(yield* raw(discovery, question(discovery, credential, changes, body))), expected)
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["a chunked body", "POST /context HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "411"],
    ["a preflight", "OPTIONS /context HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n", "405"],
    ["a tunnel", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", "closed"],
    ["no HTTP", "\u0016\u0003\u0001\r\n\r\n", "closed"],
    ["a head without end", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}`, "closed"]
  ] as const)("that is %s", ([, text, expected]) =>
    Effect.gen(function* () {
      const { discovery } = yield* broker()
      const host = `127.0.0.1:${discovery.endpoint.port}`
      assert.strictEqual(statusOf(yield* raw(discovery, text.replace("HOST", host))), expected)
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be answered is 503 or 500, without a reason", () =>
    Effect.gen(function* () {
      const failing = yield* broker(() =>
        Effect.fail(new SourceFailed({ reason: "notes_refused", rule: "secret rule" }))
      )
      const dying = yield* broker(() => Effect.die(new Error("secret path")))
      for (const { credential, discovery } of [failing, dying]) {
        const answer = yield* raw(discovery, question(discovery, credential))
        assert.strictEqual(statusOf(answer), "503")
        assert.notInclude(answer, "secret")
      }
      chmodSync(failing.store, 0o777)
      const answer = yield* raw(failing.discovery, question(failing.discovery, failing.credential))
      assert.strictEqual(statusOf(answer), "500")
      mkdirSync(join(failing.at, "later"))
    }).pipe(Effect.scoped)
  )
})
