/**
 * Keeps how the last recall and the last write of each home ended, and logs when that changes. (recall-contract 2.3
 * point 7)
 *
 * A source that is down for a day is one line in the log, and another when it is back.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SourceFailed } from "./Failure.ts"
import { type Ended, type Ending, failedEnding, type RecallStatus } from "./Report.ts"

const maxHomes = 64

type Last = Pick<RecallStatus, "last_recall" | "last_write">

export interface Reporter {
  readonly recalled: (home: string, ending: Ending) => Effect.Effect<void>
  readonly written: (home: string, ending: Ending) => Effect.Effect<void>
  /** A search of the tool that failed; one that succeeded says nothing of automatic recall. */
  readonly failed: (home: string, failure: SourceFailed) => Effect.Effect<void>
  readonly last: (home: string) => Last
}

const none: Last = { last_recall: null, last_write: null }

/** What makes two endings the same in the log. */
const kindOf = (ended: Ended | null): string => {
  if (ended === null) return "none"
  const { ending } = ended
  return "reason" in ending ? `${ending.kind} ${ending.reason}` : ending.kind
}

const line = (ending: Ending): Effect.Effect<void> => {
  const { kind, ...detail } = ending
  const level = kind === "failed" || kind === "disabled" ? Effect.logWarning : Effect.logInfo
  return Effect.annotateLogs(level(`recall_${kind}`), detail)
}

export const makeReporter = (): Reporter => {
  const homes = new Map<string, Last>()

  const keep = (which: keyof Last) =>
    Effect.fnUntraced(function* (home: string, ending: Ending) {
      const before = homes.get(home) ?? none
      const ended: Ended = { ending, at: yield* Clock.currentTimeMillis }
      homes.delete(home)
      homes.set(home, { ...before, [which]: ended })
      if (homes.size > maxHomes) homes.delete(homes.keys().next().value ?? "")
      if (kindOf(before[which]) !== kindOf(ended)) yield* line(ending)
    })

  const recalled = keep("last_recall")
  return {
    recalled,
    written: keep("last_write"),
    failed: (home, failure) => recalled(home, failedEnding(failure)),
    last: (home) => homes.get(home) ?? none
  }
}
