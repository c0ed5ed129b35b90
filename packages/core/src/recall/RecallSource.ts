/**
 * The three sources behind one service: for a profile, the mode and what serves it now. (issue 4 part 1)
 *
 * Nothing is remembered between two calls, so a file or a policy that changed counts from the next question on.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { brokerSource } from "./Broker.ts"
import { maxConnectionBytes } from "./Connection.ts"
import type { SourceFailed } from "./Failure.ts"
import { memoryServer } from "./MemoryServer.ts"
import { configuredMode, connectionPlaceOf, type Mode } from "./Mode.ts"
import { needsOf, type Profile } from "./Profile.ts"
import type { Source } from "./Source.ts"
import { RecallNotes } from "./RecallNotes.ts"
import { TrustedFiles } from "./TrustedFile.ts"

/** A mode that has a source. */
export type Serving = Extract<Mode, { readonly kind: "managed" | "direct" | "notes" }>

export const isServing = (mode: Mode): mode is Serving => mode.kind !== "disabled" && mode.kind !== "off"

export class RecallSource extends Context.Service<
  RecallSource,
  {
    readonly mode: (profile: Profile) => Effect.Effect<Mode>
    readonly open: (profile: Profile, mode: Serving) => Effect.Effect<Source, SourceFailed>
  }
>()("@memory-bridge/core/recall/RecallSource") {
  /** Needs `TrustedFiles`, `Http`, `Mac`, `FreshId` and `RecallNotes`. */
  static readonly layer = Layer.effect(
    RecallSource,
    Effect.gen(function* () {
      const files = yield* TrustedFiles
      const broker = yield* brokerSource
      const server = yield* memoryServer
      const notes = yield* RecallNotes

      const mode = Effect.fnUntraced(function* (profile: Profile): Effect.fn.Return<Mode> {
        const place = connectionPlaceOf(profile)
        if (Result.isFailure(place)) return place.failure
        const reading = yield* files.read(place.success.path, "public", maxConnectionBytes)
        const configured = configuredMode(profile, place.success, reading)
        if (configured.kind !== "unconfigured") return configured
        const { settings } = configured
        if (!settings.notes) return { kind: "off", reason: "notes_off" }
        return (yield* notes.present(profile.home))
          ? { kind: "notes", settings }
          : { kind: "off", reason: "not_configured" }
      })

      const open = (profile: Profile, mode: Serving): Effect.Effect<Source, SourceFailed> => {
        switch (mode.kind) {
          case "managed":
            return broker(mode.connection, mode.settings.maxBodyBytes)
          case "direct":
            return Effect.sync(() => server(mode.server, mode.settings.maxBodyBytes))
          case "notes":
            return Effect.succeed({
              peer: "notes",
              search: (question) => notes.search(profile.home, needsOf(profile), question)
            })
        }
      }

      return RecallSource.of({ mode, open })
    })
  )
}
