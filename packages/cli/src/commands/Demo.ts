/** `memory-bridge demo`: the real plugin under a simulated host, step by step. */
import { Command, Flag } from "effect/cli"
import { demo } from "../demo/Demo.ts"
import * as Flags from "./Flags.ts"

export const command = Command.make(
  "demo",
  {
    interactive: Flag.Boolean("interactive").pipe(
      Flag.withDescription("Afterwards, ask questions yourself"),
      Flag.withDefault(false)
    ),
    plugin: Flags.plugin
  },
  demo
).pipe(
  Command.withShortDescription("Show on synthetic notes what the plugin serves and refuses"),
  Command.withDescription(
    "Show on synthetic notes what the plugin serves and refuses. The host is simulated; python3 (3.11 or newer) is needed"
  )
)
