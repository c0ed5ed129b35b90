/**
 * Effect's dated MCP protocols, with the resources taken over. (issue 7 item 5)
 *
 * `McpServer` keeps resources as a fixed list that is sent whole. Which notes are permitted changes with the policy, and
 * there may be thousands, so every call has to decide anew and a list has to come in pages. An adapter installs its
 * handlers over a core that it is given, both public, so that is where another list and another read are put. The
 * capabilities are corrected in the same place: the library announces log levels, completions and subscriptions always.
 *
 * All that depends on the shape of the library's unstable modules is in this file and in `wire/Exchange.ts`.
 */
import * as McpProtocol from "effect/ai/McpProtocol"
import type * as McpSchema from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** One page of the list. */
export interface Page {
  readonly resources: ReadonlyArray<McpSchema.Resource>
  readonly nextCursor?: string
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** The program behind `resources/*`. */
export interface Resources {
  readonly page: (cursor: string | undefined) => Effect.Effect<Page, McpSchema.McpErrorBase>
  readonly templates: ReadonlyArray<McpSchema.ResourceTemplate>
  readonly read: (uri: string, version: string) => Effect.Effect<McpSchema.ReadResourceResult, McpSchema.McpErrorBase>
}

/** What the handler of `resources/list` hands to the list that it calls. */
const AskedPage = Context.Reference<Result.Result<Page, McpSchema.McpErrorBase>>(
  "@memory-bridge/mcp-server/Adapters/AskedPage",
  { defaultValue: () => Result.succeed({ resources: [] }) }
)

interface Invocation {
  readonly protocol: { readonly protocolVersion: string }
}
type Handler = (payload: unknown, options: unknown) => Effect.Effect<unknown, unknown, unknown>
type Handlers = Readonly<Record<string, Handler>>
interface Target {
  readonly install: (protocol: unknown, rpcs: unknown, handlers: Handlers) => Effect.Effect<void, never, unknown>
}

const cursorIn = (payload: unknown): string | undefined =>
  (payload as { readonly cursor?: string } | null | undefined)?.cursor

const withPages =
  (handler: Handler, page: Resources["page"]): Handler =>
  (payload, options) =>
    Effect.gen(function* () {
      const asked = yield* Effect.result(page(cursorIn(payload)))
      const listed = yield* Effect.provideService(handler(payload, options), AskedPage, asked)
      if (Result.isFailure(asked)) return listed
      const { _meta, nextCursor } = asked.success
      const before = (listed as { readonly _meta?: Readonly<Record<string, unknown>> })._meta
      return {
        ...(listed as object),
        ...(nextCursor === undefined ? {} : { nextCursor }),
        ...(_meta === undefined ? {} : { _meta: { ...before, ..._meta } })
      }
    })

const capabilities = { tools: {}, resources: {} }

const withCapabilities =
  (handler: Handler): Handler =>
  (payload, options) =>
    Effect.map(handler(payload, options), (result) => ({ ...(result as object), capabilities }))

const replaced = (handlers: Handlers, resources: Resources): Handlers => {
  const made: Record<string, Handler> = { ...handlers }
  for (const name of ["initialize", "server/discover"]) {
    const handler = handlers[name]
    if (handler !== undefined) made[name] = withCapabilities(handler)
  }
  const list = handlers["resources/list"]
  if (list !== undefined) made["resources/list"] = withPages(list, resources.page)
  return made
}

const resourcesOf = (asked: Result.Result<Page, McpSchema.McpErrorBase>) =>
  Effect.fromResult(Result.map(asked, ({ resources }) => resources))

const adapted = <A extends McpProtocol.ProtocolAdapter>(adapter: A, resources: Resources): A => ({
  ...adapter,
  installHandlers: (core: object, lifecycle: unknown, target: Target) =>
    adapter.installHandlers(
      {
        ...core,
        resources: {
          list: () => Effect.flatMap(AskedPage, resourcesOf),
          listTemplates: () => Effect.succeed(resources.templates),
          read: (uri: string, { protocol }: Invocation) => resources.read(uri, protocol.protocolVersion)
        }
      },
      lifecycle,
      {
        ...target,
        install: (protocol: unknown, rpcs: unknown, handlers: Handlers) =>
          target.install(protocol, rpcs, replaced(handlers, resources))
      }
    )
})

/** Newest first: the first stateful one is what a client with an unknown version is offered. */
export const adaptersFor = (resources: Resources) =>
  [
    adapted(McpProtocol.v2025_11_25, resources),
    adapted(McpProtocol.v2025_06_18, resources),
    adapted(McpProtocol.v2025_03_26, resources),
    adapted(McpProtocol.v2024_11_05, resources),
    adapted(McpProtocol.v2026_07_28, resources)
  ] as const
