/**
 * Where memories come from, whichever source it is. (issue 4 part 1)
 *
 * A source is looked up anew for each question, from the files and settings as they are then; what it is called tells
 * the breaker whether it is still the one that failed before. It has no deadline of its own, see Http.ts.
 */
import type * as Effect from "effect/Effect"
import type { SourceFailed } from "./Failure.ts"
import type { Item } from "./Item.ts"

export interface Question {
  /** Bounded and not blank. */
  readonly query: string
  readonly limit: number
  /** Tells sessions apart and nothing else. */
  readonly session: string
}

/** What became of a text that was to be stored. */
export interface Stored {
  /** Whether it can be found at once. */
  readonly searchable: boolean
}

/** One source as it is now. */
export interface Source {
  /** Changes when another peer takes its place: what was held against the old one does not count for the new one. */
  readonly peer: string
  readonly search: (question: Question) => Effect.Effect<ReadonlyArray<Item>, SourceFailed>
  /** Only the memory server stores. `who` said it: the user's turn, or the agent on request. */
  readonly add?: (text: string, session: string, who: "turn" | "request") => Effect.Effect<Stored, SourceFailed>
}
