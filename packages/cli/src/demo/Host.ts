/**
 * The simulated host as a process: Python with the stand-ins of demo/host.py round the real plugin.
 *
 * One request at a time, each with its own deadline. At the scope's end its input is closed, so that the plugin unloads
 * and its sidecars end; whatever is left after that is killed with its process group.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { PlatformError } from "effect/PlatformError"
import { ChildProcess } from "effect/process"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Reply } from "./Check.ts"
import { type Fixture, type Profile, profiles } from "./Fixture.ts"
import { type Caller, registeredTools, type Tool } from "./Steps.ts"

/**
 * The host cannot be played here.
 *
 * - `python_missing` nothing called python3 on PATH; `python_too_old` with its version
 * - `host_failed` it ended, fell silent or answered nonsense; `detail` is the last line that it wrote
 */
export class HostFailed extends Schema.TaggedError<HostFailed>()("HostFailed", {
  reason: Schema.Literals(["python_missing", "python_too_old", "host_failed"]),
  detail: Schema.String
}) {}

export interface Host {
  readonly python: string
  readonly call: (
    caller: Caller,
    tool: Tool,
    args: Readonly<Record<string, unknown>>
  ) => Effect.Effect<Reply, HostFailed>
}

const ReplyMessage = Schema.fromJsonString(Schema.Struct({ answer: Schema.String, log: Schema.Array(Schema.String) }))
const Hello = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ python_too_old: Schema.String }),
    Schema.Struct({ python: Schema.String, tools: Schema.Array(Schema.String), log: Schema.Array(Schema.String) })
  ])
)

/** What the host binds for a call; the names are those of host.py. */
interface Binding {
  readonly home: string
  readonly override: string | null
  readonly scope_home: string | null
  readonly multiplex: boolean
  readonly delegated: boolean
  readonly cron: boolean
}

/** A turn of a gateway that serves several profiles: override and secret scope both name the profile's home. */
const routed = (home: string): Binding => ({
  home,
  override: home,
  scope_home: home,
  multiplex: true,
  delegated: false,
  cron: false
})

const bindingOf = (caller: Caller, { homeOf }: Fixture): { readonly profile: Profile; readonly context: Binding } => {
  const alpha = routed(homeOf("alpha"))
  switch (caller) {
    case "alpha":
    case "beta":
    case "gamma":
      return { profile: caller, context: routed(homeOf(caller)) }
    case "cron":
      return { profile: "alpha", context: { ...alpha, cron: true } }
    case "subagent":
      return { profile: "alpha", context: { ...alpha, delegated: true } }
    case "nobody":
      return { profile: "alpha", context: { ...alpha, override: null, scope_home: null } }
    case "conflict":
      return { profile: "alpha", context: { ...alpha, scope_home: homeOf("beta") } }
  }
}

/** The caller's environment without what would steer Python or pass for a real Hermes. */
const environment = (home: string): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(HERMES|PYTHON)/.test(name))),
  HERMES_HOME: home
})

const notStarted = (error: PlatformError): HostFailed =>
  error.reason._tag === "NotFound"
    ? new HostFailed({ reason: "python_missing", detail: "" })
    : new HostFailed({ reason: "host_failed", detail: error.reason._tag })

/** Longer than the plugin's own deadline for a call. */
const replyTime = "30 seconds"
/** For the last words of a host that has ended. */
const listenTime = "1 second"
/** For the plugin to unload, before the process group is killed. */
const unloadTime = "3 seconds"
const killTime = "2 seconds"

export const start = Effect.fnUntraced(function* (fixture: Fixture) {
  const requests = yield* Queue.make<string, Cause.Done>()
  const replies = yield* Queue.make<string, Cause.Done | PlatformError>()
  const homes = profiles.map((profile) => `${profile}=${fixture.homeOf(profile)}`)
  const python = yield* ChildProcess.make(
    "python3",
    ["-I", "-B", fixture.host, fixture.plugin, process.execPath, ...homes],
    {
      env: environment(fixture.homeOf("alpha")),
      stdin: Stream.encodeText(Stream.fromQueue(requests)),
      forceKillAfter: killTime
    }
  ).pipe(Effect.mapError(notStarted))

  let lastWords = ""
  const lines = (stream: typeof python.stdout) => stream.pipe(Stream.decodeText, Stream.splitLines)
  yield* Effect.forkScoped(Effect.ignore(Stream.runIntoQueue(lines(python.stdout), replies)))
  const listening = yield* Effect.forkScoped(
    Effect.ignore(
      Stream.runForEach(lines(python.stderr), (line) => Effect.sync(() => (lastWords = line.trim() || lastWords)))
    )
  )
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Queue.end(requests),
      Effect.ignore(Effect.timeoutOption(Effect.interruptible(python.exitCode), unloadTime))
    )
  )

  const failed = Fiber.await(listening).pipe(
    Effect.timeoutOption(listenTime),
    Effect.flatMap(() => new HostFailed({ reason: "host_failed", detail: lastWords }))
  )
  const next = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
    Queue.take(replies).pipe(
      Effect.timeout(replyTime),
      Effect.flatMap(Schema.decodeUnknownEffect(schema)),
      Effect.catch(() => failed)
    )

  const hello = yield* next(Hello)
  if ("python_too_old" in hello) {
    return yield* new HostFailed({ reason: "python_too_old", detail: hello.python_too_old })
  }
  if (hello.tools.join() !== registeredTools.join()) {
    return yield* new HostFailed({ reason: "host_failed", detail: `tools registered: ${hello.tools.join(", ")}` })
  }
  const call: Host["call"] = (caller, tool, args) =>
    Effect.andThen(
      Queue.offer(
        requests,
        JSON.stringify({ ...bindingOf(caller, fixture), tool: `memory_bridge_${tool}`, args }) + "\n"
      ),
      next(ReplyMessage)
    )
  return { python: hello.python, call } satisfies Host
})
