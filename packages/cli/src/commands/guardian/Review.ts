/** `memory-bridge guardian review`: what changes when a proposed policy takes the place of the active one. */
import { Command, Flag } from "effect/cli"
import { reviewPolicy } from "../../operator/Lab.ts"
import * as Flags from "../Flags.ts"
import { home } from "./Activate.ts"
import { recorded, policy } from "./Simulate.ts"

export const proposed = Flag.Path("proposed").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Proposed policy as JSON or YAML")
)

const noNewAccess = Flag.Boolean("no-new-access").pipe(
  Flag.withDescription("End with exit code 4 if anything is refused less than before"),
  Flag.withDefault(false)
)

export const command = Command.make(
  "review",
  { proposed, policy, ...recorded, home, noNewAccess, json: Flags.json },
  reviewPolicy
).pipe(
  Command.withShortDescription("Say exactly what a proposed policy changes"),
  Command.withDescription(
    "Say exactly what a proposed policy changes: every class of calls that is refused less or more than before, with an example. Changes nothing"
  ),
  Command.withExamples([
    { command: "memory-bridge guardian review --proposed ./guard.json" },
    { command: "memory-bridge guardian review --proposed ./new.yaml --policy ./old.yaml --no-new-access" }
  ])
)
