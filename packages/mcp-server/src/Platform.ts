/**
 * What reads the notes on this operating system? (design.md section 2)
 *
 * As in the sidecar, whose fences are taken over: where there is no adapter, or its native library does not load, the
 * server runs and refuses every call, so that the reason is in the operator's log and not in a crash.
 */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { unavailable } from "@memory-bridge/core/host/PublicAnswer"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import type { Tree } from "@memory-bridge/core/tree/Tree"
import * as DarwinTree from "@memory-bridge/platform-darwin/DarwinTree"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Catalogue } from "./Catalogue.ts"

const trees: { readonly [name in NodeJS.Platform]?: Layer.Layer<Tree> } = {
  darwin: DarwinTree.layer,
  linux: LinuxTree.layer
}

export type Services = Layer.Layer<Bridge | Catalogue>

const refusing = (reason: "platform_unsupported" | "platform_unloadable"): Services => {
  const refuse = (call: string) => () =>
    Effect.as(Effect.annotateLogs(Effect.logWarning("refused"), { call, reason }), unavailable)
  return Layer.merge(
    Layer.succeed(Bridge, Bridge.of({ search: refuse("search"), read: refuse("read") })),
    Layer.succeed(Catalogue, Catalogue.of({ list: refuse("list") }))
  )
}

const over = (tree: Layer.Layer<Tree>): Services =>
  Layer.merge(Bridge.layer, Catalogue.layerNoDeps.pipe(Layer.provide(PolicyStore.layer))).pipe(Layer.provide(tree))

export const servicesFor = (name: NodeJS.Platform): Services => {
  const tree = trees[name]
  return tree === undefined
    ? refusing("platform_unsupported")
    : Layer.catchCause(over(tree), () => refusing("platform_unloadable"))
}
