/**
 * A host over the whole of recall, with a source, a file and a clock of the test's own.
 *
 * One `host` is one sidecar; two of them over one `Disk` are two processes of a home.
 */
import { SourceFailed } from "@memory-bridge/core/recall/Failure"
import type { Item } from "@memory-bridge/core/recall/Item"
import type { Mode } from "@memory-bridge/core/recall/Mode"
import type { Place, Profile } from "@memory-bridge/core/recall/Profile"
import { Recall } from "@memory-bridge/core/recall/Recall"
import { RecallSource } from "@memory-bridge/core/recall/RecallSource"
import type { SeenState } from "@memory-bridge/core/recall/Seen"
import { stateOf, stateText } from "@memory-bridge/core/recall/SeenFile"
import { SeenStore } from "@memory-bridge/core/recall/SeenStore"
import type { SessionEvent } from "@memory-bridge/core/recall/SessionEvent"
import { type Environment, serverSettingsOf, settingsOf } from "@memory-bridge/core/recall/Settings"
import type { Question, Stored } from "@memory-bridge/core/recall/Source"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import { countedIds, macLayer } from "./Peers.ts"

export const item = (id: string, content = `about ${id}`, revision = content): Item => ({ id, content, revision })
export const items = (...ids: ReadonlyArray<string>): ReadonlyArray<Item> => ids.map((id) => item(id))

/** The state files of all homes, as text. */
export interface Disk {
  readonly files: Map<string, string>
  writable: boolean
  writes: number
  /** How long a look at a file takes to come back with what it found. */
  slow: Effect.Effect<void> | undefined
}

export const disk = (): Disk => ({ files: new Map(), writable: true, writes: 0, slow: undefined })

const storeOn = (disk: Disk): Layer.Layer<SeenStore> => {
  const update = (home: string, key: string, change: (state: SeenState) => SeenState) =>
    Effect.sync(() => {
      if (!disk.writable) return undefined
      const state = change(stateOf(disk.files.get(home) ?? "") ?? { key, sessions: new Map() })
      disk.files.set(home, stateText(state))
      disk.writes++
      return state
    })
  const load = (home: string, key: string) =>
    Effect.tap(
      update(home, key, (state) => state),
      () => disk.slow ?? Effect.void
    )
  return Layer.succeed(SeenStore, SeenStore.of({ load, update }))
}

export interface Asked extends Question {
  readonly home: string
}

type Search = (asked: Asked) => Effect.Effect<ReadonlyArray<Item>, SourceFailed>
type Add = (text: string) => Effect.Effect<Stored, SourceFailed>

export const failing = (reason: SourceFailed["reason"]): Effect.Effect<never, SourceFailed> =>
  Effect.fail(new SourceFailed({ reason }))

export interface Given {
  search: Search
  add: Add
  peer: string
  /** Overrides the mode that the environment would give, which is direct mode. */
  mode: Mode | undefined
}

export interface Host {
  readonly given: Given
  /** The queries that reached the source. */
  readonly asked: Array<string>
  readonly stored: Array<string>
  readonly layer: Layer.Layer<Recall>
}

const modeOf = (given: Given, environment: Environment): Mode => {
  if (given.mode !== undefined) return given.mode
  const settings = settingsOf(environment)
  if (Result.isFailure(settings)) {
    return { kind: "disabled", reason: "setting_invalid", subject: settings.failure.variable }
  }
  const named = { HY_MEMORY_USER_ID: "ana", HY_MEMORY_AGENT_ID: "hermes", ...environment }
  return {
    kind: "direct",
    settings: settings.success,
    server: Result.getOrThrow(serverSettingsOf(named, settings.success))
  }
}

/** `files`: what reading the files that decide the mode comes to, besides their content. */
export const host = (search: Search, on: Disk = disk(), files: Effect.Effect<void> = Effect.void): Host => {
  const given: Given = { search, add: () => Effect.succeed({ searchable: true }), peer: "peer", mode: undefined }
  const asked: Array<string> = []
  const stored: Array<string> = []
  const source = Layer.succeed(
    RecallSource,
    RecallSource.of({
      mode: ({ environment }) => Effect.map(files, () => modeOf(given, environment)),
      open: ({ home }) =>
        Effect.sync(() => ({
          peer: given.peer,
          search: (question) =>
            Effect.suspend(() => {
              asked.push(question.query)
              return given.search({ ...question, home })
            }),
          add: (text) =>
            Effect.suspend(() => {
              stored.push(text)
              return given.add(text)
            })
        }))
    })
  )
  return {
    given,
    asked,
    stored,
    // Fresh, or a host within a host would be the same one.
    layer: Layer.fresh(Recall.layerNoDeps).pipe(Layer.provide([source, storeOn(on), macLayer, countedIds]))
  }
}

export const profile = (changes: Partial<Profile> = {}): Profile => ({
  home: "/h",
  plugin_directory: "/h/plugins/hy_memory",
  environment: {},
  run: "primary",
  history: "kept",
  ...changes
})

export const place = (session = "s1", changes: Partial<Profile> = {}): Place => ({ profile: profile(changes), session })

/** Lets whatever needs no time happen. */
export const settle = Effect.repeat(TestClock.adjust(0), { times: 4 })

/** Asks, and waits for nothing. */
export const queue = (query = "where is the boat?", at: Place = place()) =>
  Effect.asVoid(Effect.forkChild(Recall.use((recall) => recall.queue(at, query))))
export const offer = (at: Place = place()) => Recall.use((recall) => recall.offer(at))
/** What the host's side does at the start of a turn: the offer goes before the model, and it says so. */
export const take = (at: Place = place()) =>
  Effect.tap(offer(at), ({ marks, result }) => Recall.use((recall) => recall.taken(at, result, marks)))
export const event = (happened: SessionEvent, at: Place = place()) => Recall.use((recall) => recall.event(at, happened))

/** The ids in a block, in order. */
export const idsIn = (block: string): string =>
  Array.from(block.matchAll(/^\d+\. \[([^\]]*)\]/gm), ([, id]) => id).join(" ")

/** The ids that a take hands over; the count is held against them. */
export const taken = (at: Place = place()) =>
  Effect.map(take(at), ({ block, count }) => {
    const ids = idsIn(block)
    if (count !== ids.split(" ").filter((id) => id !== "").length) throw new Error(`${count} are counted of ${ids}`)
    return ids
  })

/** One turn of the host: the question of the last one, then the hand-over. */
export const turn = (at: Place = place(), query = "where is the boat?") =>
  queue(query, at).pipe(Effect.andThen(settle), Effect.andThen(taken(at)))

export const switched = (changes: Partial<Extract<SessionEvent, { kind: "switch" }>> = {}): SessionEvent => ({
  kind: "switch",
  previous: "",
  parent: "",
  reset: false,
  rewound: false,
  reason: "",
  ...changes
})

/** A source that always finds these. */
export const always = (...ids: ReadonlyArray<string>): Host => host(() => Effect.succeed(items(...ids)))

export const status = Recall.use((recall) => recall.status(profile()))

/** How the last recall ended, with the reason if there is one. */
export const last = Effect.map(status, ({ last_recall }) => {
  const ending = last_recall?.ending
  return ending === undefined ? "none" : "reason" in ending ? `${ending.kind} ${ending.reason}` : ending.kind
})
