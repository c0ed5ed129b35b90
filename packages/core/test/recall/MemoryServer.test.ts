/** recall-contract 1.2: what the real server's builds send, a 200 that failed included. */
import { assert, describe, it } from "@effect/vitest"
import { SourceFailed } from "@memory-bridge/core/recall/Failure"
import { memoryServer } from "@memory-bridge/core/recall/MemoryServer"
import { serverSettingsOf, settingsOf } from "@memory-bridge/core/recall/Settings"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Answer, json, network, status } from "./given/Peers.ts"

const environment = {
  HY_MEMORY_USER_ID: "ana",
  HY_MEMORY_AGENT_ID: "hermes",
  HY_MEMORY_URL: "https://memory.example.com",
  HY_MEMORY_CA_FILE: "/etc/ca.pem",
  HY_MEMORY_API_KEY: "the-key"
}
const settings = Result.getOrThrow(
  Result.flatMap(settingsOf(environment), (common) => serverSettingsOf(environment, common))
)

const world = (answer: Answer) => {
  const { layer, log } = network(() => answer)
  const source = Effect.map(memoryServer, (server) => server(settings, 65_536))
  const search = source.pipe(
    Effect.flatMap((server) => server.search({ query: "boat", limit: 3, session: "hint" })),
    Effect.match({
      onSuccess: (items) => items.map(({ content, id }) => `${id}=${content}`).join(" "),
      onFailure: ({ reason }) => reason
    }),
    Effect.provide(layer)
  )
  const add = (text: string, who: "turn" | "request") =>
    source.pipe(
      Effect.flatMap((server) => server.add?.(text, "s1", who) ?? Effect.fail(new SourceFailed({ reason: "defect" }))),
      Effect.match({
        onSuccess: ({ searchable }) => (searchable ? "searchable" : "stored"),
        onFailure: ({ reason }) => reason
      }),
      Effect.provide(layer)
    )
  return { log, search, add }
}

const item = { memory_id: "a", content: "x", score: 0.9, layer: "l2_fact", evolution_chain: [{ content: "old" }] }

describe("a search", () => {
  it.effect("names the operator's user and agent, with the key, under the operator's CA alone", () =>
    Effect.gen(function* () {
      const { log, search } = world(json({ memories: [] }))
      assert.strictEqual(yield* search, "")
      assert.deepStrictEqual(log.slice(0, 2), [
        "#1 connect memory.example.com /etc/ca.pem",
        `#1 POST /api/v1/search (the-key) {"query":"boat","user_ids":["ana"],"agent_ids":["hermes"],"limit":3}`
      ])
    })
  )

  it.effect.each([
    [
      "channels",
      json({ memories: { profile: [{ ...item, memory_id: "p" }], proactive: [], normal: [item] } }),
      "p=x a=x"
    ],
    ["a flat list", json({ memories: [item] }), "a=x"],
    ["channels at the top", json({ profile: [], normal: [item], took: 3 }), "a=x"],
    ["the older names", json({ memories: [{ id: "a", memory: "x" }] }), "a=x"],
    ["nothing", json({ memories: {} }), ""],
    ["a failure in a 200", json({ success: false, error: "boat secret" }), "server_refused"],
    ["another form", json({ result: [item] }), "garbled"],
    ["no memories and no channels", json({ memories: 5 }), "garbled"],
    ["400, as to a request without query", status(400), "rejected"],
    ["401 of the gateway", status(401), "not_granted"],
    ["500 with a message of its own", json({ error: "Traceback" }, { status: 500 }), "server_error"],
    ["503, its loop blocked", status(503), "server_error"],
    ["a redirect", status(302), "redirected"]
  ] as const)("%s", ([, answer, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* world(answer).search, expected)
    })
  )
})

describe("an add", () => {
  it.effect("sends a turn as the user's message and a request as text", () =>
    Effect.gen(function* () {
      const { add, log } = world(json({ success: true, memory_id: "m" }))
      assert.strictEqual(yield* add("My boat.", "turn"), "searchable")
      assert.strictEqual(yield* add("My boat.", "request"), "searchable")
      const bodies = log.filter((line) => line.includes("POST")).map((line) => line.slice(line.indexOf("{")))
      const ids = `"user_id":"ana","agent_id":"hermes","session_id":"s1"`
      assert.deepStrictEqual(bodies, [
        `{"data":[{"role":"user","content":"My boat."}],${ids}}`,
        `{"data":"My boat.",${ids}}`
      ])
    })
  )

  it.effect.each([
    [json({ success: true }), "searchable"],
    [json({ success: true, searchable: false }), "stored"],
    [json({ success: true, partial_success: true }), "stored"],
    [json({ success: false, error_message: "x" }), "server_refused"],
    [json({ memory_id: "m" }), "server_refused"],
    [json({ success: "true" }), "server_refused"],
    [status(500), "server_error"],
    [status(413), "query_too_long"]
  ] as const)("reads what a 200 says: %j", ([answer, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* world(answer).add("x", "request"), expected)
    })
  )
})
