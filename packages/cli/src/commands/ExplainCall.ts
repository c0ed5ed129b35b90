/** `memory-bridge explain-call CALL`: what the guard decides about a tool call, and why. */
import { Argument, Command } from "effect/cli"
import { explainCall } from "../operator/ExplainCall.ts"
import { home, policy } from "./Explain.ts"
import * as Flags from "./Flags.ts"

export const command = Command.make(
  "explain-call",
  {
    call: Argument.String("CALL").pipe(Argument.withDescription('JSON: {"tool": NAME, "args": {...}}')),
    policy,
    home,
    json: Flags.json
  },
  explainCall
).pipe(
  Command.withShortDescription("Say what the guard decides about a tool call under the policy in force"),
  Command.withDescription(
    "Say what the guard decides about a tool call under the policy in force, or under another one. Nothing is recorded or carried out"
  ),
  Command.withExamples([
    { command: `memory-bridge explain-call '{"tool": "read_file", "args": {"path": "/etc/hosts"}}'` }
  ])
)
