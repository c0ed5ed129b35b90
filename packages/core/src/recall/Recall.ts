/**
 * Recall as a host's side sees it: queue a question, be offered what is warm, say that it was taken, search, add, capture,
 * tell what happened to a session, ask for the status. (seed 003, issue 4, recall-contract part 2)
 *
 * Only `queue`, `search`, `add` and `fresh` wait for a source, each for a bounded time; everything else comes back at
 * once. An offer lies with the host's side before the turn that it is for begins, so that no turn waits for this process.
 * Nothing here fails: a recall that cannot be had is an empty one, with its reason in the status and, when it changes, in
 * the log.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { makeAsking } from "./Asking.ts"
import { SourceFailed } from "./Failure.ts"
import { makeKeepers } from "./Keeper.ts"
import { Mac } from "./Mac.ts"
import { type Place, placeKey, type Profile } from "./Profile.ts"
import { boundedQuery, isTrivial } from "./Query.ts"
import { makeRecalling, nothing, type Offer } from "./Recalling.ts"
import { isServing, RecallSource } from "./RecallSource.ts"
import { modeStatus, type RecallStatus, unknownMode } from "./Report.ts"
import { makeReporter } from "./Reporter.ts"
import { makeSeats } from "./Seats.ts"
import type { Mark } from "./Seen.ts"
import { consequencesOf, type SessionEvent } from "./SessionEvent.ts"
import { type Settings, settingsOf } from "./Settings.ts"
import { failedAnswer, foundAnswer, searchArguments, type ToolAnswer, toolError } from "./ToolAnswer.ts"
import { makeWriting } from "./Writing.ts"

/** How long a turn may wait for what belongs to its own question. */
export const freshMillis = 1_500

const settingsFor = ({ profile }: Place): Settings | undefined => Result.getOrUndefined(settingsOf(profile.environment))

/** The settings of a place that is offered something. */
const wanted = (place: Place): Settings | undefined => {
  const settings = settingsFor(place)
  return settings?.autoRecall === true ? settings : undefined
}

const keyOf = ({ profile, session }: Place): string => placeKey(profile.home, session)

const overloaded = new SourceFailed({ reason: "overloaded" })

export class Recall extends Context.Service<
  Recall,
  {
    /**
     * The recall for what the user just wrote. Ends when it has ended, or was dropped for a later one, with what is then
     * warm for the session and new to it. Nothing where it asks nothing or too much is under way.
     */
    readonly queue: (place: Place, query: string) => Effect.Effect<Offer>
    /** What is warm for the session and new to it, whatever question it answers. */
    readonly offer: (place: Place) => Effect.Effect<Offer>
    /** An offer went before the model: the name of its result, and its marks. */
    readonly taken: (place: Place, result: number, marks: ReadonlyArray<Mark>) => Effect.Effect<void>
    /** Where `HY_MEMORY_FRESH` is set: what belongs to this very query, within 1.5 s. Where it is not: as `offer`. */
    readonly fresh: (place: Place, query: string) => Effect.Effect<Offer>
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

      const offer = (place: Place): Effect.Effect<Offer> => {
        const settings = wanted(place)
        return settings === undefined ? Effect.succeed(nothing) : recalling.offer(place, settings)
      }

      const queue = Effect.fnUntraced(function* (place: Place, query: string): Effect.fn.Return<Offer> {
        // With settings that are wrong too, so that the reason is found and told.
        if (isTrivial(query) || settingsFor(place)?.autoRecall === false) return nothing
        const over = Deferred.makeUnsafe<void>()
        const job = recalling.job(place, boundedQuery(query), () => Deferred.doneUnsafe(over, Effect.void))
        if (yield* seats.take(keyOf(place), job)) {
          yield* Deferred.await(over)
          return yield* offer(place)
        }
        yield* reporter.failed(place.profile.home, overloaded)
        return nothing
      })

      const fresh = (place: Place, query: string): Effect.Effect<Offer> => {
        const settings = isTrivial(query) ? undefined : wanted(place)
        if (settings === undefined) return Effect.succeed(nothing)
        if (!settings.fresh) return offer(place)
        const asked = boundedQuery(query)
        return seats
          .now(keyOf(place), recalling.job(place, asked))
          .pipe(Effect.timeoutOption(freshMillis), Effect.andThen(recalling.offer(place, settings, asked)))
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
        offer,
        taken: recalling.taken,
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
