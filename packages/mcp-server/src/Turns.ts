/**
 * Which call is served when, and for how long? (issue 8 item 4; design.md section 6)
 *
 * - Calls are served one at a time, in the order in which they came; there is one client, so nobody is preferred.
 * - A call has `deadlineMillis` from its arrival. It is answered by then, whatever the reader does.
 * - A call that spends them waiting, or is cancelled while it waits, has looked at nothing and never will.
 * - The call under way may take as long as a call has; half of it where others wait. What takes longer hangs, for
 *   instance in a system call on a dead mount: its reader is ended, and the next call gets another one.
 * - A call that was answered or cancelled while it was under way keeps its turn until the reader is through with it, so
 *   there is never a second scan behind the one under way.
 * - At most `mostWaiting` wait. One more is refused at once, so that what the protocol asks meanwhile is still read.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import type { Reader, ReaderFailed, Request } from "./reader/Reader.ts"

export interface Limits {
  readonly deadlineMillis: number
  readonly mostWaiting: number
}

/** The shim's own default, and below Stdio's `maxUnderWay`, so that a ping always finds a place. */
export const limits: Limits = { deadlineMillis: 20_000, mostWaiting: 224 }

export const refusals = ["deadline_passed", "overloaded"] as const

/** The call got no turn, or no answer in its time. */
export class TurnRefused extends Schema.TaggedError<TurnRefused>()("TurnRefused", {
  reason: Schema.Literals(refusals)
}) {}

type Failed = TurnRefused | ReaderFailed

/** A call on its way to an answer. */
export type InTurn = (request: Request) => Effect.Effect<unknown, Failed>

interface Waiting {
  readonly request: Request
  readonly outcome: Deferred.Deferred<unknown, ReaderFailed>
}

export const make = (
  reader: Reader,
  { deadlineMillis, mostWaiting }: Limits = limits
): Effect.Effect<InTurn, never, Scope> =>
  Effect.gen(function* () {
    // In order of arrival.
    const queue = new Set<Waiting>()
    const someoneWaits = yield* Latch.make()

    const leave = (call: Waiting): void => {
      queue.delete(call)
      if (queue.size === 0) someoneWaits.closeUnsafe()
    }

    /** Ends when the call under way has had its time. */
    const overdue = Effect.sleep(deadlineMillis / 2).pipe(
      Effect.andThen(Effect.raceFirst(someoneWaits.await, Effect.sleep(deadlineMillis / 2))),
      Effect.andThen(Effect.sync(() => reader.end("sidecar_hung")))
    )

    const serveNext = Effect.gen(function* () {
      yield* someoneWaits.await
      const next = queue.values().next().value
      if (next === undefined) return
      leave(next)
      const watch = yield* Effect.forkChild(overdue)
      const outcome = yield* Effect.exit(reader.ask(next.request))
      yield* Fiber.interrupt(watch)
      yield* Deferred.done(next.outcome, outcome)
    })
    yield* Effect.forkScoped(Effect.forever(serveNext))

    return (request) =>
      Effect.suspend(() => {
        if (queue.size >= mostWaiting) return Effect.fail(new TurnRefused({ reason: "overloaded" }))
        const call: Waiting = { request, outcome: Deferred.makeUnsafe() }
        queue.add(call)
        someoneWaits.openUnsafe()
        return Deferred.await(call.outcome).pipe(
          Effect.timeoutOrElse({
            duration: deadlineMillis,
            orElse: () => Effect.fail(new TurnRefused({ reason: "deadline_passed" }))
          }),
          Effect.ensuring(Effect.sync(() => leave(call)))
        )
      })
  })
