/**
 * Recall from the notes that the profile's own policy permits. (issue 4 part 1 "beyond")
 *
 * The policy decides here as it does for the tools: it is loaded anew, and a run of a kind that it does not opt in to
 * gets nothing. A turn is a sentence and not a search, so its common words are left out, and a note is recalled only
 * where what is shown of it holds two of the others. A service, because a scan takes its time: where hand-overs must
 * not wait for it, it stands in a thread of its own.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { refusedRun } from "../identity/Admission.ts"
import type { OptIn } from "../identity/Caller.ts"
import { Notes, type SearchResult } from "../notes/Notes.ts"
import { fold, lengthOf } from "../notes/Text.ts"
import type { Policy } from "../policy/Policy.ts"
import { policyPathOf, type PolicyRefused, PolicyStore } from "../policy/PolicyStore.ts"
import { operatorReason } from "../host/OperatorReason.ts"
import type { Refusal } from "../host/PublicAnswer.ts"
import { SourceFailed } from "./Failure.ts"
import { isItemId, type Item } from "./Item.ts"
import { Mac } from "./Mac.ts"
import type { Question } from "./Source.ts"

/** Words of a turn that are looked for. */
const maxWords = 12
const leastWordChars = 3

const common = new Set(
  (
    "about above after again all also and any are because been before being below between both but can could did does " +
    "doing down during each few for from further had has have having her here hers him his how into its itself just " +
    "let make may more most must need nor not now off once only other our out over own please said same she should " +
    "some such tell than thank thanks that the their them then there these they this those through too under until " +
    "use very want was way were what when where which while who whom why will with would you your yours"
  ).split(" ")
)

const words = new Intl.Segmenter("und", { granularity: "word" })

/** The words that tell one note from another, in the order in which they were written. */
export const tellingWords = (query: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const { isWordLike, segment } of words.segment(fold(query))) {
    // A CJK word may be two characters long, and one that is written in letters never tells much at that length.
    const long =
      lengthOf(segment) >= (/\p{Ideographic}|\p{Script=Hangul}|\p{Script=Kana}/u.test(segment) ? 2 : leastWordChars)
    if (isWordLike === true && long && !common.has(segment)) found.add(segment)
    if (found.size === maxWords) break
  }
  return [...found]
}

const holdsEnough = (wanted: ReadonlyArray<string>, { id, snippet, title = "" }: SearchResult): boolean => {
  const shown = fold(`${id}\n${title}\n${snippet}`)
  return wanted.filter((word) => shown.includes(word)).length >= Math.min(2, wanted.length)
}

const refused = (refusal: Refusal): SourceFailed => {
  const { reason, rule, subject } = operatorReason(refusal)
  return new SourceFailed({ reason: "notes_refused", rule: rule ?? subject ?? reason })
}

/** Whether there is a policy at all; one that is broken, or lies where others may write, is one. */
const isThere = ({ key, rule }: PolicyRefused): boolean => key !== "" || rule !== "missing"

/** The same permissions, and whole notes: nothing of what is read is shown. */
const uncut = (policy: Policy): Policy => ({
  ...policy,
  limits: { ...policy.limits, read_chars: policy.limits.max_file_bytes }
})

export class RecallNotes extends Context.Service<
  RecallNotes,
  {
    /** Whether the profile has a policy. */
    readonly present: (home: string) => Effect.Effect<boolean>
    /** `needs`: what the policy must opt in to for this run. */
    readonly search: (
      home: string,
      needs: ReadonlyArray<OptIn>,
      question: Question
    ) => Effect.Effect<ReadonlyArray<Item>, SourceFailed>
  }
>()("@memory-bridge/core/recall/RecallNotes") {
  /** Needs `Notes`, `PolicyStore` and `Mac`. Scans on the calling thread. */
  static readonly layer = Layer.effect(
    RecallNotes,
    Effect.gen(function* () {
      const notes = yield* Notes
      const policies = yield* PolicyStore
      const mac = yield* Mac

      const itemOf = Effect.fnUntraced(function* (policy: Policy, { id, snippet, title }: SearchResult) {
        // The snippet changes with the question; whether the note has changed is for all of its text to say.
        const { content } = yield* notes.read(uncut(policy), id)
        const item: Item = {
          id,
          content: title === undefined ? snippet : `${title}: ${snippet}`,
          revision: mac.sign("revision", content)
        }
        return item
      })

      const searchUnder = Effect.fnUntraced(function* (policy: Policy, { limit, query }: Question) {
        const wanted = tellingWords(query)
        if (wanted.length === 0) return []
        const { results } = yield* notes.search(policy, { query: wanted.join(" "), limit })
        const items: Array<Item> = []
        for (const result of results) {
          if (!isItemId(result.id) || !holdsEnough(wanted, result)) continue
          // A note that cannot be read any more is none.
          const item = yield* Effect.catchTag(itemOf(policy, result), "NoteRefused", () => Effect.succeed(undefined))
          if (item !== undefined) items.push(item)
        }
        return items
      })

      const search = Effect.fnUntraced(function* (home: string, needs: ReadonlyArray<OptIn>, question: Question) {
        const policy = yield* policies.load(policyPathOf(home))
        const refusal = refusedRun(needs, policy)
        if (refusal !== undefined) return yield* refusal
        return yield* searchUnder(policy, question)
      }, Effect.mapError(refused))

      const present = (home: string): Effect.Effect<boolean> =>
        policies.load(policyPathOf(home)).pipe(
          Effect.as(true),
          Effect.catch((refusal) => Effect.succeed(isThere(refusal)))
        )

      return RecallNotes.of({ present, search })
    })
  )
}
