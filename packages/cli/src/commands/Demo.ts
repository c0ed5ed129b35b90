/** `memory-bridge demo`: the real plugin under a simulated host, step by step. */
import { Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { demo } from "../demo/Demo.ts"

export const command = Command.make(
  "demo",
  {
    interactive: Flag.Boolean("interactive").pipe(
      Flag.withDescription("Afterwards, ask questions yourself"),
      Flag.withDefault(false)
    ),
    plugin: Flag.Path("plugin").pipe(
      Flag.withMetavar("DIR"),
      Flag.withDescription("Built plugin to show, if not the one beside this program; it is copied"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    )
  },
  demo
).pipe(
  Command.withShortDescription("Show on synthetic notes what the plugin serves and refuses"),
  Command.withDescription(
    "Show on synthetic notes what the plugin serves and refuses. The host is simulated; python3 (3.11 or newer) is needed"
  )
)
