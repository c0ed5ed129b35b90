/**
 * What happened to a session, and what follows for its results and its seen set. (seed 003 "Recall lifecycle",
 * recall-contract T4 and 2.1 "on_session_switch", cases/recall.md 2 and 10)
 *
 * The shim passes on what the host says, in the host's words; what it means is decided here. Whatever is under way for
 * a session that was left is dropped. The set is forgotten where the history that held the blocks is gone (reset,
 * rewind, compression), and taken over where it was copied (branch).
 */
import * as Schema from "effect/Schema"
import type { SeenChange } from "./Seen.ts"

/** "" where the host gave no id. */
const MaybeId = Schema.String.pipe(Schema.check(Schema.isMaxLength(1_024)))

/** `on_session_switch`, to the session of the call. Also a compression in place, which names one session twice. */
export const SessionEvent = Schema.Struct({
  kind: Schema.Literal("switch"),
  /** The id that the provider held until now. */
  previous: MaybeId,
  /** `parent_session_id`. */
  parent: MaybeId,
  reset: Schema.Boolean,
  rewound: Schema.Boolean,
  /** `reason`, whatever the host wrote. */
  reason: Schema.String
})
export type SessionEvent = typeof SessionEvent.Type

export type SessionMeaning = "reset" | "rewind" | "compression" | "branch" | "resume" | "switch"

/** The strongest of what is said: forgetting shows something twice, not forgetting hides it. */
export const meaningOf = ({ reason, reset, rewound }: SessionEvent): SessionMeaning => {
  if (rewound) return "rewind"
  if (reset) return "reset"
  const word = reason.toLowerCase()
  if (word.startsWith("compress") || word.startsWith("compact")) return "compression"
  if (word.startsWith("branch") || word.startsWith("fork")) return "branch"
  return word.startsWith("resume") ? "resume" : "switch"
}

export interface Consequences {
  /** Sessions whose questions under way are dropped. */
  readonly stop: ReadonlyArray<string>
  /** Sessions whose waiting result is dropped. */
  readonly cool: ReadonlyArray<string>
  readonly changes: ReadonlyArray<SeenChange>
}

const forget = (session: string): SeenChange => ({ kind: "forget", session })

const known = (...ids: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(ids)].filter((id) => id !== "")

/** `session` is the one that the event leads to. */
export const consequencesOf = (session: string, event: SessionEvent): Consequences => {
  const { parent, previous } = event
  const left = known(previous).filter((id) => id !== session)
  switch (meaningOf(event)) {
    case "reset":
    case "rewind":
      return { stop: known(session, previous), cool: known(session, previous), changes: [forget(session)] }
    case "compression":
      // Both ids: the host compresses in place or goes on under a new one.
      return { stop: left, cool: left, changes: known(session, previous, parent).map(forget) }
    case "branch": {
      const from = parent === "" ? previous : parent
      const inherits = from !== "" && from !== session
      return { stop: left, cool: left, changes: inherits ? [{ kind: "inherit", session, from }] : [] }
    }
    case "resume":
    case "switch":
      return { stop: left, cool: left, changes: [] }
  }
}
