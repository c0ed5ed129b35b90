/** recall-contract 1.4, clause by clause: files, identity before credential, question, answer, error map. */
import { assert, describe, it } from "@effect/vitest"
import { brokerSource } from "@memory-bridge/core/recall/Broker"
import { type SourceFailed } from "@memory-bridge/core/recall/Failure"
import type { Exchange } from "@memory-bridge/core/recall/Http"
import { identityAnswer, nonceOf } from "@memory-bridge/core/recall/Identity"
import type { Question } from "@memory-bridge/core/recall/Source"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type Answer,
  countedIds,
  type Files,
  filesLayer,
  json,
  macLayer,
  network,
  sign,
  status
} from "./given/Peers.ts"

const instance = "0123456789abcdef"
const port = 4711
const secret = "the-credential"

const discovery = (changes: object = {}): string =>
  JSON.stringify({
    version: 1,
    product: "memhub-broker",
    instance,
    pid: 7,
    started: 0,
    url: `http://127.0.0.1:${port}`,
    protocols: ["context/1", "context/2"],
    ...changes
  })

const proofBy = (credential: string, path: string, of: string = instance, at: number = port): string =>
  sign(credential, `${nonceOf(path)}|${of}|${at}`)

const memories = (...ids: ReadonlyArray<string>) => ids.map((id) => ({ memory_id: id, content: `about ${id}` }))

/** A Broker that proves itself and answers as the test says. */
const honest =
  (answer: Answer = json({ version: 2, memories: { normal: memories("a", "b") } })) =>
  ({ path }: Exchange): Answer =>
    path.startsWith("/identity") ? json(identityAnswer(instance, ["0".repeat(64), proofBy(secret, path)])) : answer

const question: Question = { query: "where is the boat?", limit: 5, session: "hint" }

const world = (answer: (exchange: Exchange, authority: string) => Answer, changes: Files = {}) => {
  const files: Files = { "/m/broker.json": discovery(), "/m/hermes.credential": `${secret}\n`, ...changes }
  const reads: Array<string> = []
  const { layer, log, open } = network(answer)
  const ask = Effect.gen(function* () {
    const source = yield* brokerSource
    const broker = yield* source({ discoveryFile: "/m/broker.json", credentialFile: "/m/hermes.credential" }, 65_536)
    return yield* broker.search(question)
  }).pipe(Effect.provide(Layer.mergeAll(layer, filesLayer(files, reads), macLayer, countedIds)))
  const found = Effect.match(ask, {
    onSuccess: (items) => items.map(({ id }) => id).join(" "),
    onFailure: ({ reason, rule }: SourceFailed) => (rule === undefined ? reason : `${reason}: ${rule}`)
  })
  return { files, reads, log, open, found, ask }
}

const sentTo = (log: ReadonlyArray<string>): string => log.join("\n")

describe("a question to a Broker", () => {
  it.effect("opens the connection that carries the credential before it asks for the proof on another", () =>
    Effect.gen(function* () {
      const { found, log, open, reads } = world(honest())
      assert.strictEqual(yield* found, "a b")
      assert.deepStrictEqual(log, [
        "#1 connect 127.0.0.1:4711",
        "#2 connect 127.0.0.1:4711",
        "#2 GET /identity?nonce=id-0001-of-a-test-run",
        "#2 closed",
        `#1 POST /context (${secret}) {"version":2,"query":"where is the boat?","limit":5,"session":"hint"}`,
        "#1 closed"
      ])
      assert.deepStrictEqual(reads, ["public /m/broker.json", "private /m/hermes.credential"])
      assert.strictEqual(open(), 0)
    })
  )

  it.effect("reads discovery and credential anew, so rotation and revocation hold at once", () =>
    Effect.gen(function* () {
      const keys = { now: secret }
      const { files, found, log } = world(({ path, ...rest }) =>
        path.startsWith("/identity")
          ? json(identityAnswer(instance, [proofBy(keys.now, path)]))
          : honest()({ path, ...rest })
      )
      assert.strictEqual(yield* found, "a b")
      keys.now = "the-next-one"
      files["/m/hermes.credential"] = "the-next-one"
      assert.strictEqual(yield* found, "a b")
      assert.include(sentTo(log), "(the-next-one)")
      delete files["/m/hermes.credential"]
      assert.strictEqual(yield* found, "credential_missing")
      delete files["/m/broker.json"]
      assert.strictEqual(yield* found, "discovery_missing")
    })
  )

  it.effect("asks in the best version that both speak", () =>
    Effect.gen(function* () {
      const answer = honest(json({ version: 1, memories: memories("a") }))
      const one = world(answer, { "/m/broker.json": discovery({ protocols: ["context/1"] }) })
      assert.strictEqual(yield* one.found, "a")
      assert.include(sentTo(one.log), `{"version":1,`)
      const none = world(answer, { "/m/broker.json": discovery({ protocols: ["context/9"] }) })
      assert.strictEqual(yield* none.found, "incompatible: protocols")
      assert.deepStrictEqual(none.log, [])
    })
  )
})

