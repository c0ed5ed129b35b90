/**
 * Direct recall: the memory server that an operator runs. (seed 003 "Optional operator-managed direct mode",
 * recall-contract 1.2)
 *
 * The user and the agent come from the operator's settings, never from arguments. Builds of the server differ in how
 * they spell an item and where they put the channels; a 200 may still say that it failed, and is read.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type JsonObject, objectOf } from "./Answer.ts"
import { transport } from "./Broker.ts"
import { originOf } from "./Endpoint.ts"
import { SourceFailed } from "./Failure.ts"
import { Http } from "./Http.ts"
import { channelsOf, type Item, itemsOf, type Spelling } from "./Item.ts"
import type { ServerSettings } from "./Settings.ts"
import type { Question, Source, Stored } from "./Source.ts"

const spelling: Spelling = { id: ["memory_id", "id"], content: ["content", "memory"] }

/** Older builds have the channels beside each other at the top. */
const memoriesOf = (answer: JsonObject): unknown => (Object.hasOwn(answer, "memories") ? answer["memories"] : answer)

const foundIn = (answer: JsonObject, limit: number): Result.Result<ReadonlyArray<Item>, SourceFailed> => {
  if (answer["success"] === false) return Result.fail(new SourceFailed({ reason: "server_refused" }))
  const channels = channelsOf(memoriesOf(answer))
  return channels === undefined
    ? Result.fail(new SourceFailed({ reason: "garbled" }))
    : Result.succeed(itemsOf(channels, spelling, limit))
}

const storedBy = (answer: JsonObject): Result.Result<Stored, SourceFailed> =>
  answer["success"] === true
    ? Result.succeed({ searchable: answer["partial_success"] !== true && answer["searchable"] !== false })
    : Result.fail(new SourceFailed({ reason: "server_refused" }))

export const memoryServer = Effect.gen(function* () {
  const http = yield* Http

  return (settings: ServerSettings, maxBytes: number): Source => {
    const { agentId, apiKey, caFile, endpoint, userId } = settings

    const post = Effect.fnUntraced(function* (path: string, body: JsonObject) {
      const { exchange } = yield* transport(http.connect(endpoint, caFile))
      const answer = yield* transport(
        exchange({ method: "POST", path, credential: apiKey, body: JSON.stringify(body), maxBytes })
      )
      return yield* Effect.fromResult(objectOf(answer))
    }, Effect.scoped)

    return {
      peer: `server ${originOf(endpoint)}`,
      search: ({ limit, query }: Question) =>
        post("/api/v1/search", { query, user_ids: [userId], agent_ids: [agentId], limit }).pipe(
          Effect.flatMap((answer) => Effect.fromResult(foundIn(answer, limit)))
        ),
      add: (text, session, who) =>
        post("/api/v1/add", {
          data: who === "turn" ? [{ role: "user", content: text }] : text,
          user_id: userId,
          agent_id: agentId,
          session_id: session
        }).pipe(Effect.flatMap((answer) => Effect.fromResult(storedBy(answer))))
    }
  }
})
