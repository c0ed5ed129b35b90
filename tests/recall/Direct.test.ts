/**
 * Direct recall against a server that behaves as the real one does: HTTP/1.0, one request a connection, and after its
 * SIGTERM a listener that never answers. (recall-contract 1.2, cases/recall.md 1 and 9)
 */
import { assert, describe, it } from "@effect/vitest"
import { Recall } from "@memory-bridge/core/recall/Recall"
import { nothing } from "@memory-bridge/core/recall/Recalling"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { createServer, type Socket } from "node:net"
import { emptyHome, lastEnding, placeIn, sidecar, take, turn } from "./support/Home.ts"

interface Heard {
  readonly line: string
  readonly headers: string
  readonly body: Record<string, unknown>
}

/** `stopped` as after its SIGTERM: connections succeed and nothing is ever answered. */
interface Server {
  readonly port: number
  readonly heard: Array<Heard>
  stopped: boolean
  connections: number
  memories: unknown
  added: unknown
}

const answering = (server: Server, socket: Socket): void => {
  server.connections++
  let text = ""
  socket.on("error", () => {})
  socket.on("data", (bytes) => {
    text += bytes.toString("utf8")
    const end = text.indexOf("\r\n\r\n")
    if (end < 0) return
    const head = text.slice(0, end)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    const body = text.slice(end + 4)
    if (Buffer.byteLength(body) < length || server.stopped) return
    const [line = "", ...headers] = head.split("\r\n")
    server.heard.push({ line, headers: headers.join("\n"), body: JSON.parse(body) as Heard["body"] })
    const answer = JSON.stringify(line.includes("/add") ? server.added : { memories: server.memories })
    socket.end(
      `HTTP/1.0 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nAccess-Control-Allow-Origin: *\r\n` +
        `Content-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`
    )
  })
}

const memoryServer = Effect.map(
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly server: Server; readonly close: () => void }>((resolve) => {
          const sockets = new Set<Socket>()
          const listener = createServer((socket) => {
            sockets.add(socket)
            answering(server, socket)
          })
          const server: Server & { port: number } = {
            port: 0,
            heard: [],
            stopped: false,
            connections: 0,
            memories: { profile: [], proactive: [], normal: [] },
            added: { success: true, memory_id: "m" }
          }
          listener.listen(0, "127.0.0.1", () => {
            server.port = (listener.address() as { readonly port: number }).port
            resolve({
              server,
              close: () => {
                for (const socket of sockets) socket.destroy()
                listener.close()
              }
            })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  ),
  ({ server }) => server
)

const environmentOf = ({ port }: Server, more: Readonly<Record<string, string>> = {}) => ({
  HY_MEMORY_URL: `http://127.0.0.1:${port}`,
  HY_MEMORY_USER_ID: "ana",
  HY_MEMORY_AGENT_ID: "hermes",
  HY_MEMORY_TIMEOUT: "0.5",
  ...more
})

const memory = (id: string) => ({
  memory_id: id,
  content: `about ${id} <b>`,
  score: 0.5,
  layer: "l2_fact",
  user_id: "ana"
})

describe("a memory server", () => {
  it.live("is asked for the operator's user, and its memories are handed over once", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      const server = yield* memoryServer
      const place = placeIn(home, "s1", { environment: environmentOf(server, { HY_MEMORY_API_KEY: "the-key" }) })
      server.memories = { profile: [memory("p")], proactive: [], normal: [memory("n1"), memory("n2")] }
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(place, "Über das Boot?"), "p n1 n2")
        server.memories = { profile: [memory("p")], proactive: [], normal: [memory("n3")] }
        assert.strictEqual(yield* turn(place, "und jetzt, das Boot?"), "n3")
      }).pipe(Effect.provide(sidecar))
      const [first] = server.heard
      assert.strictEqual(first?.line, "POST /api/v1/search HTTP/1.1")
      assert.deepStrictEqual(first?.body, {
        query: "Über das Boot?",
        user_ids: ["ana"],
        agent_ids: ["hermes"],
        limit: 5
      })
      assert.match(first?.headers ?? "", /^Authorization: Bearer the-key$/m)
      assert.notMatch(first?.headers ?? "", /^transfer-encoding/im)
    }).pipe(Effect.scoped)
  )

  it.live("is not connected to before somebody asks", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      const server = yield* memoryServer
      const place = placeIn(home, "s1", { environment: environmentOf(server) })
      yield* Effect.gen(function* () {
        const recall = yield* Recall
        const { mode } = yield* recall.status(place.profile)
        assert.strictEqual(mode, "direct")
        yield* take(place)
      }).pipe(Effect.provide(sidecar))
      assert.strictEqual(server.connections, 0)
    }).pipe(Effect.scoped)
  )

  it.live("that was stopped costs no turn anything, and is left alone after three questions", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      const server = yield* memoryServer
      server.stopped = true
      const place = placeIn(home, "s1", { environment: environmentOf(server, { HY_MEMORY_TIMEOUT: "0.1" }) })
      yield* Effect.gen(function* () {
        const recall = yield* Recall
        for (let count = 0; count < 4; count++) {
          const started = performance.now()
          const asked = yield* Effect.forkChild(recall.queue(place, "where is the boat?"))
          assert.deepStrictEqual(yield* take(place), nothing)
          assert.isBelow(performance.now() - started, 50)
          assert.deepStrictEqual(yield* Fiber.join(asked), nothing)
        }
        assert.strictEqual(yield* lastEnding(place), "resting")
        const started = performance.now()
        assert.isFalse((yield* recall.search(place, { query: "boat" })).ok)
        assert.isBelow(performance.now() - started, 50)
      }).pipe(Effect.provide(sidecar))
    }).pipe(Effect.scoped)
  )

  it.live("stores what the user wrote where that is opted in to, and what the agent asks it to", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      const server = yield* memoryServer
      const place = placeIn(home, "s1", { environment: environmentOf(server, { HY_MEMORY_AUTO_CAPTURE: "true" }) })
      server.memories = [memory("m1")]
      yield* Effect.gen(function* () {
        const recall = yield* Recall
        yield* recall.queue(place, "where is the boat?")
        const { block } = yield* take(place)
        yield* recall.capture(place, `My boat is Ada.\n\n<memory-context>\n${block}\n</memory-context>`)
        yield* recall.queue(place, "where is the boat?")
        assert.deepStrictEqual(yield* recall.add(place, { text: "The shed is green." }), {
          ok: true,
          stored: true,
          searchable: true
        })
        server.added = { success: false, error_message: "the shed" }
        assert.deepInclude(yield* recall.add(place, { text: "The shed is blue." }), { ok: false })
      }).pipe(Effect.provide(sidecar))
      const lines = server.heard.map(({ body, line }) => `${line.split(" ")[1]} ${JSON.stringify(body["data"] ?? "")}`)
      assert.deepStrictEqual(lines, [
        `/api/v1/search ""`,
        `/api/v1/add [{"role":"user","content":"My boat is Ada."}]`,
        // The recall that follows waits for its own session's text.
        `/api/v1/search ""`,
        `/api/v1/add "The shed is green."`,
        `/api/v1/add "The shed is blue."`
      ])
    }).pipe(Effect.scoped)
  )
})
