/** The server in this process, over whatever answers calls, asked line by line as a client asks it. */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { Catalogue } from "@memory-bridge/mcp-server/Catalogue"
import { layer } from "@memory-bridge/mcp-server/Server"
import { Exchange } from "@memory-bridge/mcp-server/wire/Exchange"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { MemoryTree } from "../../contract/MemoryTree.ts"

export interface Answer {
  readonly id: string | number | null
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface Session {
  /** The version that both speak. */
  readonly agreed: unknown
  /** The answer to a line as it is, or `undefined`. */
  readonly send: (line: string | Uint8Array) => Effect.Effect<Answer | undefined>
  /** The answer to a request with the next id. */
  readonly ask: (method: string, params?: unknown) => Effect.Effect<Answer>
}

export const initialize = (protocolVersion = "2025-11-25", capabilities: object = {}) => ({
  protocolVersion,
  capabilities,
  clientInfo: { name: "test", version: "1" }
})

/** The bridge and the list over a tree. */
export const over = (tree: MemoryTree): Layer.Layer<Bridge | Catalogue> =>
  Layer.merge(Bridge.layer, Catalogue.layerNoDeps.pipe(Layer.provide(PolicyStore.layer))).pipe(
    Layer.provide(tree.layer)
  )

const silent = Logger.layer([])

/** A session that has begun, with the version that the client offers, or that has not, with "". */
export const withSession = <A, E, R>(
  services: Layer.Layer<Bridge | Catalogue>,
  signals: unknown,
  use: (session: Session) => Effect.Effect<A, E, R>,
  context: Layer.Layer<never> = silent,
  offered = "2025-11-25"
) =>
  Effect.gen(function* () {
    const { answer } = yield* Exchange
    let last = 0
    const send: Session["send"] = (line) => {
      const bytes = typeof line === "string" ? new TextEncoder().encode(line) : line
      return Effect.map(answer({ kind: "line", bytes }), (text) =>
        text === undefined ? undefined : (JSON.parse(text) as Answer)
      )
    }
    const ask: Session["ask"] = (method, params) =>
      Effect.map(send(JSON.stringify({ jsonrpc: "2.0", id: ++last, method, params })), (given) => given!)
    const agreed = offered === "" ? undefined : (yield* ask("initialize", initialize(offered))).result
    yield* send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }))
    return yield* use({ send, ask, agreed: agreed?.["protocolVersion"] })
  }).pipe(Effect.provide(layer(signals).pipe(Layer.provide(services), Layer.provideMerge(context))))

/** What a tool call gave: its structured content. */
export const structured = ({ result }: Answer): unknown => result?.["structuredContent"]

interface Listed {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly mimeType?: string
}

export const resourcesIn = ({ result }: Answer): ReadonlyArray<Listed> =>
  (result?.["resources"] ?? []) as ReadonlyArray<Listed>

/** Every page of the list, or the first error. */
export const listAll = ({ ask }: Session) =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<Listed>> = []
    let cursor: unknown
    for (;;) {
      const page = yield* ask("resources/list", cursor === undefined ? undefined : { cursor })
      if (page.error !== undefined) return page.error
      pages.push(resourcesIn(page))
      cursor = page.result?.["nextCursor"]
      const truncated = (page.result?.["_meta"] as Record<string, unknown> | undefined)?.["memory-bridge/truncated"]
      if (cursor === undefined) return { pages, truncated: truncated === true }
    }
  })
