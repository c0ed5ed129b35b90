/**
 * From a turn's question to what goes before the model a turn later. (seed 003 "Recall lifecycle", recall-contract T2 to
 * T7)
 *
 * A recall fills the session's warm result. An offer is made of it: the block of what the session has not been shown, to
 * lie with the host until its next turn. Only when the host says that it was taken does it count as shown, and only what
 * stands whole in the block; an offer that was not taken is made again. Where the host does not keep what was injected,
 * nothing is marked and nothing left out.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Asking } from "./Asking.ts"
import { blockOf } from "./Block.ts"
import type { SourceFailed } from "./Failure.ts"
import type { Item } from "./Item.ts"
import type { Keepers } from "./Keeper.ts"
import type { Mac } from "./Mac.ts"
import { type Place, placeKey } from "./Profile.ts"
import { isServing, type Serving } from "./RecallSource.ts"
import { type Ending, failedEnding } from "./Report.ts"
import { withoutSecrets } from "./Secrets.ts"
import { hasSeen, type Mark } from "./Seen.ts"
import type { Job } from "./Seats.ts"
import type { Settings } from "./Settings.ts"
import type { Question } from "./Source.ts"
import { warmMillis, warmStore } from "./Warm.ts"
import type { Writing } from "./Writing.ts"

/** What may go before the model. */
export interface Offer {
  /** "" when there is nothing new. */
  readonly block: string
  /** What `recall_status()` may speak of once it is taken: newly injected items. */
  readonly count: number
  /** Names the result that it was made of. */
  readonly result: number
  /** What will have been shown once it is taken. */
  readonly marks: ReadonlyArray<Mark>
  /** How long it may lie. */
  readonly millis: number
}

export const nothing: Offer = { block: "", count: 0, result: 0, marks: [], millis: 0 }

/** How long a recall waits for its own session's text to be stored, so that it can find it. Milliseconds. */
const patience = 2_000
/** Where a turn waits for the recall in its turn. */
const freshPatience = 300

/** Hexadecimal digits. */
const digestLength = 32
const hintLength = 32

export interface Recalling {
  /** Fills the warm result of a place, unless the job is not live any more by then. */
  readonly job: (place: Place, query: string, over?: () => void) => Job
  /** Asks the source; the items as they may be shown. */
  readonly find: (
    place: Place,
    mode: Serving,
    query: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Item>, SourceFailed>
  /** An offer of the warm result, if it answers that query, or whatever it answers when none is given. */
  readonly offer: (place: Place, settings: Settings, query?: string) => Effect.Effect<Offer>
  /** The offer of that result went before the model. */
  readonly taken: (place: Place, result: number, marks: ReadonlyArray<Mark>) => Effect.Effect<void>
  readonly cool: (key: string) => void
  readonly waiting: () => number
}

export interface Parts {
  readonly mac: Mac["Service"]
  readonly asking: Asking
  readonly keepers: Keepers
  readonly writing: Writing
  readonly report: (home: string, ending: Ending) => Effect.Effect<void>
}

export const makeRecalling = ({ asking, keepers, mac, report, writing }: Parts): Recalling => {
  const warm = warmStore()

  const find: Recalling["find"] = ({ profile, session }, mode, query, limit) => {
    const hint = mac.sign(profile.home, session).slice(0, hintLength)
    const question: Question = { query, limit, session: hint }
    const { maskSecrets, timeoutMillis } = mode.settings
    return Effect.map(
      asking.ask(profile, mode, "read", timeoutMillis, (source) => source.search(question)),
      (items) => (maskSecrets ? items.map((item) => ({ ...item, content: withoutSecrets(item.content) })) : items)
    )
  }

  const recall = Effect.fnUntraced(function* (place: Place, query: string, live: () => boolean) {
    const { home } = place.profile
    const key = placeKey(home, place.session)
    const mode = yield* asking.mode(place.profile)
    if (!isServing(mode)) return yield* report(home, mode)
    if (!mode.settings.autoRecall) return
    yield* writing.settled(key, mode.settings.fresh ? freshPatience : patience)
    const [state, items] = yield* Effect.all([keepers.of(home).ready, find(place, mode, query, mode.settings.limit)], {
      concurrency: 2
    })
    const at = yield* Clock.currentTimeMillis
    if (!live()) return
    const digest = ({ id, revision }: Item): string => mac.sign(state.key, `${id}\0${revision}`).slice(0, digestLength)
    const warmItems = items.map((item) => ({ id: item.id, content: item.content, digest: digest(item) }))
    warm.put(key, { items: warmItems, query, at })
    yield* report(home, { kind: "recalled", count: items.length })
  })

  const offer: Recalling["offer"] = Effect.fnUntraced(function* ({ profile, session }, settings, query) {
    const now = yield* Clock.currentTimeMillis
    const result = warm.peek(placeKey(profile.home, session), now)
    if (result === undefined || (query !== undefined && result.query !== query)) return nothing
    const state = profile.history === "kept" ? keepers.of(profile.home).current() : undefined
    const unseen = state === undefined ? result.items : result.items.filter((item) => !hasSeen(state, session, item))
    const { items, text } = blockOf(unseen, settings.maxChars)
    const marks = profile.history === "kept" ? items.map(({ digest, id }) => ({ id, digest })) : []
    const millis = Math.max(0, result.at + warmMillis - now)
    return items.length === 0 ? nothing : { block: text, count: items.length, result: result.serial, marks, millis }
  })

  const taken: Recalling["taken"] = Effect.fnUntraced(function* ({ profile, session }, result, marks) {
    const key = placeKey(profile.home, session)
    // A newer result stays; what was shown is left out of the offer that is made of it.
    if (warm.peek(key, yield* Clock.currentTimeMillis)?.serial === result) warm.drop(key)
    if (marks.length > 0) yield* keepers.of(profile.home).change({ kind: "shown", session, marks })
  })

  return {
    job: (place, query, over = () => {}) => ({
      query,
      over,
      run: (live) =>
        recall(place, query, live).pipe(
          Effect.catch((failure) => report(place.profile.home, failedEnding(failure))),
          Effect.catchDefect(() => report(place.profile.home, { kind: "failed", reason: "defect" }))
        )
    }),
    find,
    offer,
    taken,
    cool: warm.drop,
    waiting: warm.size
  }
}
