/**
 * Where the seen sets of a home outlive the process, as a service. (recall-contract 1.4 "hy-memory-seen.json",
 * cases/recall.md 31)
 *
 * Several processes share a home. What one writes is made from what the file holds at that moment, under a lock. A home
 * that cannot be written, or a file that may not be trusted, gives `undefined`: the sets then live in memory alone.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SeenState } from "./Seen.ts"

export class SeenStore extends Context.Service<
  SeenStore,
  {
    /** What the file holds. Where it is missing or holds something else it is made, with `key` as its key. */
    readonly load: (home: string, key: string) => Effect.Effect<SeenState | undefined>
    /** Writes what `change` makes of what the file holds then, and answers with that. */
    readonly update: (
      home: string,
      key: string,
      change: (state: SeenState) => SeenState
    ) => Effect.Effect<SeenState | undefined>
  }
>()("@memory-bridge/core/recall/SeenStore") {}
