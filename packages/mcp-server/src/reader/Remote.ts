/**
 * The calls of a client, answered by the reader in turn. (issue 8 item 4)
 *
 * What the reader answers goes on as it is: it has been through the one place where refusals become public answers. Where
 * it gives none in time the answer is "unavailable", and the operator's log has the reason.
 */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { type PublicAnswer, type PublicError, unavailable } from "@memory-bridge/core/host/PublicAnswer"
import type { DocumentId } from "@memory-bridge/core/tree/DocumentId"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Catalogue, type Catalogued } from "../Catalogue.ts"
import { type InTurn, type Limits, make as makeTurns } from "../Turns.ts"
import type { Start } from "./Child.ts"
import { methodNames } from "./Methods.ts"
import { make as makeReader, ReaderFailed } from "./Reader.ts"

/** What the arguments may take of a line to the reader; the rest is for the signals, which are a few paths. */
const maxArgumentBytes = 1024 * 1024 - 64 * 1024

/** The model's arguments, or null where they have no bounded JSON form: the core then calls them invalid. */
export const portable = (args: unknown): string => {
  try {
    const text = JSON.stringify(args) as string | undefined
    return text !== undefined && Buffer.byteLength(text) <= maxArgumentBytes ? text : "null"
  } catch {
    // Nested deeper than can be written.
    return "null"
  }
}

const answers = (result: unknown): result is { readonly ok: boolean } =>
  typeof result === "object" && result !== null && "ok" in result && typeof result.ok === "boolean"

/** `Answer` is what the reader's method gives; both come from one build. */
const asker =
  (inTurn: InTurn) =>
  <Answer extends { readonly ok: boolean }>(
    call: keyof typeof methodNames,
    params: string
  ): Effect.Effect<Answer | PublicError> =>
    inTurn({ method: methodNames[call], params }).pipe(
      Effect.flatMap((result) =>
        answers(result)
          ? Effect.succeed(result as Answer)
          : Effect.fail(new ReaderFailed({ reason: "answer_malformed" }))
      ),
      Effect.catch(({ reason }) =>
        Effect.as(Effect.annotateLogs(Effect.logWarning("refused"), { call, reason }), unavailable)
      )
    )

/** Starts the first reader at once, so that it is ready when the client has said hello. */
export const layer = (start: Start, limits?: Limits): Layer.Layer<Bridge | Catalogue> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const reader = yield* makeReader(start)
      yield* reader.begin
      const ask = asker(yield* makeTurns(reader, limits))
      const call = (name: "search" | "read") => (signals: unknown, args: unknown) =>
        ask<PublicAnswer>(name, `{"signals":${JSON.stringify(signals)},"arguments":${portable(args)}}`)
      const list = (signals: unknown, after: DocumentId | undefined) =>
        ask<Catalogued>("list", JSON.stringify({ signals, after: after ?? null }))
      return Context.make(Bridge, Bridge.of({ search: call("search"), read: call("read") })).pipe(
        Context.add(Catalogue, Catalogue.of({ list }))
      )
    })
  )
