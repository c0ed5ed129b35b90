/**
 * Search and read for the operator: the core's own programs, with the operator as the caller. (design.md section 2)
 *
 * Standard output gets the answer and nothing else; in JSON form that is the public answer, to the letter what an agent
 * gets, refusals included. Why something was refused goes to standard error.
 */
import { type PublicAnswer, publicError } from "@memory-bridge/core/host/PublicAnswer"
import {
  type NoteRefused,
  Notes,
  type ReadAnswer,
  type RootRefused,
  type ScanRefused,
  type SearchAnswer
} from "@memory-bridge/core/notes/Notes"
import {
  type InvalidRequest,
  readFromRequest,
  type ReadRequest,
  readRequest,
  searchRequest
} from "@memory-bridge/core/notes/Request"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { type PolicyRefused, PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { placeOf } from "@memory-bridge/core/policy/Roots"
import type { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Stopped } from "../Exit.ts"
import { type Look, resultsText } from "../screen/Results.ts"
import { Screen } from "../screen/Screen.ts"
import { type Circumstances, explain, explanationText, type OperatorRefusal } from "./Explanation.ts"
import { locate, refusedRoot } from "./Locate.ts"

/** Where the policy of a request comes from. */
export interface PolicySource<R> {
  /** Absolute path, or "" where there is no file. */
  readonly path: string
  readonly load: Effect.Effect<Policy, PolicyRefused, R>
}

/** The policy file at an absolute path, under the same rules as a profile's. */
export const policyFile = (path: string): PolicySource<PolicyStore> => ({
  path,
  load: PolicyStore.use((policies) => policies.load(path))
})

export type Form = "person" | "json"

const answerLine = (answer: PublicAnswer): string => JSON.stringify(answer) + "\n"

/** Says why, in both forms, and ends the command. */
const stop = Effect.fnUntraced(function* (form: Form, refusal: OperatorRefusal, circumstances: Circumstances) {
  const screen = yield* Screen
  const explanation = explain(refusal, circumstances)
  if (form === "json") yield* screen.out(answerLine(publicError(refusal)))
  yield* screen.err(explanationText(explanation))
  return yield* new Stopped({ code: explanation.exitCode })
})

/** A refusal, with the root and the place that it speaks of where the refusal itself does not say. */
interface Refused extends Partial<Pick<Circumstances, "place" | "prefixes" | "root">> {
  readonly refusal: InvalidRequest | RootRefused | ScanRefused | NoteRefused
}

interface Question<Request, Answer, R> {
  readonly form: Form
  readonly source: PolicySource<R>
  readonly request: Result.Result<Request, InvalidRequest>
  readonly run: (notes: Notes["Service"], policy: Policy, request: Request) => Effect.Effect<Answer, Refused, Tree>
  readonly text: (answer: Answer, look: Look) => string
}

const ask = Effect.fnUntraced(function* <Request, Answer extends SearchAnswer | ReadAnswer, R>(
  question: Question<Request, Answer, R>
) {
  const { form, source } = question
  const screen = yield* Screen
  const notes = yield* Notes
  const early = (refusal: OperatorRefusal) => stop(form, refusal, { policyPath: source.path, root: undefined })
  const request = yield* Effect.fromResult(question.request).pipe(Effect.catch(early))
  const policy = yield* source.load.pipe(Effect.catch(early))
  const answer = yield* question
    .run(notes, policy, request)
    .pipe(
      Effect.catch(({ refusal, ...more }) => stop(form, refusal, { policyPath: source.path, root: undefined, ...more }))
    )
  yield* screen.out(form === "json" ? answerLine({ ok: true, ...answer }) : question.text(answer, screen))
})

export interface SearchWords {
  readonly query: string
  readonly limit: number | undefined
}

/** Names the root that a search was refused for. */
const ofSearch = (policy: Policy, refusal: RootRefused | ScanRefused): Effect.Effect<Refused, never, Tree> =>
  Effect.map(refusedRoot(policy, refusal), (root) => ({ refusal, root }))

/** `whenEmpty` is what to add for a person when nothing matches. */
export const search = <R>(source: PolicySource<R>, { limit, query }: SearchWords, form: Form, whenEmpty = "") =>
  ask({
    form,
    source,
    request: searchRequest(limit === undefined ? { query } : { query, limit }),
    run: (notes, policy, request) =>
      Effect.catch(notes.search(policy, request), (refusal) => Effect.flip(ofSearch(policy, refusal))),
    text: (answer, look) => resultsText(answer, query, look) + (answer.results.length === 0 ? whenEmpty : "")
  })

/** What a refused read speaks of. */
const ofRead = Effect.fnUntraced(function* (
  policy: Policy,
  { id }: ReadRequest,
  refusal: RootRefused | ScanRefused | NoteRefused
): Effect.fn.Return<Refused, never, Tree> {
  const root = placeOf(policy, id)?.root
  const about = root === undefined ? { refusal, prefixes: policy.named.map(({ prefix }) => prefix) } : { refusal, root }
  return refusal._tag === "NoteRefused" ? { ...about, place: yield* locate(policy, id, refusal.rule) } : about
})

const readText = ({ content, next_line: next }: ReadAnswer): string => {
  const whole = content.endsWith("\n") ? content : content + "\n"
  return next === undefined ? whole : `${whole}To read on: --from-line ${next}\n`
}

/** `fromLine` counts from 1. */
export const read = <R>(source: PolicySource<R>, id: string, form: Form, fromLine?: number) => {
  const args = fromLine === undefined ? { id } : { id, from_line: fromLine }
  const first = Result.map(readRequest(args), (wanted): ReadRequest => ({ id: wanted, fromLine: undefined }))
  return ask({
    form,
    source,
    // A line to begin at is known to version 2 alone, so that the policy has to be there first.
    request: fromLine === undefined ? first : Result.succeed(undefined),
    run: Effect.fnUntraced(function* (notes, policy): Effect.fn.Return<ReadAnswer, Refused, Tree> {
      const request = yield* Effect.fromResult(policy.version === 1 ? first : readFromRequest(args)).pipe(
        Effect.mapError((refusal) => ({ refusal }))
      )
      return yield* Effect.catch(notes.read(policy, request.id, request.fromLine), (refusal) =>
        Effect.flip(ofRead(policy, request, refusal))
      )
    }),
    text: readText
  })
}
