/**
 * One question to the source of a profile: breaker, place among the others, deadline. (recall-contract 1.4 "Deadlines",
 * cases/recall.md 1, 23 and 24)
 *
 * One deadline spans all of it, from looking for the source to the last byte; reading the files that decide the mode has
 * its own, before it. The breaker stands before anything is sent, and hears of nothing that was not sent: a question that
 * found no place in time says nothing about its peer. How it ended is noted in one place, whichever way it ended, so that
 * no outcome can be forgotten.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Breaker from "./Breaker.ts"
import { SourceFailed, weightOf } from "./Failure.ts"
import type { Mode } from "./Mode.ts"
import type { Profile } from "./Profile.ts"
import { RecallSource, type Serving } from "./RecallSource.ts"
import type { Source } from "./Source.ts"

/** Reads and writes fail apart: a server that takes a minute to store may still answer at once. */
export type Kind = "read" | "write"

/** Questions of a kind that hold a connection at once, in the whole process. Stores take a minute; reads do not wait. */
const maxConnections = 8
const maxBreakers = 128

/** How long the files that decide the mode may take. */
const modeMillis = 3_000

export interface Asking {
  readonly mode: (profile: Profile) => Effect.Effect<Mode, SourceFailed>
  /** Fails with `timed_out` when the milliseconds have passed. A defect of a source is a failure like any other. */
  readonly ask: <A>(
    profile: Profile,
    mode: Serving,
    kind: Kind,
    millis: number,
    use: (source: Source) => Effect.Effect<A, SourceFailed>
  ) => Effect.Effect<A, SourceFailed>
  /** Milliseconds for which the source is left alone. */
  readonly resting: (home: string, now: number) => number
}

const timedOut = () => Effect.fail(new SourceFailed({ reason: "timed_out" }))

const outcomeOf = (exit: Exit.Exit<unknown, SourceFailed>): Parameters<typeof Breaker.after>[2] => {
  if (Exit.isSuccess(exit)) return "success"
  const failure = Cause.findError(exit.cause)
  return Result.isSuccess(failure) ? weightOf(failure.success.reason) : "interrupted"
}

const retryAfterOf = (exit: Exit.Exit<unknown, SourceFailed>): number => {
  const failure = Exit.isFailure(exit) ? Cause.findError(exit.cause) : undefined
  return failure !== undefined && Result.isSuccess(failure) ? (failure.success.retryAfterMillis ?? 0) : 0
}

export const makeAsking: Effect.Effect<Asking, never, RecallSource> = Effect.gen(function* () {
  const sources = yield* RecallSource
  const connections = { read: yield* Semaphore.make(maxConnections), write: yield* Semaphore.make(maxConnections) }
  const breakers = new Map<string, Breaker.Breaker>()

  const keep = (key: string, breaker: Breaker.Breaker | undefined): void => {
    if (breaker === undefined) return
    breakers.delete(key)
    breakers.set(key, breaker)
    if (breakers.size > maxBreakers) breakers.delete(breakers.keys().next().value ?? "")
  }

  const ask = <A>(
    profile: Profile,
    mode: Serving,
    kind: Kind,
    millis: number,
    use: (source: Source) => Effect.Effect<A, SourceFailed>
  ): Effect.Effect<A, SourceFailed> =>
    Effect.suspend(() => {
      const key = `${kind}\0${profile.home}`
      let asked: string | undefined

      const admission = Effect.fnUntraced(function* ({ peer }: Source) {
        const admitted = Breaker.admit(breakers.get(key), peer, yield* Clock.currentTimeMillis)
        return admitted ?? (yield* new SourceFailed({ reason: "resting" }))
      })

      const pass = (source: Source) =>
        Effect.map(admission(source), (admitted) => {
          keep(key, admitted)
          asked = source.peer
        })

      const note = Effect.fnUntraced(function* (exit: Exit.Exit<A, SourceFailed>) {
        if (asked === undefined) return
        const now = yield* Clock.currentTimeMillis
        keep(key, Breaker.after(breakers.get(key), asked, outcomeOf(exit), retryAfterOf(exit), now))
      })

      return sources.open(profile, mode).pipe(
        // Once before the wait for a place, so that nobody waits to be told to rest.
        Effect.tap(admission),
        Effect.flatMap((source) => Semaphore.withPermit(connections[kind], Effect.andThen(pass(source), use(source)))),
        Effect.timeoutOrElse({
          duration: millis,
          orElse: timedOut
        }),
        Effect.catchDefect((defect) =>
          Effect.fail(new SourceFailed({ reason: "defect", rule: defect instanceof Error ? defect.name : "defect" }))
        ),
        Effect.onExit(note)
      )
    })

  return {
    mode: (profile) => Effect.timeoutOrElse(sources.mode(profile), { duration: modeMillis, orElse: timedOut }),
    ask,
    resting: (home, now) => Math.max(0, (breakers.get(`read\0${home}`)?.until ?? 0) - now)
  }
})
