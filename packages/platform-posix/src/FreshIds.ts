/** Random ids from the system's generator: version 4 UUIDs. (core `FreshId`) */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FreshId } from "@memory-bridge/core/guard/FreshId"

export const layer: Layer.Layer<FreshId> = Layer.succeed(FreshId, FreshId.of({ next: Effect.sync(() => randomUUID()) }))
