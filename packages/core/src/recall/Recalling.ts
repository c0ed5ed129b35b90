/**
 * From a turn's question to what goes before the model a turn later. (seed 003 "Recall lifecycle", recall-contract T2 to
 * T7)
 *
 * A recall fills the session's warm result; a hand-over takes it, leaves out what the session has been shown, and marks
 * only what stands whole in the block. Where the host does not keep what was injected, nothing is marked and nothing
 * left out. A hand-over that did not reach the model can be taken back.
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
import { hasSeen } from "./Seen.ts"
import type { Job } from "./Seats.ts"
import type { Settings } from "./Settings.ts"
import type { Question } from "./Source.ts"
import { maxWarmSessions, type WarmItem, type WarmResult, warmStore } from "./Warm.ts"
import type { Writing } from "./Writing.ts"

/** What goes before the model. `count` is what `recall_status()` may speak of: newly injected items. */
export interface Taken {
  /** "" when there is nothing new. */
  readonly block: string
  readonly count: number
}

export const nothing: Taken = { block: "", count: 0 }

/** Hexadecimal digits. */
const digestLength = 32
const hintLength = 32

interface HandedOver {
  readonly result: WarmResult
  readonly items: ReadonlyArray<WarmItem>
}

export interface Recalling {
  /** Fills the warm result of a place, unless the job is not live any more by then. */
  readonly job: (place: Place, query: string) => Job
  /** Asks the source; the items as they may be shown. */
  readonly find: (
    place: Place,
    mode: Serving,
    query: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Item>, SourceFailed>
  /** Hands the warm result over, if it answers that query, or whatever it answers when none is given. */
  readonly handOver: (place: Place, settings: Settings, query?: string) => Effect.Effect<Taken>
  /** The last hand-over of the place did not reach the model. */
  readonly takeBack: (place: Place) => Effect.Effect<void>
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
  const handedOver = new Map<string, HandedOver>()

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
    yield* writing.settled(key)
    const [state, items] = yield* Effect.all([keepers.of(home).ready, find(place, mode, query, mode.settings.limit)], {
      concurrency: 2
    })
    const at = yield* Clock.currentTimeMillis
    if (!live()) return
    const digest = ({ id, revision }: Item): string => mac.sign(state.key, `${id}\0${revision}`).slice(0, digestLength)
    warm.put(key, { items: items.map((item) => ({ ...item, digest: digest(item) })), query, at })
    yield* report(home, { kind: "recalled", count: items.length })
  })

  const remember = (key: string, last: HandedOver): void => {
    handedOver.delete(key)
    handedOver.set(key, last)
    if (handedOver.size > maxWarmSessions) handedOver.delete(handedOver.keys().next().value ?? "")
  }

  const handOver: Recalling["handOver"] = Effect.fnUntraced(function* ({ profile, session }, settings, query) {
    const key = placeKey(profile.home, session)
    const result = warm.peek(key, yield* Clock.currentTimeMillis)
    if (result === undefined || (query !== undefined && result.query !== query)) return nothing
    warm.drop(key)
    const keeper = keepers.of(profile.home)
    const state = profile.history === "kept" ? keeper.current() : undefined
    const unseen = state === undefined ? result.items : result.items.filter((item) => !hasSeen(state, session, item))
    const { items, text } = blockOf(unseen, settings.maxChars)
    if (items.length === 0) return nothing
    remember(key, { result, items })
    if (profile.history === "kept") yield* keeper.change({ kind: "shown", session, marks: items })
    return { block: text, count: items.length }
  })

  const takeBack = Effect.fnUntraced(function* ({ profile, session }: Place) {
    const key = placeKey(profile.home, session)
    const last = handedOver.get(key)
    if (last === undefined) return
    handedOver.delete(key)
    if (warm.peek(key, yield* Clock.currentTimeMillis) === undefined) warm.put(key, last.result)
    if (profile.history === "kept") {
      yield* keepers.of(profile.home).change({ kind: "not_shown", session, marks: last.items })
    }
  })

  return {
    job: (place, query) => ({
      query,
      run: (live) =>
        recall(place, query, live).pipe(
          Effect.catch((failure) => report(place.profile.home, failedEnding(failure))),
          Effect.catchDefect(() => report(place.profile.home, { kind: "failed", reason: "defect" }))
        )
    }),
    find,
    handOver,
    takeBack,
    cool: (key) => {
      warm.drop(key)
      handedOver.delete(key)
    },
    waiting: warm.size
  }
}