describe("no proof, no credential", () => {
  const impostors: ReadonlyArray<readonly [string, (path: string) => Answer]> = [
    ["knows nothing", () => json(identityAnswer(instance, ["0".repeat(64)]))],
    ["has no grant", () => json(identityAnswer(instance, []))],
    ["holds another credential", (path) => json(identityAnswer(instance, [proofBy("another", path)]))],
    ["signs another instance", (path) => json(identityAnswer(instance, [proofBy(secret, path, "fedcba9876543210")]))],
    ["is another instance", (path) => json(identityAnswer("fedcba9876543210", [proofBy(secret, path)]))],
    ["signs another port", (path) => json(identityAnswer(instance, [proofBy(secret, path, instance, 4712)]))],
    [
      "repeats an older proof",
      () => json(identityAnswer(instance, [proofBy(secret, "/identity?nonce=id-0000-of-a-test-run")]))
    ],
    [
      "gives half a proof",
      (path) => json({ ...identityAnswer(instance, []), proofs: [proofBy(secret, path).slice(0, 32)] })
    ],
    ["gives a member more", (path) => json({ ...identityAnswer(instance, [proofBy(secret, path)]), x: 1 })],
    [
      "gives too many proofs",
      (path) =>
        json(
          identityAnswer(
            instance,
            Array.from({ length: 33 }, () => proofBy(secret, path))
          )
        )
    ],
    ["is of another product", (path) => json({ ...identityAnswer(instance, [proofBy(secret, path)]), product: "x" })],
    [
      "answers with a page",
      (path) => json(identityAnswer(instance, [proofBy(secret, path)]), { mediaType: "text/html" })
    ],
    ["answers 401", () => status(401)],
    ["answers 404", () => status(404)],
    ["sends us elsewhere", () => status(307)]
  ]

  it.effect.each(impostors)("whoever %s", ([, answer]) =>
    Effect.gen(function* () {
      const { found, log, open } = world(({ path }) => (path.startsWith("/identity") ? answer(path) : json({})))
      assert.strictEqual(yield* found, "identity")
      assert.notInclude(sentTo(log), secret)
      assert.notInclude(sentTo(log), "POST")
      assert.strictEqual(open(), 0)
    })
  )

  it.effect("whoever does not answer as HTTP", () =>
    Effect.gen(function* () {
      const { found, log } = world(() => "not_http")
      assert.strictEqual(yield* found, "not_http")
      assert.notInclude(sentTo(log), secret)
    })
  )
})

describe("files that may not be trusted end it before anybody is asked", () => {
  it.effect.each([
    ["/m/broker.json", { fault: "link" }, "discovery_refused: link"],
    ["/m/broker.json", { fault: "foreign_owner" }, "discovery_refused: foreign_owner"],
    ["/m/broker.json", { fault: "writable_by_others" }, "discovery_refused: writable_by_others"],
    ["/m/broker.json", "{", "discovery_refused: not_json"],
    ["/m/broker.json", discovery({ url: "http://localhost:4711" }), "discovery_refused: not_loopback"],
    ["/m/hermes.credential", { fault: "readable_by_others" }, "credential_refused: readable_by_others"],
    ["/m/hermes.credential", { fault: "link" }, "credential_refused: link"],
    ["/m/hermes.credential", { fault: "not_file" }, "credential_refused: not_file"],
    ["/m/hermes.credential", "two\nlines\n", "credential_refused: wrong_form"]
  ] as const)("%s as %j", ([path, file, expected]) =>
    Effect.gen(function* () {
      const { found, log } = world(honest(), { [path]: file })
      assert.strictEqual(yield* found, expected)
      assert.deepStrictEqual(log, [])
    })
  )
})

describe("the answer", () => {
  it.effect.each([
    ["version 1", json({ version: 1, memories: memories("a") }), "a"],
    ["version 2 with a profile alone", json({ version: 2, memories: { profile: memories("p") } }), "p"],
    [
      "version 2 with all channels",
      json({ version: 2, memories: { profile: memories("p"), proactive: memories("q"), normal: memories("n", "m") } }),
      "p q n m"
    ],
    ["members nobody asked for", json({ version: 1, memories: memories("a"), trace: 5 }), "a"],
    ["nothing found", json({ version: 2, memories: {} }), ""],
    [
      "a bad item among good ones",
      json({ version: 1, memories: [...memories("a"), { memory_id: 5 }, ...memories("b")] }),
      "a b"
    ],
    [
      "more than was asked for",
      json({ version: 1, memories: memories("a", "b", "c", "d", "e", "f", "g") }),
      "a b c d e"
    ],
    ["version 3", json({ version: 3, memories: memories("a") }), "incompatible: version"],
    ["no version", json({ memories: memories("a") }), "incompatible: version"],
    ["version 1 with channels", json({ version: 1, memories: { normal: memories("a") } }), "garbled"],
    ["version 2 with a list", json({ version: 2, memories: memories("a") }), "garbled"],
    ["no memories", json({ version: 1 }), "garbled"],
    ["no JSON", json("<html>"), "garbled"],
    ["another type", json({ version: 1, memories: [] }, { mediaType: "text/plain" }), "garbled"],
    ["401", status(401), "not_granted"],
    ["403", status(403), "not_granted"],
    ["404", status(404), "incompatible"],
    ["302", status(302), "redirected"],
    ["413", status(413), "query_too_long"],
    ["429", status(429), "busy"],
    ["500", status(500), "server_error"],
    ["a broken connection", "unreachable", "unreachable"],
    ["too much", "too_large", "too_large"],
    ["a compressed one", "encoded", "encoded"]
  ] as const)("%s", ([, answer, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* world(honest(answer)).found, expected)
    })
  )

  it.effect("no failure holds the credential", () =>
    Effect.gen(function* () {
      for (const answer of [status(500), status(403), "unreachable", "encoded"] as const) {
        const failure = yield* Effect.flip(world(honest(answer)).ask)
        assert.notInclude(`${JSON.stringify(failure)} ${failure.stack} ${String(failure)}`, secret)
      }
    })
  )
})
