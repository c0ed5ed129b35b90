/** `memory-bridge search QUERY --policy FILE`: what a search under that policy finds. */
import { Argument, Command } from "effect/cli"
import { policyFile, search } from "../operator/Ask.ts"
import * as Flags from "./Flags.ts"

export const command = Command.make(
  "search",
  {
    query: Argument.String("QUERY").pipe(Argument.withDescription("Words to find; quote them if there are several")),
    policy: Flags.policy,
    limit: Flags.limit,
    form: Flags.form
  },
  ({ form, limit, policy, query }) => search(policyFile(policy), { query, limit }, form)
).pipe(
  Command.withDescription("Search the notes that a policy permits, as an agent under that policy would"),
  Command.withExamples([{ command: 'memory-bridge search "opening day" --policy ./policy.json' }])
)
