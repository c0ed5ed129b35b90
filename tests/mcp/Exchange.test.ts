/** The conversation, line by line and in one process: methods, ids, cancellation, pages, protocol versions. */
import { assert, describe, it } from "@effect/vitest"
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { unavailable } from "@memory-bridge/core/host/PublicAnswer"
import { Catalogue } from "@memory-bridge/mcp-server/Catalogue"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { dir, file } from "../contract/Drawing.ts"
import { type MemoryTree, memoryTree } from "../contract/MemoryTree.ts"
import { signals } from "../property/Worlds.ts"
import { initialize, listAll, over, resourcesIn, type Session, structured, withSession } from "./given/InProcess.ts"

const policyText = (changes: object = {}) =>
  JSON.stringify({ version: 1, root: "/v", allow: ["**"], deny: ["private/**"], ...changes })

const treeWith = (notes: Parameters<typeof dir>[0], changes: object = {}): MemoryTree =>
  memoryTree({
    h: { "plugin-data": { "memory-bridge": { "policy.json": policyText(changes) } } },
    v: notes
  })

const inSession = <A, E, R>(tree: MemoryTree, use: (session: Session) => Effect.Effect<A, E, R>) =>
  withSession(over(tree), signals, use)

const garden = treeWith({
  "a.md": "# Garden\n\nblue",
  "odd name.md": "blue",
  private: { "s.md": "blue" },
  "shared.md": file("blue", { mode: 0o666 })
})

const notFound = {
  ok: false,
  error: { code: "not_found_or_denied", message: "The document does not exist or may not be read." }
}

describe("what is not served", () => {
  it.effect.each([
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "tasks/list",
    "rpc.discover",
    "@effect/rpc/Ping",
    "constructor",
    "notifications/cancelled",
    ""
  ])("%j is an unknown method", (method) =>
    inSession(garden, ({ ask }) =>
      Effect.map(ask(method, {}), ({ error }) =>
        assert.deepStrictEqual(error, { code: -32601, message: "Method not found" })
      )
    )
  )

  it.effect("is not announced either", () =>
    inSession(garden, ({ ask }) =>
      Effect.gen(function* () {
        const { result } = yield* ask("initialize", initialize())
        assert.deepStrictEqual(result?.["capabilities"], { tools: {}, resources: {} })
      })
    )
  )

  it.effect("an unknown tool is a protocol error", () =>
    inSession(garden, ({ ask }) =>
      Effect.gen(function* () {
        for (const name of ["memory_bridge_write", "__proto__", "constructor", ""]) {
          const { error } = yield* ask("tools/call", { name, arguments: {} })
          assert.strictEqual(error?.code, -32602, name)
        }
      })
    )
  )
})

describe("a malformed request is a protocol error", () => {
  it.effect.each([
    ["tools/call", undefined],
    ["tools/call", { arguments: { query: "x" } }],
    ["tools/call", { name: 7 }],
    ["tools/call", { name: "memory_bridge_search", arguments: "garden" }],
    ["tools/call", { name: "memory_bridge_search", arguments: ["garden"] }],
    ["resources/read", {}],
    ["resources/read", { uri: 7 }],
    ["resources/list", { cursor: 7 }]
  ] as const)("%s with %j", ([method, params]) =>
    inSession(garden, ({ ask }) =>
      Effect.map(ask(method, params), ({ error }) => assert.strictEqual(error?.code, -32602))
    )
  )

  it.effect("where nothing has begun, and where the version is none", () =>
    withSession(
      over(garden),
      signals,
      ({ ask }) =>
        Effect.gen(function* () {
          const _meta = { "io.modelcontextprotocol/protocolVersion": "1999-01-01" }
          assert.strictEqual((yield* ask("tools/list", { _meta })).error?.code, -32022)
          const early = yield* ask("tools/call", { name: "memory_bridge_read", arguments: { id: "a.md" } })
          assert.isUndefined(early.result)
          assert.strictEqual(early.error?.code, -32603)
          assert.deepStrictEqual((yield* ask("ping")).result, {})
        }),
      undefined,
      ""
    )
  )
})

