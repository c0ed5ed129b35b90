/** `memory-bridge read ID --policy FILE`: one note, if that policy permits it. */
import { Argument, Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { policyFile, read } from "../operator/Ask.ts"
import * as Flags from "./Flags.ts"

const fromLine = Flag.Int("from-line").pipe(
  Flag.withMetavar("N"),
  Flag.withDescription("Line to begin at, from 1 (policy version 2)"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

export const command = Command.make(
  "read",
  {
    id: Argument.String("ID").pipe(Argument.withDescription("Id of the note, as search prints it")),
    policy: Flags.policy,
    fromLine,
    form: Flags.form
  },
  ({ form, fromLine, id, policy }) => read(policyFile(policy), id, form, fromLine)
).pipe(
  Command.withDescription("Read one note that a policy permits, as an agent under that policy would"),
  Command.withExamples([{ command: "memory-bridge read projects/garden.md --policy ./policy.json" }])
)
