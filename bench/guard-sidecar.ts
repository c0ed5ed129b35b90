/**
 * The guardian's sidecar without its audit, for the benchmark alone: what a call costs apart from the disk. Nothing of it
 * ships; but for the audit it is plugged together as guardian.ts is.
 */
import { AuditLog } from "@memory-bridge/core/guard/AuditLog"
import { Guard } from "@memory-bridge/core/guard/Guard"
import { guardianTable } from "@memory-bridge/hermes-plugin/Methods"
import { platformFor } from "@memory-bridge/hermes-plugin/Platform"
import { runSidecar } from "@memory-bridge/hermes-plugin/Sidecar"
import * as FreshIds from "@memory-bridge/platform-posix/FreshIds"
import * as PathFacts from "@memory-bridge/platform-posix/guard/PathFacts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const nothingKept = Layer.succeed(AuditLog, AuditLog.of({ append: () => Effect.void }))

void runSidecar({
  services: Guard.layer.pipe(Layer.provide([PathFacts.layer, FreshIds.layer, nothingKept])),
  landlock: () => platformFor(process.platform).landlock(undefined),
  methods: guardianTable
})
