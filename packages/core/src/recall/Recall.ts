/**
 * Recall as a host's side sees it: queue a question, take what is warm, search, add, capture, tell what happened to a
 * session, ask for the status. (seed 003, issue 4, recall-contract part 2)
 *
 * Only `search`, `add` and `fresh` wait for a source, each for a bounded time; everything else comes back at once and
 * the network is behind it, in background fibers that end with the layer. Nothing here fails: a recall that cannot be
 * had is an empty one, with its reason in the status and, when it changes, in the log.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { makeAsking } from "./Asking.ts"
import { SourceFailed } from "./Failure.ts"
import { makeKeepers } from "./Keeper.ts"
import { Mac } from "./Mac.ts"
import { type Place, placeKey, type Profile } from "./Profile.ts"
import { boundedQuery, isTrivial } from "./Query.ts"
import { makeRecalling, nothing, type Taken } from "./Recalling.ts"
import { isServing, RecallSource } from "./RecallSource.ts"
import { modeStatus, type RecallStatus, unknownMode } from "./Report.ts"
import { makeReporter } from "./Reporter.ts"
import { makeSeats } from "./Seats.ts"
import { consequencesOf, type SessionEvent } from "./SessionEvent.ts"
import { type Settings, settingsOf } from "./Settings.ts"
import { failedAnswer, foundAnswer, searchArguments, type ToolAnswer, toolError } from "./ToolAnswer.ts"
import { makeWriting } from "./Writing.ts"

/** How long a turn may wait for what belongs to its own question. */
export const freshMillis = 1_500

const settingsFor = ({ profile }: Place): Settings | undefined => Result.getOrUndefined(settingsOf(profile.environment))

/** The settings of a turn that is handed something. */
const wanted = (place: Place, query: string): Settings | undefined => {
  const settings = isTrivial(query) ? undefined : settingsFor(place)
  return settings?.autoRecall === true ? settings : undefined
}

const keyOf = ({ profile, session }: Place): string => placeKey(profile.home, session)

const overloaded = new SourceFailed({ reason: "overloaded" })

export class Recall extends Context.Service<
  Recall,
  {
    /** Starts the recall for what the user just wrote. False where it asks nothing or too much is under way. */
    readonly queue: (place: Place, query: string) => Effect.Effect<boolean>
    /** What is warm for the session and new to it, at once, whatever the query. Blank and trivial ones use nothing up. */
    readonly take: (place: Place, query: string) => Effect.Effect<Taken>
    /** Where `HY_MEMORY_FRESH` is set: what belongs to this very query, within 1.5 s. Where it is not: as `take`. */
    readonly fresh: (place: Place, query: string) => Effect.Effect<Taken>
    /** The search tool. `args` as the model wrote them. Waits for the source. */
    readonly search: (place: Place, args: unknown) => Effect.Effect<ToolAnswer>
    /** The add tool of direct mode. `args` as the model wrote them. Waits for the source. */
    readonly add: (place: Place, args: unknown) => Effect.Effect<ToolAnswer>
    /** What the user wrote in a turn that is over. Stored in direct mode where it is opted in to. */
    readonly capture: (place: Place, text: string) => Effect.Effect<void>
    readonly event: (place: Place, event: SessionEvent) => Effect.Effect<void>
    /** Reads files, asks nobody. */
    readonly status: (profile: Profile) => Effect.Effect<RecallStatus>
  }
>()("@memory-bridge/core/recall/Recall") {
  /** Needs `RecallSource`, `SeenStore`, `Mac` and `FreshId`. */
  static readonly layerNoDeps = Layer.effect(
    Recall,
    Effect.gen(function* () {
      const mac = yield* Mac
      const asking = yield* makeAsking
      const keepers = yield* makeKeepers
      const seats = yield* makeSeats
      const reporter = makeReporter()
      const writing = yield* makeWriting(asking, reporter.written)
      const recalling = makeRecalling({ mac, asking, keepers, writing, report: reporter.recalled })

      const queue = (place: Place, query: string) =>
        // With settings that are wrong too, so that the reason is found and told.
        isTrivial(query) || settingsFor(place)?.autoRecall === false
          ? Effect.succeed(false)
          : Effect.tap(
              Effect.suspend(() => seats.take(keyOf(place), recalling.job(place, boundedQuery(query)))),
              (started) => (started ? Effect.void : reporter.failed(place.profile.home, overloaded))
            )

      const take = (place: Place, query: string): Effect.Effect<Taken> => {
        const settings = wanted(place, query)
        return settings === undefined ? Effect.succeed(nothing) : recalling.handOver(place, settings)
      }

      const fresh = (place: Place, query: string): Effect.Effect<Taken> => {
        const settings = wanted(place, query)
        if (settings?.fresh !== true) return take(place, query)
        const asked = boundedQuery(query)
        return seats
          .now(keyOf(place), recalling.job(place, asked))
          .pipe(Effect.timeoutOption(freshMillis), Effect.andThen(recalling.handOver(place, settings, asked)))
      }

      const searchNow = Effect.fnUntraced(function* (
        place: Place,
        args: unknown
      ): Effect.fn.Return<ToolAnswer, SourceFailed> {
        const mode = yield* asking.mode(place.profile)
        if (!isServing(mode)) return toolError("unavailable")
        const asked = searchArguments(args, mode.settings)
        if (Result.isFailure(asked)) return asked.failure
        const { limit, query } = asked.success
        return foundAnswer(yield* recalling.find(place, mode, query, limit), mode.settings)
      })

      const search = (place: Place, args: unknown): Effect.Effect<ToolAnswer> =>
        searchNow(place, args).pipe(
          Effect.tapError((failure) => reporter.failed(place.profile.home, failure)),
          Effect.catch((failure) => Effect.succeed(failedAnswer(failure, "read")))
        )

      const event = Effect.fnUntraced(function* (place: Place, happened: SessionEvent) {
        if (happened.kind === "not_injected") return yield* recalling.takeBack(place)
        const { home } = place.profile
        const { changes, cool, stop } = consequencesOf(place.session, happened)
        for (const session of stop) yield* seats.stop(placeKey(home, session))
        for (const session of cool) recalling.cool(placeKey(home, session))
        for (const change of changes) yield* keepers.of(home).change(change)
      })

      const status = Effect.fnUntraced(function* (profile: Profile): Effect.fn.Return<RecallStatus> {
        const mode = yield* Effect.match(asking.mode(profile), {
          onSuccess: modeStatus,
          onFailure: unknownMode
        })
        const now = yield* Clock.currentTimeMillis
        return {
          ...mode,
          ...reporter.last(profile.home),
          seen: keepers.of(profile.home).kept(),
          resting_millis: asking.resting(profile.home, now),
          waiting_results: recalling.waiting(),
          running: seats.size()
        }
      })

      return Recall.of({
        queue,
        take,
        fresh,
        search,
        add: writing.add,
        capture: writing.capture,
        event,
        status
      })
    })
  )

  /** Needs `TrustedFiles`, `Http`, `Mac`, `FreshId`, `SeenStore` and `RecallNotes`. */
  static readonly layer = Recall.layerNoDeps.pipe(Layer.provide(RecallSource.layer))
}
