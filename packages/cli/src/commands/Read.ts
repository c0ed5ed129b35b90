/** `memory-bridge read ID --policy FILE`: one note, if that policy permits it. */
import { Argument, Command } from "effect/cli"
import { policyFile, read } from "../operator/Ask.ts"
import * as Flags from "./Flags.ts"

export const command = Command.make(
  "read",
  {
    id: Argument.String("ID").pipe(Argument.withDescription("Id of the note, as search prints it")),
    policy: Flags.policy,
    form: Flags.form
  },
  ({ form, id, policy }) => read(policyFile(policy), id, form)
).pipe(
  Command.withDescription("Read one note that a policy permits, as an agent under that policy would"),
  Command.withExamples([{ command: "memory-bridge read projects/garden.md --policy ./policy.json" }])
)
