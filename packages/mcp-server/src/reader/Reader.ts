/**
 * The reader is there when it is asked; or the call fails with a reason. (design.md section 6, as the shim's `Sidecar`)
 *
 * One process at a time, asked one thing at a time: when it is started, when a call is tried again, how long one that
 * fails is left alone, and how many that do not go may be left behind. For how long a call may run is not decided here,
 * see `Turns.ts`; whoever decides that it was too long says so with `end`.
 */
import type { Line } from "@memory-bridge/hermes-plugin/rpc/Lines"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Child, Start } from "./Child.ts"

/** The names that the shim has for the same. */
export const failures = [
  "sidecar_not_startable",
  "sidecar_died",
  "sidecar_hung",
  "sidecar_garbled",
  "sidecar_backoff",
  "sidecar_stuck",
  "answer_malformed"
] as const
export type Failure = (typeof failures)[number]

export class ReaderFailed extends Schema.TaggedError<ReaderFailed>()("ReaderFailed", {
  reason: Schema.Literals(failures)
}) {}

export interface Request {
  readonly method: string
  /** As JSON. */
  readonly params: string
}

export interface Reader {
  /** The method's result. Waits as long as it takes. What reads only may be asked twice, where the first one died. */
  readonly ask: (request: Request) => Effect.Effect<unknown, ReaderFailed>
  /** Kills the process, and fails what it was asked. */
  readonly end: (why: Failure) => void
  /** Starts the process where none is there, so that the first call finds it ready. */
  readonly begin: Effect.Effect<void>
}

/**
 * Processes that were killed and have not gone. Each holds a process id and two pipes until its disk lets go of it, so a
 * disk that holds this many gets no more.
 */
export const mostStuck = 4

const firstBackoffMillis = 100
const longestBackoffMillis = 5_000

/** To leave it alone after so many deaths in a row: 0, 100, 200, 400 and so on up to 5,000. */
export const backoffAfter = (deaths: number): number =>
  deaths <= 1 ? 0 : Math.min(longestBackoffMillis, firstBackoffMillis * 2 ** Math.min(deaths - 2, 16))

interface Running {
  readonly child: Child
  lastId: number
  pending?: { readonly id: number; readonly answer: Deferred.Deferred<unknown, ReaderFailed> }
}

type Answer = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: unknown }

const answerIn = (line: Line): Answer | undefined => {
  if (line.kind === "too_long") return undefined
  try {
    const json: unknown = JSON.parse(Buffer.from(line.bytes).toString("utf8"))
    if (typeof json !== "object" || json === null || !("id" in json) || typeof json.id !== "number") return undefined
    return "result" in json !== "error" in json ? (json as Answer) : undefined
  } catch {
    return undefined
  }
}

const failed = (reason: Failure) => new ReaderFailed({ reason })

export const make = (start: Start): Effect.Effect<Reader> =>
  Effect.map(Clock.Clock, (clock) => {
    const nowMillis = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    let current: Running | undefined
    /** Started and not yet gone. */
    let there = 0
    let deaths = 0
    let notBefore = Number.NEGATIVE_INFINITY

    const leaveAlone = (): void => {
      deaths += 1
      notBefore = nowMillis() + backoffAfter(deaths)
    }

    const settle = (running: Running, exit: Effect.Effect<unknown, ReaderFailed>): void => {
      const { pending } = running
      delete running.pending
      if (pending !== undefined) Deferred.doneUnsafe(pending.answer, exit)
    }

    /** From now on another one is asked. */
    const retire = (running: Running, why: Failure): void => {
      if (current !== running) return
      current = undefined
      // What hung has taken its time already, and who comes next may want something else.
      if (why !== "sidecar_hung") leaveAlone()
      settle(running, Effect.fail(failed(why)))
    }

    const kill = (running: Running, why: Failure): void => {
      retire(running, why)
      running.child.kill()
    }

    const take = (running: Running, line: Line): void => {
      const answer = answerIn(line)
      // Nothing else is under way, so another id is no answer of a reader that works.
      if (answer === undefined || answer.id !== running.pending?.id) return kill(running, "sidecar_garbled")
      deaths = 0
      settle(running, "result" in answer ? Effect.succeed(answer.result) : Effect.fail(failed("answer_malformed")))
    }

    const started = (): Running | Failure => {
      if (current !== undefined) return current
      if (nowMillis() < notBefore) return "sidecar_backoff"
      if (there >= mostStuck) return "sidecar_stuck"
      let gone = false
      try {
        const child = start({
          line: (line) => take(running, line),
          ended: () => {
            if (gone) return
            gone = true
            there -= 1
            retire(running, "sidecar_died")
          }
        })
        const running: Running = { child, lastId: 0 }
        there += 1
        current = running
        return running
      } catch {
        leaveAlone()
        return "sidecar_not_startable"
      }
    }

    const askOnce = ({ method, params }: Request) =>
      Effect.suspend(() => {
        const running = started()
        if (typeof running === "string") return Effect.fail(failed(running))
        const answer = Deferred.makeUnsafe<unknown, ReaderFailed>()
        const id = ++running.lastId
        running.pending = { id, answer }
        running.child.send(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}\n`)
        return Deferred.await(answer)
      })

    return {
      ask: (request) =>
        Effect.catch(askOnce(request), (failure) =>
          failure.reason === "sidecar_died" ? askOnce(request) : Effect.fail(failure)
        ),
      end: (why) => {
        if (current !== undefined) kill(current, why)
      },
      begin: Effect.sync(() => void started())
    }
  })
