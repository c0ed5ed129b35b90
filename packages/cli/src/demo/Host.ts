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
import type { Place } from "./Place.ts"

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

/** What came back for one call: the text that the host would pass on, and what the plugin logged meanwhile. */
export interface Reply {
  readonly answer: string
  readonly log: ReadonlyArray<string>
}

/** What the host binds for a call; the names are those of host.py. */
export interface Binding {
  readonly home: string
  readonly override: string | null
  readonly scope_home: string | null
  readonly multiplex: boolean
  readonly delegated: boolean
  readonly cron: boolean
  /** What `ctx.get_config` knows. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** A call of one of the plugin's tools, of its hook for a call of whatever tool, or of a method of its provider. */
export interface Call {
  readonly profile: string
  readonly context: Binding
  readonly hook?: "pre_tool_call" | "provider"
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface Host {
  readonly python: string
  readonly ask: (call: Call) => Effect.Effect<Reply, HostFailed>
}

/** What is to be played. */
export interface Casting {
  readonly place: Place
  /** The home that the host was started with. */
  readonly launchHome: string
  readonly homes: ReadonlyArray<readonly [profile: string, home: string]>
  /** Tools and hooks that the plugin must register, in order of their names. */
  readonly registered: ReadonlyArray<string>
}

const ReplyMessage = Schema.fromJsonString(Schema.Struct({ answer: Schema.String, log: Schema.Array(Schema.String) }))
const Hello = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ python_too_old: Schema.String }),
    Schema.Struct({
      python: Schema.String,
      registered: Schema.Array(Schema.String),
      log: Schema.Array(Schema.String)
    })
  ])
)

/** The caller's environment without what would steer Python or recall, or pass for a real Hermes. */
const environment = (home: string): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(HERMES|HY_MEMORY|PYTHON)/.test(name))),
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

export const start = Effect.fnUntraced(function* ({ homes, launchHome, place, registered }: Casting) {
  const requests = yield* Queue.make<string, Cause.Done>()
  const replies = yield* Queue.make<string, Cause.Done | PlatformError>()
  const python = yield* ChildProcess.make(
    "python3",
    ["-I", "-B", place.host, place.plugin, process.execPath, ...homes.map(([name, home]) => `${name}=${home}`)],
    {
      env: environment(launchHome),
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
  if (hello.registered.join() !== registered.join()) {
    return yield* new HostFailed({ reason: "host_failed", detail: `registered: ${hello.registered.join(", ")}` })
  }
  const ask: Host["ask"] = (call) =>
    Effect.andThen(Queue.offer(requests, JSON.stringify(call) + "\n"), next(ReplyMessage))
  return { python: hello.python, ask } satisfies Host
})