describe("arguments", () => {
  it.effect.each([
    {},
    { query: "" },
    { query: 7 },
    { query: "x", limit: 0 },
    { query: "x", limit: 11 },
    { query: "x", limit: "1" },
    { query: "x", limit: null },
    { query: "x".repeat(257) },
    { query: "x", root: "/etc" },
    { query: "x", profile: "/other" },
    { query: "x", signals: { get_hermes_home: { state: "value", value: "/other" } } }
  ])("%j are refused in the words of the core, with a hint", (args) =>
    inSession(garden, ({ ask }) =>
      Effect.gen(function* () {
        const answer = yield* ask("tools/call", { name: "memory_bridge_search", arguments: args })
        const given = structured(answer) as { readonly error: unknown; readonly hint: unknown }
        assert.deepStrictEqual(given.error, { code: "invalid_request", message: "The request is not valid." })
        assert.isString(given.hint)
        assert.isTrue(answer.result?.["isError"])
      })
    )
  )

  it.effect("cannot come in by way of a prototype", () =>
    inSession(garden, ({ send }) =>
      Effect.gen(function* () {
        const answer = yield* send(
          `{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"memory_bridge_search","arguments":{"__proto__":{"query":"blue"}}}}`
        )
        assert.deepInclude(structured(answer!) as object, { ok: false })
      })
    )
  )

  it.effect.each(["private/s.md", "missing.md", "shared.md", "odd name.md", "a.md/", "A.MD", "private/../a.md"])(
    "one answer for what is denied, untrusted or missing: %j",
    (id) =>
      inSession(garden, ({ ask }) =>
        Effect.gen(function* () {
          const tool = yield* ask("tools/call", { name: "memory_bridge_read", arguments: { id } })
          const invalid = id.includes("..") || id.endsWith("/")
          const given = structured(tool) as { readonly error: { readonly code: string } }
          if (invalid) assert.strictEqual(given.error.code, "invalid_request")
          else assert.deepStrictEqual(given, notFound as never)
          const uri = `memory-bridge://note/${encodeURIComponent(id)}`
          const { error } = yield* ask("resources/read", { uri })
          assert.deepStrictEqual(error, {
            code: invalid ? -32602 : -32002,
            message: invalid ? "The request is not valid." : notFound.error.message,
            data: given
          })
        })
      )
  )
})

/** A bridge whose searches wait until they are let go. */
const waitingBridge = Effect.gen(function* () {
  const started: Array<string> = []
  const interrupted: Array<string> = []
  const gate = yield* Deferred.make<void>()
  const call = (_: unknown, args: unknown) => {
    const { query } = args as { readonly query: string }
    return Effect.suspend(() => {
      started.push(query)
      return Effect.as(Deferred.await(gate), unavailable)
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => void interrupted.push(query))))
  }
  const services = Layer.merge(
    Layer.succeed(Bridge, Bridge.of({ search: call, read: call })),
    Layer.succeed(Catalogue, Catalogue.of({ list: () => Effect.succeed(unavailable) }))
  )
  return { started, interrupted, gate, services }
})

const searchLine = (id: string | number, query: string) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "memory_bridge_search", arguments: { query } }
  })

const cancelLine = (requestId: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason: "enough" } })

const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

