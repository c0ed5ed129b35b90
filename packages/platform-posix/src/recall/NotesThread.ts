/**
 * Recall from notes in a thread of its own. (core `RecallNotes`; issue 4 "never above 50 ms whatever the source does")
 *
 * A scan of two thousand notes holds its thread for a tenth of a second, and hand-overs must not wait behind it. The
 * thread starts with the first question, answers one after the other, and is started again when it has died. It keeps
 * the process alive only while somebody waits for it.
 */
import type { OptIn } from "@memory-bridge/core/identity/Caller"
import { SourceFailed } from "@memory-bridge/core/recall/Failure"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import type { Question } from "@memory-bridge/core/recall/Source"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MessagePort, Worker } from "node:worker_threads"

type Asked =
  | { readonly kind: "present"; readonly home: string }
  | {
      readonly kind: "search"
      readonly home: string
      readonly needs: ReadonlyArray<OptIn>
      readonly question: Question
    }

interface Message {
  readonly id: number
  readonly asked: Asked
}

type Outcome =
  | { readonly kind: "answer"; readonly answer: unknown }
  | { readonly kind: "failed"; readonly reason: SourceFailed["reason"]; readonly rule: string | undefined }

interface Reply {
  readonly id: number
  readonly outcome: Outcome
}

const failed = (reason: SourceFailed["reason"], rule: string | undefined): SourceFailed =>
  new SourceFailed(rule === undefined ? { reason } : { reason, rule })

const answered = (notes: RecallNotes["Service"], asked: Asked): Effect.Effect<Outcome> =>
  Effect.suspend((): Effect.Effect<unknown, SourceFailed> =>
    asked.kind === "present" ? notes.present(asked.home) : notes.search(asked.home, asked.needs, asked.question)
  ).pipe(
    Effect.match({
      onSuccess: (answer): Outcome => ({ kind: "answer", answer }),
      onFailure: ({ reason, rule }): Outcome => ({ kind: "failed", reason, rule })
    }),
    Effect.catchCause(() => Effect.succeed<Outcome>({ kind: "failed", reason: "defect", rule: "thread" }))
  )

/** The thread's side: answers whatever comes through the port of its parent. */
export const answerThrough = (port: MessagePort): Effect.Effect<never, never, RecallNotes> =>
  Effect.flatMap(RecallNotes, (notes) =>
    Effect.callback<never>(() => {
      port.on("message", ({ asked, id }: Message) => {
        void Effect.runPromise(answered(notes, asked)).then((outcome) => port.postMessage({ id, outcome }))
      })
    })
  )

type Resume = (outcome: Outcome) => void

const gone: Outcome = { kind: "failed", reason: "defect", rule: "thread" }

/** One thread at a time, and who waits for it. */
const thread = (start: () => Worker) => {
  const waiting = new Map<number, Resume>()
  let worker: Worker | undefined
  let last = 0

  const settle = (id: number, outcome: Outcome): void => {
    const resume = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) worker?.unref()
    resume?.(outcome)
  }

  const lose = (lost: Worker): void => {
    if (worker !== lost) return
    worker = undefined
    // Who is told may ask again at once, and that question is for the next thread.
    for (const id of Array.from(waiting.keys())) settle(id, gone)
  }

  const running = (): Worker => {
    if (worker !== undefined) return worker
    const started = start()
    started.on("message", ({ id, outcome }: Reply) => settle(id, outcome))
    started.on("error", () => lose(started))
    started.on("exit", () => lose(started))
    worker = started
    return started
  }

  return {
    ask: (asked: Asked, resume: Resume): number => {
      const id = ++last
      waiting.set(id, resume)
      const asking = running()
      asking.ref()
      asking.postMessage({ id, asked } satisfies Message, [])
      return id
    },
    settle,
    end: (): Promise<unknown> => worker?.terminate() ?? Promise.resolve()
  }
}

/** `start` makes the thread that runs `answerThrough`. */
export const layer = (start: () => Worker): Layer.Layer<RecallNotes> =>
  Layer.effect(
    RecallNotes,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => thread(start)),
        ({ end }) => Effect.promise(end)
      ),
      ({ ask, settle }) => {
        const asking = <A>(asked: Asked): Effect.Effect<A, SourceFailed> =>
          Effect.callback<A, SourceFailed>((resume) => {
            const id = ask(asked, (outcome) =>
              resume(
                outcome.kind === "answer"
                  ? Effect.succeed(outcome.answer as A)
                  : Effect.fail(failed(outcome.reason, outcome.rule))
              )
            )
            return Effect.sync(() => settle(id, gone))
          })
        return RecallNotes.of({
          // A thread that cannot say is treated as a policy that is there: the question then says why it failed.
          present: (home) => Effect.catch(asking<boolean>({ kind: "present", home }), () => Effect.succeed(true)),
          search: (home, needs, question) => asking({ kind: "search", home, needs, question })
        })
      }
    )
  )
