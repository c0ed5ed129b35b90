/**
 * Which operating system is this, and what reads the notes there? (design.md section 2)
 *
 * The only place of the command line that asks. An adapter is imported only where it fits, because importing it loads
 * its native part.
 */
import { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** There is no adapter for this system, or its native part does not load here. */
export class PlatformRefused extends Schema.TaggedError<PlatformRefused>()("PlatformRefused", {
  reason: Schema.Literals(["platform_unsupported", "platform_unloadable"]),
  platform: Schema.String
}) {}

export const platformText = ({ platform, reason }: PlatformRefused): string =>
  reason === "platform_unsupported"
    ? `memory-bridge: This system (${platform}) is not supported. Memory Bridge runs on Linux and macOS.\n`
    : `memory-bridge: The native library for this system (${platform}) does not load.\n` +
      "  cure  install again on this machine, so that the library for it is fetched\n"

const adapters: { readonly [name in NodeJS.Platform]?: () => Promise<{ readonly layer: Layer.Layer<Tree> }> } = {
  darwin: () => import("@memory-bridge/platform-darwin/DarwinTree"),
  linux: () => import("@memory-bridge/platform-linux/LinuxTree")
}

/** The library is bound when an adapter's layer is built, so both may find that it is not there. */
const adapterFor = (platform: NodeJS.Platform): Effect.Effect<Layer.Layer<Tree, PlatformRefused>, PlatformRefused> => {
  const described = `${platform}-${process.arch}`
  const adapter = adapters[platform]
  if (adapter === undefined) {
    return Effect.fail(new PlatformRefused({ reason: "platform_unsupported", platform: described }))
  }
  const unloadable = new PlatformRefused({ reason: "platform_unloadable", platform: described })
  return Effect.map(Effect.tryPromise({ try: adapter, catch: () => unloadable }), ({ layer }) =>
    Layer.catchCause(layer, () => Layer.effect(Tree, Effect.fail(unloadable)))
  )
}

export const layerFor = (platform: NodeJS.Platform): Layer.Layer<Tree, PlatformRefused> =>
  Layer.unwrap(adapterFor(platform))
