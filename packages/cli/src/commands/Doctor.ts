/** `memory-bridge doctor`: how everything stands in a home, and what to do about it. */
import { Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { doctor } from "../operator/doctor/Doctor.ts"
import * as Flags from "./Flags.ts"

export const command = Command.make(
  "doctor",
  {
    profile: Flag.Path("profile").pipe(
      Flag.withMetavar("HOME"),
      Flag.withDescription("Hermes home to look at, if not HERMES_HOME or ~/.hermes"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    json: Flags.json
  },
  doctor
).pipe(
  Command.withShortDescription("Say how programs, host, plugins, policy, recall and guard stand, with cures"),
  Command.withDescription(
    "Say how programs, host, plugins, policy, fences, recall and guard stand, with one cure for each finding. Changes nothing. Ends with 0 where nothing is worse than info, with 1 after a warning, with 2 after an error"
  ),
  Command.withExamples([
    { command: "memory-bridge doctor" },
    { command: "memory-bridge doctor --profile ~/.hermes/profiles/work --json" }
  ])
)
