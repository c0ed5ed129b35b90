/** `memory-bridge init`: the first policy of a profile. */
import { Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { init } from "../operator/Init.ts"
import { home } from "./Explain.ts"

const patterns = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("PATTERN"), Flag.withDescription(description), Flag.atLeast(0))

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const command = Command.make(
  "init",
  {
    home,
    root: Flag.String("root").pipe(
      Flag.withMetavar("DIR"),
      Flag.withDescription("Folder of notes; it must be yours alone"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    allow: patterns("allow", "Pattern of notes to serve; may be given more than once. **/*.md if there is none"),
    deny: patterns("deny", "Pattern of notes to refuse whatever is allowed; may be given more than once"),
    yes: flag("yes", "Write without asking"),
    dryRun: flag("dry-run", "Show what would be written and served, and write nothing")
  },
  init
).pipe(
  Command.withShortDescription("Write the first policy of a profile, after showing what it would serve"),
  Command.withDescription(
    "Write the first policy of a profile, after showing what it would serve. Asks in a terminal for what is not given. A policy that is there is never written over; without a terminal and without --yes nothing is written, and it ends with 1"
  ),
  Command.withExamples([
    { command: "memory-bridge init --root ~/notes --deny 'private/**'" },
    { command: "memory-bridge init --root ~/notes --dry-run" }
  ])
)
