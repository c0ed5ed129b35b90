/**
 * The methods of the hy_memory sidecar. (seed 003, core `Recall`)
 *
 * `place` and `profile` are the host's; the query, the text and the tool's arguments are the user's and the model's, and
 * travel beside them. All but four methods come back at once. Three wait for a source because somebody waits for them, so
 * of them only so many are under way: one more is told that recall is not available. `recall.queue` is answered when the
 * recall has ended; for how many that may be under way the core has a bound of its own. Quick ones never wait for a place.
 */
import { Place, Profile } from "@memory-bridge/core/recall/Profile"
import { Recall } from "@memory-bridge/core/recall/Recall"
import { nothing } from "@memory-bridge/core/recall/Recalling"
import { Digest, Id } from "@memory-bridge/core/recall/SeenFile"
import { SessionEvent } from "@memory-bridge/core/recall/SessionEvent"
import { maxLimit } from "@memory-bridge/core/recall/Settings"
import { toolError } from "@memory-bridge/core/recall/ToolAnswer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Fence } from "./Fences.ts"
import { common } from "./Methods.ts"
import { method, type MethodTable } from "./rpc/Dispatch.ts"

const At = Schema.Struct({ place: Place })
const Asked = Schema.Struct({ place: Place, query: Schema.String })
const ToolCalled = Schema.Struct({ place: Place, arguments: Schema.Unknown })
const Written = Schema.Struct({ place: Place, text: Schema.String })
const Happened = Schema.Struct({ place: Place, event: SessionEvent })
const Took = Schema.Struct({
  place: Place,
  result: Schema.Int,
  marks: Schema.Array(Schema.Struct({ id: Id, digest: Digest })).pipe(Schema.check(Schema.isMaxLength(maxLimit)))
})
const About = Schema.Struct({ profile: Profile })

/** Calls that wait for a source at the same time. Below Stdio's `maxUnderWay`. */
export const maxWaitingCalls = 16

/** Runs at most so many at once; another gets `otherwise`. */
const places = (most: number) => {
  let taken = 0
  return <A, R>(call: Effect.Effect<A, never, R>, otherwise: A): Effect.Effect<A, never, R> =>
    Effect.suspend(() => {
      if (taken >= most) return Effect.succeed(otherwise)
      taken++
      return Effect.ensuring(
        call,
        Effect.sync(() => {
          taken--
        })
      )
    })
}

/** A method without a result has to have a JSON form. */
const done = Effect.as(null)

export const recallTable = (fences: ReadonlyArray<Fence>): MethodTable<Recall> => {
  const limited = places(maxWaitingCalls)
  return new Map([
    ["recall.queue", method(Asked, ({ place, query }) => Recall.use((recall) => recall.queue(place, query)))],
    ["recall.offer", method(At, ({ place }) => Recall.use((recall) => recall.offer(place)))],
    [
      "recall.taken",
      method(Took, ({ marks, place, result }) => done(Recall.use((recall) => recall.taken(place, result, marks))))
    ],
    [
      "recall.fresh",
      method(Asked, ({ place, query }) =>
        limited(
          Recall.use((recall) => recall.fresh(place, query)),
          nothing
        )
      )
    ],
    [
      "recall.search",
      method(ToolCalled, ({ arguments: args, place }) =>
        limited(
          Recall.use((recall) => recall.search(place, args)),
          toolError("unavailable")
        )
      )
    ],
    [
      "recall.add",
      method(ToolCalled, ({ arguments: args, place }) =>
        limited(
          Recall.use((recall) => recall.add(place, args)),
          toolError("not_stored")
        )
      )
    ],
    ["recall.capture", method(Written, ({ place, text }) => done(Recall.use((recall) => recall.capture(place, text))))],
    ["recall.event", method(Happened, ({ event, place }) => done(Recall.use((recall) => recall.event(place, event))))],
    ["recall.status", method(About, ({ profile }) => Recall.use((recall) => recall.status(profile)))],
    ...common(fences)
  ])
}
