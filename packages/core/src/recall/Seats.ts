/**
 * The questions under way in the background: one for each session, and the latest that waits behind it. (recall-contract
 * T6, cases/recall.md 2, 10 and 25)
 *
 * What runs is let finish, since a slow source that is always asked anew would never answer; what waits is replaced by
 * what comes later. A session that is left has its questions dropped, and a question that was dropped writes nothing
 * any more, however late its answer comes. Bounded in sessions.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** A question's program. `live` tells, until the end, whether its result is still wanted. */
export interface Job {
  readonly query: string
  readonly run: (live: () => boolean) => Effect.Effect<void>
  /** Called when it has run to its end, was dropped or will never run; perhaps twice. */
  readonly over: () => void
}

interface Seat {
  running: Job
  fiber: Fiber.Fiber<void> | undefined
  waiting: Job | undefined
}

export const maxSeats = 64

export interface Seats {
  /** Starts the job, or has it wait. False where too much is under way. */
  readonly take: (key: string, job: Job) => Effect.Effect<boolean>
  /** Starts the job in place of all others of its session, unless just that is running; ends when it has ended. */
  readonly now: (key: string, job: Job) => Effect.Effect<void>
  readonly stop: (key: string) => Effect.Effect<void>
  readonly size: () => number
}

export const makeSeats: Effect.Effect<Seats, never, Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const seats = new Map<string, Seat>()

  const run = (key: string, seat: Seat, job: Job): Effect.Effect<Fiber.Fiber<void>> => {
    const live = () => seats.get(key) === seat
    const next = Effect.suspend(() => {
      if (!live()) return Effect.void
      const { waiting } = seat
      if (waiting === undefined) {
        seats.delete(key)
        return Effect.void
      }
      seat.running = waiting
      seat.fiber = undefined
      seat.waiting = undefined
      return Effect.asVoid(run(key, seat, waiting))
    })
    return job.run(live).pipe(
      Effect.ensuring(Effect.andThen(Effect.sync(job.over), next)),
      Effect.forkIn(scope),
      Effect.tap((fiber) =>
        Effect.sync(() => {
          if (seat.running === job) seat.fiber = fiber
        })
      )
    )
  }

  const start = (key: string, job: Job): Effect.Effect<Fiber.Fiber<void>> => {
    const seat: Seat = { running: job, fiber: undefined, waiting: undefined }
    seats.set(key, seat)
    return run(key, seat, job)
  }

  const take = (key: string, job: Job): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const seat = seats.get(key)
      if (seat !== undefined) {
        seat.waiting?.over()
        seat.waiting = job
        return Effect.succeed(true)
      }
      return seats.size >= maxSeats ? Effect.succeed(false) : Effect.as(start(key, job), true)
    })

  const stop = (key: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const seat = seats.get(key)
      const fiber = seat?.fiber
      seats.delete(key)
      seat?.running.over()
      seat?.waiting?.over()
      // Not waited for: its result is not wanted from now on, and its connection closes with it.
      return fiber === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(Fiber.interrupt(fiber), scope))
    })

  const started = (key: string, job: Job) =>
    Effect.suspend(() => (seats.size >= maxSeats ? Effect.void : Effect.flatMap(start(key, job), Fiber.await)))

  const now = (key: string, job: Job): Effect.Effect<void> =>
    Effect.suspend(() => {
      const seat = seats.get(key)
      return seat?.fiber !== undefined && seat.running.query === job.query
        ? Effect.asVoid(Fiber.await(seat.fiber))
        : Effect.asVoid(Effect.andThen(stop(key), started(key, job)))
    })

  return { take, now, stop, size: () => seats.size }
})
