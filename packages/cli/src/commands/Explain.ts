/** `memory-bridge explain ID|PATH`: which rule decides about a note, step by step. */
import { Argument, Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { explainNote } from "../operator/ExplainNote.ts"
import * as Flags from "./Flags.ts"

export const policy = Flag.Path("policy").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Policy file, if not that of the home"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

export const home = Flag.Path("home").pipe(
  Flag.withMetavar("HOME"),
  Flag.withDescription("Hermes home, if not HERMES_HOME or ~/.hermes"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

export const command = Command.make(
  "explain",
  {
    argument: Argument.String("ID|PATH").pipe(
      Argument.withDescription("Id of a note or directory as search prints it, or a path that begins with / or .")
    ),
    policy,
    home,
    json: Flags.json
  },
  explainNote
).pipe(
  Command.withShortDescription("Say why a note is served or not, step by step"),
  Command.withDescription(
    "Say why a note or directory is served or not, step by step, as the engine decides. Changes nothing"
  ),
  Command.withExamples([
    { command: "memory-bridge explain projects/garden.md" },
    { command: "memory-bridge explain ./notes/projects --policy ./policy.json" }
  ])
)
