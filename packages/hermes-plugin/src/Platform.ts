/**
 * Which operating system is this, and what does the bridge stand on there? (design.md section 2)
 *
 * The only place that asks. Where there is no adapter, or its native library does not load, the process runs and refuses
 * every call, so that the operator finds the reason in the log and not in a crash.
 */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { unavailable } from "@memory-bridge/core/host/PublicAnswer"
import { SourceFailed } from "@memory-bridge/core/recall/Failure"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Adapter } from "./platform/Adapter.ts"
import { darwin } from "./platform/Darwin.ts"
import { linux } from "./platform/Linux.ts"

/** Refuses every call for one reason. */
const refusing = (reason: "platform_unsupported" | "platform_unloadable"): Adapter => {
  const refuse = (call: string) => () =>
    Effect.as(Effect.annotateLogs(Effect.logWarning("refused"), { call, reason }), unavailable)
  return {
    bridge: Layer.succeed(Bridge, Bridge.of({ search: refuse("search"), read: refuse("read") })),
    // Without notes, the other sources of recall can still serve.
    notes: Layer.succeed(
      RecallNotes,
      RecallNotes.of({
        present: () => Effect.succeed(false),
        search: () => Effect.fail(new SourceFailed({ reason: "notes_refused", rule: reason }))
      })
    ),
    landlock: () => ({ name: "landlock", holds: false, detail: reason })
  }
}

const adapters: { readonly [name in NodeJS.Platform]?: Adapter } = { darwin, linux }

export const platformFor = (name: NodeJS.Platform): Adapter => {
  const adapter = adapters[name]
  return adapter === undefined
    ? refusing("platform_unsupported")
    : {
        ...adapter,
        bridge: Layer.catchCause(adapter.bridge, () => refusing("platform_unloadable").bridge),
        notes: Layer.catchCause(adapter.notes, () => refusing("platform_unloadable").notes)
      }
}