describe("several calls", () => {
  it.effect("do not keep others from being answered", () =>
    Effect.gen(function* () {
      const { gate, services } = yield* waitingBridge
      yield* withSession(services, signals, ({ ask, send }) =>
        Effect.gen(function* () {
          const one = yield* Effect.forkChild(send(searchLine("one", "one")), { startImmediately: true })
          const two = yield* Effect.forkChild(send(searchLine("two", "two")), { startImmediately: true })
          yield* settle
          assert.deepStrictEqual((yield* ask("ping")).result, {})
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual((yield* Fiber.join(one))?.id, "one")
          assert.strictEqual((yield* Fiber.join(two))?.id, "two")
        })
      )
    })
  )

  it.effect("may not share an id while both are under way; a number and a text are two", () =>
    Effect.gen(function* () {
      const { gate, services } = yield* waitingBridge
      yield* withSession(services, signals, ({ send }) =>
        Effect.gen(function* () {
          const one = yield* Effect.forkChild(send(searchLine(70, "one")), { startImmediately: true })
          const other = yield* Effect.forkChild(send(searchLine("70", "other")), { startImmediately: true })
          assert.strictEqual((yield* send(searchLine(70, "again")))?.error?.code, -32600)
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual((yield* Fiber.join(one))?.id, 70)
          assert.strictEqual((yield* Fiber.join(other))?.id, "70")
          assert.isDefined((yield* send(searchLine(70, "later")))?.result)
        })
      )
    })
  )
})

describe("a cancelled call", () => {
  it.effect("is interrupted where it stands, has no answer, and the next one runs", () =>
    Effect.gen(function* () {
      const { gate, interrupted, services, started } = yield* waitingBridge
      yield* withSession(services, signals, ({ send }) =>
        Effect.gen(function* () {
          const one = yield* Effect.forkChild(send(searchLine(70, "one")), { startImmediately: true })
          const two = yield* Effect.forkChild(send(searchLine(71, "two")), { startImmediately: true })
          yield* settle
          assert.isUndefined(yield* send(cancelLine(70)))
          assert.isUndefined(yield* Fiber.join(one))
          yield* settle
          assert.deepStrictEqual(interrupted, ["one"])
          assert.deepStrictEqual(started, ["one", "two"])
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual((yield* Fiber.join(two))?.id, 71)
        })
      )
    })
  )

  it.effect.each([undefined, null, 4711, "70", {}, [70]])("is not one that another id names: %j", (requestId) =>
    Effect.gen(function* () {
      const { gate, services } = yield* waitingBridge
      yield* withSession(services, signals, ({ send }) =>
        Effect.gen(function* () {
          const one = yield* Effect.forkChild(send(searchLine(70, "one")), { startImmediately: true })
          yield* settle
          assert.isUndefined(yield* send(cancelLine(requestId)))
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual((yield* Fiber.join(one))?.id, 70)
        })
      )
    })
  )
})

const numbered = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`n${String(index).padStart(4, "0")}.md`, `# Note ${index}`])
  )

describe("the list", () => {
  it.effect("comes in pages of 100, in one order, each note once", () =>
    inSession(treeWith({ a: numbered(120), "a.md": "x", b: dir(numbered(30)), "z.md": "x" }), (session) =>
      Effect.gen(function* () {
        const list = yield* listAll(session)
        assert.isTrue("pages" in list)
        if (!("pages" in list)) return
        assert.deepStrictEqual(
          list.pages.map((page) => page.length),
          [100, 52]
        )
        const names = list.pages.flat().map(({ name }) => name)
        assert.strictEqual(names[0], "a/n0000.md")
        assert.strictEqual(names[120], "a.md")
        assert.strictEqual(names.at(-1), "z.md")
        assert.strictEqual(new Set(names).size, 152)
        assert.isFalse(list.truncated)
        assert.deepInclude(list.pages[0]![3], {
          uri: "memory-bridge://note/a%2Fn0003.md",
          title: "Note 3",
          mimeType: "text/markdown"
        })
      })
    )
  )

  it.effect("goes on after a note that has gone, or been denied, between two pages", () => {
    const tree = treeWith(numbered(150))
    return inSession(tree, ({ ask }) =>
      Effect.gen(function* () {
        const first = yield* ask("resources/list")
        const cursor = first.result?.["nextCursor"]
        tree.put("/h/plugin-data/memory-bridge/policy.json", policyText({ deny: ["n009*.md", "n012*.md"] }))
        const rest = resourcesIn(yield* ask("resources/list", { cursor })).map(({ name }) => name)
        assert.strictEqual(rest[0], "n0100.md")
        assert.strictEqual(rest.length, 40)
        assert.notInclude(rest, "n0120.md")
      })
    )
  })

  it.effect("says so where a limit cuts it short", () =>
    inSession(treeWith(numbered(20), { limits: { max_entries: 5 } }), (session) =>
      Effect.gen(function* () {
        const list = yield* listAll(session)
        assert.deepStrictEqual("pages" in list && [list.pages.flat().length, list.truncated], [5, true])
      })
    )
  )

  it.effect.each(["", "!", "YQ==", "YQ", "Li4vYQ", "L2V0Yw", "x".repeat(2000)])(
    "refuses or outlives the cursor %j",
    (cursor) =>
      inSession(garden, ({ ask }) =>
        Effect.gen(function* () {
          const answer = yield* ask("resources/list", { cursor })
          // "YQ" is the place after "a", which is a place.
          if (cursor === "YQ")
            assert.deepStrictEqual(
              resourcesIn(answer).map(({ name }) => name),
              ["a.md"]
            )
          else assert.strictEqual(answer.error?.code, -32602)
        })
      )
  )
})

