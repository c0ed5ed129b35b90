/**
 * Storing memories: on request, and from what the user wrote. Direct mode alone. (seed 003 "Write and anti-recursion
 * boundary", cases/recall.md 9, 28 and 46)
 *
 * Captured texts are stored in the background, one after the other, and few wait: a store that takes a minute for each
 * must not hold a busy session's texts in memory. Only a primary run writes.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Asking } from "./Asking.ts"
import { captured } from "./Capture.ts"
import { SourceFailed } from "./Failure.ts"
import type { Mode } from "./Mode.ts"
import { isPrimary, type Place, placeKey } from "./Profile.ts"
import { type Ending, failedEnding } from "./Report.ts"
import type { Source, Stored } from "./Source.ts"
import { addArguments, failedAnswer, storedAnswer, type ToolAnswer, toolError } from "./ToolAnswer.ts"

/** Captured texts that wait, in the whole process. */
const maxWaiting = 8
export interface Writing {
  readonly add: (place: Place, args: unknown) => Effect.Effect<ToolAnswer>
  /** Comes back at once. */
  readonly capture: (place: Place, text: string) => Effect.Effect<void>
  /** Ends when the session's last captured text is stored, or after so many milliseconds. */
  readonly settled: (key: string, millis: number) => Effect.Effect<void>
}

const addTo = (source: Source, text: string, session: string, who: "turn" | "request") =>
  source.add?.(text, session, who) ?? Effect.fail(new SourceFailed({ reason: "defect", rule: "cannot_store" }))

export const makeWriting = (
  { ask, mode: modeOf }: Asking,
  report: (home: string, ending: Ending) => Effect.Effect<void>
): Effect.Effect<Writing, never, Scope.Scope> => {
  const store = (
    { profile, session }: Place,
    mode: Extract<Mode, { readonly kind: "direct" }>,
    text: string,
    who: "turn" | "request"
  ): Effect.Effect<Stored, SourceFailed> =>
    Effect.tap(
      ask(profile, mode, "write", mode.server.writeTimeoutMillis, (source) => addTo(source, text, session, who)),
      () => report(profile.home, { kind: "stored" })
    )

  const tellFailure = (place: Place) => (failure: SourceFailed) => report(place.profile.home, failedEnding(failure))

  return Effect.gen(function* () {
    const scope = yield* Effect.scope
    const oneByOne = yield* Semaphore.make(1)
    const last = new Map<string, Fiber.Fiber<void>>()
    let waiting = 0

    const addNow = Effect.fnUntraced(function* (
      place: Place,
      args: unknown
    ): Effect.fn.Return<ToolAnswer, SourceFailed> {
      const mode = yield* modeOf(place.profile)
      if (mode.kind !== "direct" || !isPrimary(place.profile)) return toolError("not_offered")
      const text = addArguments(args)
      if (Result.isFailure(text)) return text.failure
      return storedAnswer(yield* store(place, mode, text.success, "request"))
    })

    const add = (place: Place, args: unknown): Effect.Effect<ToolAnswer> =>
      addNow(place, args).pipe(
        Effect.tapError(tellFailure(place)),
        Effect.catch((failure) => Effect.succeed(failedAnswer(failure, "write")))
      )

    const captureNow = Effect.fnUntraced(function* (place: Place, text: string) {
      const mode = yield* modeOf(place.profile)
      if (mode.kind !== "direct" || !mode.server.autoCapture) return
      const own = captured(text)
      if (typeof own === "string") return yield* report(place.profile.home, { kind: "not_stored", reason: own })
      yield* Semaphore.withPermit(oneByOne, store(place, mode, own.text, "turn"))
    })

    const capture = (place: Place, text: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (!isPrimary(place.profile)) return Effect.void
        if (waiting >= maxWaiting) return report(place.profile.home, { kind: "not_stored", reason: "overloaded" })
        waiting++
        const key = placeKey(place.profile.home, place.session)
        const done = Effect.sync(() => {
          waiting--
          if (last.get(key) === fiber) last.delete(key)
        })
        let fiber: Fiber.Fiber<void> | undefined
        return captureNow(place, text).pipe(
          Effect.catch(tellFailure(place)),
          Effect.ensuring(done),
          Effect.forkIn(scope),
          Effect.map((started) => {
            fiber = started
            if (started.pollUnsafe() === undefined) last.set(key, started)
          })
        )
      })

    const settled = (key: string, millis: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        const fiber = last.get(key)
        return fiber === undefined ? Effect.void : Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), millis))
      })

    return { add, capture, settled }
  })
}
