/**
 * What the reference Broker answers with: the notes that the policy of its home permits. (issue 4 part 2)
 *
 * A grant is for the home's policy as it is for an ordinary run; who asks under it cannot name another home or root.
 */
import * as Effect from "effect/Effect"
import type { SourceFailed } from "./Failure.ts"
import type { Item } from "./Item.ts"
import { RecallNotes } from "./RecallNotes.ts"
import type { Question } from "./Source.ts"

/** Answers a question that came under a grant. */
export type BrokerAnswer = (question: Question) => Effect.Effect<ReadonlyArray<Item>, SourceFailed>

export const notesAnswer = (home: string): Effect.Effect<BrokerAnswer, never, RecallNotes> =>
  Effect.map(
    RecallNotes,
    (notes): BrokerAnswer =>
      (question) =>
        notes.search(home, [], question)
  )
