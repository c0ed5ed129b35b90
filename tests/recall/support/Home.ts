/** A Hermes home with notes, a policy and a Broker's files, and the whole of recall over it. */
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { connectionText } from "@memory-bridge/core/recall/Connection"
import type { Place, Profile } from "@memory-bridge/core/recall/Profile"
import { Recall } from "@memory-bridge/core/recall/Recall"
import type { Offer } from "@memory-bridge/core/recall/Recalling"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import type { SessionEvent } from "@memory-bridge/core/recall/SessionEvent"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import { grant } from "@memory-bridge/platform-posix/recall/Grants"
import * as RecallPlatform from "@memory-bridge/platform-posix/recall/RecallPlatform"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Child, heard, startChild } from "./Child.ts"
import { here } from "./Peers.ts"

/** All of recall on this machine. A new one each time it is provided: one sidecar. What is logged goes to `logged`. */
export const sidecarLogging = (logged: Array<string>): Layer.Layer<Recall> =>
  Layer.fresh(Recall.layer).pipe(
    Layer.provide(RecallNotes.layer),
    Layer.provide(Layer.mergeAll(Notes.layer, PolicyStore.layer)),
    Layer.provide(LinuxTree.layer),
    Layer.provide(RecallPlatform.layer),
    Layer.provideMerge(
      Logger.layer([
        Logger.make<unknown, void>(({ cause, fiber, message }) => {
          const annotations = fiber.getRef(References.CurrentLogAnnotations)
          logged.push(JSON.stringify({ message, annotations, cause }))
        })
      ])
    )
  )

export const sidecar: Layer.Layer<Recall> = sidecarLogging([])

export interface Home {
  readonly path: string
  readonly plugin: string
  readonly discoveryFile: string
  readonly grantStore: string
  readonly notes: string
}

const write = (path: string, text: string, mode = 0o600): void => {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 })
  writeFileSync(path, text, { mode })
}

export const note = (home: Home, name: string, text: string): void => write(join(home.notes, name), text)

/** A home without a policy and without a connection. */
export const emptyHome: Effect.Effect<Home, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync((): Home => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), "recall-home-")))
    const home: Home = {
      path,
      plugin: join(path, "plugins", "hy_memory"),
      discoveryFile: join(path, "broker", "broker.json"),
      grantStore: join(path, "broker", "grants"),
      notes: join(path, "notes")
    }
    mkdirSync(home.plugin, { recursive: true })
    mkdirSync(home.notes)
    mkdirSync(join(path, "broker"), { mode: 0o700 })
    return home
  }),
  ({ path }) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const allowNotes = (home: Home, changes: object = {}): void =>
  write(
    join(home.path, "plugin-data", "memory-bridge", "policy.json"),
    JSON.stringify({ version: 1, root: home.notes, allow: ["**"], ...changes })
  )

export const connectionFile = (home: Home): string => join(home.plugin, "connection.json")

/** Grants the home's host, and connects it. */
export const connectHome = (home: Home): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => grant(home.grantStore, "hermes")),
    (credentialFile) => {
      write(connectionFile(home), connectionText({ discoveryFile: home.discoveryFile, credentialFile }))
      return credentialFile
    }
  )

export interface Broker {
  readonly child: Child
  readonly port: number
  readonly instance: string
}

export const startBroker = (home: Home): Effect.Effect<Broker, never, Scope.Scope> =>
  Effect.gen(function* () {
    const args = ["--no-warnings", join(here, "peers", "broker.ts"), home.path, home.discoveryFile, home.grantStore]
    const child = yield* startChild(process.execPath, args)
    return yield* heard(child, ({ instance, port }) =>
      port === undefined ? undefined : { child, port: port as number, instance: instance as string }
    )
  })

export const profileOf = (home: Home, changes: Partial<Profile> = {}): Profile => ({
  home: home.path,
  plugin_directory: home.plugin,
  environment: {},
  run: "primary",
  history: "kept",
  ...changes
})

export const placeIn = (home: Home, session = "s1", changes: Partial<Profile> = {}): Place => ({
  profile: profileOf(home, changes),
  session
})

/** What the host's side does at the start of a turn: the offer goes before the model, and it says so. */
export const take = (place: Place): Effect.Effect<Offer, never, Recall> =>
  Effect.tap(
    Recall.use((recall) => recall.offer(place)),
    ({ marks, result }) => Recall.use((recall) => recall.taken(place, result, marks))
  )

/** One turn of the host: what was asked, once it is answered, then the hand-over. */
export const turn = (place: Place, query: string): Effect.Effect<string, never, Recall> =>
  Effect.gen(function* () {
    yield* Recall.use((recall) => recall.queue(place, query))
    const { block } = yield* take(place)
    return Array.from(block.matchAll(/^\d+\. \[([^\]]*)\]/gm), ([, id]) => id).join(" ")
  })

export const tell = (place: Place, event: SessionEvent) => Recall.use((recall) => recall.event(place, event))

/** How the last recall ended. */
export const lastEnding = (place: Place): Effect.Effect<string, never, Recall> =>
  Effect.map(
    Recall.use((recall) => recall.status(place.profile)),
    ({ last_recall }) => {
      const ending = last_recall?.ending
      return ending === undefined ? "none" : "reason" in ending ? ending.reason : ending.kind
    }
  )
