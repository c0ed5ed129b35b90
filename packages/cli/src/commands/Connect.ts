/** `memory-bridge connect hermes`: the plugins into a Hermes home, and its configuration to match. */
import { Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { connectHermes } from "../operator/Connect.ts"

export const home = Flag.Path("home").pipe(
  Flag.withMetavar("HOME"),
  Flag.withDescription("Hermes home, if not HERMES_HOME or ~/.hermes"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

export const consent = {
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Show what would change, and change nothing"),
    Flag.withDefault(false)
  ),
  yes: Flag.Boolean("yes").pipe(
    Flag.withDescription("Do it without asking; needed where there is no terminal to ask in"),
    Flag.withDefault(false)
  )
}

const hermes = Command.make(
  "hermes",
  {
    home,
    plugins: Flag.String("plugins").pipe(
      Flag.withMetavar("NAMES"),
      Flag.withDescription("Which plugins, with commas between them, if not all three"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    ...consent
  },
  connectHermes
).pipe(
  Command.withShortDescription("Install the plugins into a Hermes home and enable them"),
  Command.withDescription(
    "Install the plugins into a Hermes home and enable them in its config.yaml. Comments and order are kept, and what was there before is journalled for disconnect"
  ),
  Command.withExamples([
    { command: "memory-bridge connect hermes --dry-run" },
    { command: "memory-bridge connect hermes --plugins memory-bridge,hermes-guardian" }
  ])
)

export const command = Command.make("connect").pipe(
  Command.withDescription("Connect an agent host to Memory Bridge"),
  Command.withSubcommands([hermes])
)
