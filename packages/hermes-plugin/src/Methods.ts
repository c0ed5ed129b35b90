/**
 * The method tables: every name that a sidecar answers to. (design.md section 6)
 *
 * A plugin has its rows here and nowhere else. Host signals and model arguments are separate members of the
 * parameters and stay separate all the way, so nothing that the model writes can become a signal.
 */
import { Guard } from "@memory-bridge/core/guard/Guard"
import { Bridge } from "@memory-bridge/core/host/Bridge"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Fence } from "./Fences.ts"
import { method, type MethodTable } from "./rpc/Dispatch.ts"

/** A tool call: what the host says about it, and what the model asks. The core judges both. */
const ToolCall = Schema.Struct({ signals: Schema.Unknown, arguments: Schema.Unknown })

const Nothing = Schema.UndefinedOr(Schema.Struct({}))

export interface Status {
  readonly node: string
  readonly platform: string
  readonly fences: ReadonlyArray<Fence>
}

const statusOf = (fences: ReadonlyArray<Fence>): Status => ({
  node: process.versions.node,
  platform: `${process.platform}-${process.arch}`,
  fences
})

export const common = (fences: ReadonlyArray<Fence>) =>
  [
    ["status", method(Nothing, () => Effect.succeed(statusOf(fences)))],
    ["ping", method(Nothing, () => Effect.succeed("pong"))]
  ] as const

export const methodTable = (fences: ReadonlyArray<Fence>): MethodTable<Bridge> =>
  new Map([
    [
      "memory_bridge.search",
      method(ToolCall, (call) => Bridge.use((bridge) => bridge.search(call.signals, call.arguments)))
    ],
    [
      "memory_bridge.read",
      method(ToolCall, (call) => Bridge.use((bridge) => bridge.read(call.signals, call.arguments)))
    ],
    ...common(fences)
  ])

/** The request is for the core to judge: settings and installation from the host, the call from the model. */
export const guardianTable = (fences: ReadonlyArray<Fence>): MethodTable<Guard> =>
  new Map([
    ["guardian.evaluate", method(Schema.Unknown, (request) => Guard.use((guard) => guard.evaluate(request)))],
    ...common(fences)
  ])
