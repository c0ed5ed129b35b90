/** `memory-bridge policy check FILE`: would this policy be used, and what would it serve? */
import { Argument, Command } from "effect/cli"
import { checkPolicy } from "../operator/PolicyCheck.ts"
import * as Flags from "./Flags.ts"

const check = Command.make(
  "check",
  {
    file: Argument.Path("FILE").pipe(Argument.withDescription("Policy file; its place is checked too")),
    json: Flags.json
  },
  checkPolicy
).pipe(
  Command.withShortDescription("Say whether a policy file would be used, and what it would serve"),
  Command.withDescription(
    "Say whether a policy file would be used: its path, its text, its root; and what it would serve. Changes nothing"
  ),
  Command.withExamples([{ command: "memory-bridge policy check ./policy.json" }])
)

export const command = Command.make("policy").pipe(
  Command.withDescription("Policies of the notes: check one before it decides"),
  Command.withSubcommands([check])
)
