/**
 * The question to a Broker and its answer, in both versions, from both sides. (recall-contract 1.4 "POST /context")
 *
 * Version 1 has one list of memories, version 2 has three channels. Of a memory its id and content count; whatever else
 * a Broker sends with it is left alone.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonObject } from "./Answer.ts"
import { type Protocol } from "./Discovery.ts"
import { SourceFailed } from "./Failure.ts"
import { channelsOf, type Item, itemsOf, type Spelling } from "./Item.ts"
import { maxQueryChars } from "./Query.ts"
import type { Question } from "./Source.ts"

export const contextPath = "/context"

/** Bytes of a question: its query at four bytes for a character, escaped, and room for the rest. */
export const maxContextBytes = 16_384

export const maxLimit = 20

const versions: Readonly<Record<Protocol, 1 | 2>> = { "context/1": 1, "context/2": 2 }

export const questionText = (protocol: Protocol, { limit, query, session }: Question): string =>
  JSON.stringify({ version: versions[protocol], query, limit, session })

const QuestionBody = Schema.Struct({
  version: Schema.Literals([1, 2]),
  query: Schema.String.pipe(
    Schema.check(
      Schema.makeFilter((query: string) =>
        query.trim() !== "" && query.isWellFormed() && [...query].length <= maxQueryChars
          ? undefined
          : "must not be blank or too long"
      )
    )
  ),
  limit: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: maxLimit }))),
  session: Schema.String.pipe(Schema.check(Schema.isMaxLength(256)))
})

export interface AskedQuestion extends Question {
  readonly version: 1 | 2
}

const decodeQuestion = Schema.decodeUnknownResult(QuestionBody, { onExcessProperty: "error" })

/** The Broker's side: `undefined` for what is no question. */
export const questionOf = (body: unknown): AskedQuestion | undefined => {
  const decoded = decodeQuestion(body)
  return Result.isFailure(decoded) ? undefined : decoded.success
}

const memory = ({ content, id }: Item) => ({ memory_id: id, content })

export const contextAnswer = (version: 1 | 2, items: ReadonlyArray<Item>): unknown =>
  version === 1
    ? { version, memories: items.map(memory) }
    : { version, memories: { profile: [], proactive: [], normal: items.map(memory) } }

const spelling: Spelling = { id: ["memory_id"], content: ["content"] }

/** At most `limit` memories of an answer in either version, whichever was asked for. */
export const memoriesOf = (answer: JsonObject, limit: number): Result.Result<ReadonlyArray<Item>, SourceFailed> => {
  const { memories, version } = answer
  if (version !== 1 && version !== 2) return Result.fail(new SourceFailed({ reason: "incompatible", rule: "version" }))
  const channels = channelsOf(memories)
  return channels === undefined || Array.isArray(memories) !== (version === 1)
    ? Result.fail(new SourceFailed({ reason: "garbled" }))
    : Result.succeed(itemsOf(channels, spelling, limit))
}
