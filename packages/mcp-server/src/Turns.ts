/**
 * One call at a time, and between two calls the event loop goes round once. (issue 7 item 5, "cancellation")
 *
 * A scan is one synchronous stretch of bounded length: while it runs nothing is read, so nothing can stop it. In the pause
 * before the next one, cancellations that have arrived meanwhile are read, and a call that waits for its turn is
 * dropped before it has looked at anything.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

export type InTurn = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const makeTurns = (): InTurn => {
  const turn = Semaphore.makeUnsafe(1)
  return (call) => turn.withPermits(1)(Effect.andThen(Effect.yieldNow, call))
}
