/** The provider as the demo's host calls it: one method at a time, and a look at whether anything is still under way. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Host from "../Host.ts"
import type { World } from "./World.ts"

export interface Turn {
  /** What went before the model: the ids of the memories, in order. */
  readonly handed: ReadonlyArray<string>
  /** What `recall_status` said of it. */
  readonly count: number
}

export interface Provider {
  readonly python: string
  /** The end of a turn: asks in the background, for the next one; comes back once that is answered or has failed. */
  readonly ask: (question: string) => Effect.Effect<string, Host.HostFailed>
  /** The start of a turn. */
  readonly hand: (question: string) => Effect.Effect<Turn, Host.HostFailed>
  readonly compress: Effect.Effect<void, Host.HostFailed>
  readonly search: (query: string) => Effect.Effect<string, Host.HostFailed>
}

const Report = Schema.fromJsonString(
  Schema.Struct({
    running: Schema.Number,
    last_recall: Schema.NullOr(
      Schema.Struct({ ending: Schema.Struct({ kind: Schema.String, reason: Schema.optionalKey(Schema.String) }) })
    )
  })
)
const decodeReport = Schema.decodeUnknownEffect(Report)

const idsOf = (block: string): ReadonlyArray<string> =>
  Array.from(block.matchAll(/^\d+\. \[([^\]]*)\]/gm), ([, id = ""]) => id)

const session = "demo"

export const start = Effect.fnUntraced(function* (world: World) {
  const host = yield* Host.start({
    place: world,
    launchHome: world.home,
    homes: [["demo", world.home]],
    registered: ["hy_memory"]
  })
  const context: Host.Binding = {
    home: world.home,
    override: null,
    scope_home: null,
    multiplex: false,
    delegated: false,
    cron: false,
    settings: {}
  }
  const call = (tool: string, args: Readonly<Record<string, unknown>> = {}) =>
    Effect.map(host.ask({ profile: "demo", context, hook: "provider", tool, args }), ({ answer }) => answer)

  const ending: Effect.Effect<string, Host.HostFailed> = Effect.gen(function* () {
    for (let looks = 0; looks < 1_000; looks++) {
      const { last_recall: last, running } = yield* Effect.catch(decodeReport(yield* call("report")), () =>
        Effect.fail(new Host.HostFailed({ reason: "host_failed", detail: "The sidecar gave no report." }))
      )
      if (running === 0 && last !== null) return last.ending.reason ?? last.ending.kind
      yield* Effect.sleep("10 millis")
    }
    return yield* new Host.HostFailed({ reason: "host_failed", detail: "The recall never ended." })
  })

  yield* call("initialize", { session_id: session, hermes_home: world.home, platform: "cli", agent_context: "primary" })
  yield* call("report")
  const provider: Provider = {
    python: host.python,
    ask: (question) => Effect.andThen(call("queue_prefetch", { query: question, session_id: session }), ending),
    hand: Effect.fnUntraced(function* (question) {
      const block = JSON.parse(yield* call("prefetch", { query: question, session_id: session })) as string
      const status = JSON.parse(yield* call("recall_status")) as readonly [string, number] | null
      return { handed: idsOf(block), count: status?.[1] ?? 0 }
    }),
    compress: Effect.asVoid(
      call("on_session_switch", {
        new_session_id: session,
        parent_session_id: session,
        reset: false,
        reason: "compression"
      })
    ),
    search: (query) =>
      Effect.map(
        call("handle_tool_call", { tool_name: "hy_memory_search", args: { query } }),
        (answer) => JSON.parse(answer) as string
      )
  }
  return provider
})
