/**
 * Which memories a session has been shown, and what makes it forget. (seed 003 "Recall lifecycle", recall-contract T3 to
 * T5, cases/recall.md 47)
 *
 * Of a memory its id and a keyed digest of what it said are kept, never what it said: so a corrected memory is shown
 * again, an unchanged one is not. All that happens is a change applied to plain state; changes of two processes to one
 * file can thus be applied one after the other and none is lost.
 */

import { keepNewest } from "../budget/Oldest.ts"

/** Digests by memory id, in the order in which they were shown. */
export type Shown = ReadonlyMap<string, string>

export interface SeenState {
  /** Of the digests. A digest under another key says nothing. */
  readonly key: string
  /** By session id, the one touched last at the end. */
  readonly sessions: ReadonlyMap<string, Shown>
}

export interface Mark {
  readonly id: string
  readonly digest: string
}

export type SeenChange =
  | { readonly kind: "shown"; readonly session: string; readonly marks: ReadonlyArray<Mark> }
  /** The history that held them is gone. */
  | { readonly kind: "forget"; readonly session: string }
  /** A session that starts with another's history. */
  | { readonly kind: "inherit"; readonly session: string; readonly from: string }

export const maxSessions = 128
export const maxShown = 512

/** A session nobody came back to is forgotten first. */
const touched = (sessions: Map<string, Shown>, session: string, shown: Shown): Map<string, Shown> => {
  sessions.delete(session)
  if (shown.size > 0) sessions.set(session, shown)
  keepNewest(sessions, maxSessions)
  return sessions
}

const withMarks = (before: Shown, marks: ReadonlyArray<Mark>): Shown => {
  const shown = new Map(before)
  for (const { digest, id } of marks) {
    shown.delete(id)
    shown.set(id, digest)
  }
  keepNewest(shown, maxShown)
  return shown
}

const none: Shown = new Map()

const shownIn = ({ sessions }: SeenState, session: string): Shown => sessions.get(session) ?? none

const shownAfter = (state: SeenState, change: SeenChange): Shown => {
  const before = shownIn(state, change.session)
  switch (change.kind) {
    case "shown":
      return withMarks(before, change.marks)
    case "forget":
      return none
    case "inherit":
      return withMarks(
        before,
        Array.from(shownIn(state, change.from), ([id, digest]) => ({ id, digest }))
      )
  }
}

export const applied = (state: SeenState, change: SeenChange): SeenState => ({
  key: state.key,
  sessions: touched(new Map(state.sessions), change.session, shownAfter(state, change))
})

/** Whether the session has been shown this very text of the memory. */
export const hasSeen = (state: SeenState, session: string, { digest, id }: Mark): boolean =>
  shownIn(state, session).get(id) === digest
