/**
 * Which operating system is this, and what reads the notes there? (design.md section 2)
 *
 * The only place of the command line that asks. An adapter is imported only where it fits, because importing it loads
 * its native part.
 */
import type { Tree } from "@memory-bridge/core/tree/Tree"
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
    ? `memory-bridge: This system (${platform}) is not supported yet. Memory Bridge runs on Linux.\n`
    : `memory-bridge: The native library for this system (${platform}) does not load.\n` +
      "  cure  install again on this machine, so that the library for it is fetched\n"

const adapterFor = (platform: NodeJS.Platform): Effect.Effect<Layer.Layer<Tree>, PlatformRefused> => {
  const described = `${platform}-${process.arch}`
  switch (platform) {
    case "linux":
      return Effect.tryPromise({
        try: async () => (await import("@memory-bridge/platform-linux/LinuxTree")).layer,
        catch: () => new PlatformRefused({ reason: "platform_unloadable", platform: described })
      })
    default:
      return Effect.fail(new PlatformRefused({ reason: "platform_unsupported", platform: described }))
  }
}

export const layerFor = (platform: NodeJS.Platform): Layer.Layer<Tree, PlatformRefused> =>
  Layer.unwrap(adapterFor(platform))
