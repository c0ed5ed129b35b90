/** `memory-bridge guardian rollback`: a former policy comes into force again. */
import { Argument, Command } from "effect/cli"
import * as Option from "effect/Option"
import { rollBack } from "../../operator/Rollback.ts"
import * as Flags from "../Flags.ts"
import { home, typed } from "./Activate.ts"

export const command = Command.make(
  "rollback",
  {
    backup: Argument.String("BACKUP").pipe(
      Argument.withDescription("Name or fingerprint of a backup, if not the newest that is not in force"),
      Argument.optional,
      Argument.map(Option.getOrUndefined)
    ),
    ...typed,
    home,
    json: Flags.json
  },
  rollBack
).pipe(
  Command.withShortDescription("Put a former policy in force again"),
  Command.withDescription(
    "Put a former policy in force again. It is reviewed against the active one and confirmed like any other"
  ),
  Command.withExamples([{ command: "memory-bridge guardian rollback" }])
)