describe("protocol versions", () => {
  it.effect.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["2024-10-07", "2025-11-25"],
    ["2099-01-01", "2025-11-25"]
  ] as const)("a client that offers %s gets %s, and the same answers", ([offered, agreed]) =>
    withSession(
      over(garden),
      signals,
      ({ ask, ...session }) =>
        Effect.gen(function* () {
          assert.strictEqual(session.agreed, agreed)
          const found = yield* ask("tools/call", { name: "memory_bridge_search", arguments: { query: "blue" } })
          const [{ text }] = found.result!["content"] as [{ readonly text: string }]
          assert.deepInclude(JSON.parse(text), { ok: true, truncated: false })
          // Structured content came with 2025-06-18.
          if (agreed >= "2025-06-18") assert.deepStrictEqual(structured(found), JSON.parse(text))
          assert.strictEqual(resourcesIn(yield* ask("resources/list"))[0]?.name, "a.md")
          assert.isDefined((yield* ask("resources/read", { uri: "memory-bridge://note/a.md" })).result)
          assert.strictEqual((yield* ask("resources/read", { uri: "memory-bridge://note/b.md" })).error?.code, -32002)
        }),
      undefined,
      offered
    )
  )

  const modern = {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
    }
  }

  it.effect("2026-07-28 needs no beginning: discovery, tools, pages, a note, and what is not there", () =>
    withSession(over(treeWith(numbered(101))), signals, ({ ask }) =>
      Effect.gen(function* () {
        const discovered = yield* ask("server/discover", modern)
        assert.deepStrictEqual(discovered.result?.["capabilities"], { tools: {}, resources: {} })
        const { result } = yield* ask("tools/list", modern)
        assert.strictEqual((result!["tools"] as ReadonlyArray<unknown>).length, 2)
        const first = yield* ask("resources/list", modern)
        assert.strictEqual(resourcesIn(first).length, 100)
        const rest = yield* ask("resources/list", { ...modern, cursor: first.result?.["nextCursor"] })
        assert.deepStrictEqual(
          resourcesIn(rest).map(({ name }) => name),
          ["n0100.md"]
        )
        const found = yield* ask("tools/call", {
          ...modern,
          name: "memory_bridge_read",
          arguments: { id: "n0007.md" }
        })
        assert.deepStrictEqual(structured(found), { ok: true, id: "n0007.md", content: "# Note 7", truncated: false })
        const missing = yield* ask("resources/read", { ...modern, uri: "memory-bridge://note/b.md" })
        assert.deepStrictEqual(missing.error, { code: -32602, message: notFound.error.message, data: notFound })
        assert.strictEqual((yield* ask("subscriptions/listen", modern)).error?.code, -32601)
      })
    )
  )
})
