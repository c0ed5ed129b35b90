/** `memory-bridge disconnect hermes`: a Hermes home as it was before, but for what the user changed since. */
import { Command } from "effect/cli"
import { disconnectHermes } from "../operator/Disconnect.ts"
import { consent, home } from "./Connect.ts"

const hermes = Command.make("hermes", { home, ...consent }, disconnectHermes).pipe(
  Command.withShortDescription("Take the plugins and their settings back out of a Hermes home"),
  Command.withDescription(
    "Take the plugins and their settings back out of a Hermes home. What was changed since stays and is named; policies and audits stay"
  ),
  Command.withExamples([{ command: "memory-bridge disconnect hermes --dry-run" }])
)

export const command = Command.make("disconnect").pipe(
  Command.withDescription("Undo connect"),
  Command.withSubcommands([hermes])
)
