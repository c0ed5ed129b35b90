/** `memory-bridge try DIR QUERY`: search a folder of your own before there is any policy. */
import { Argument, Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { search } from "../operator/Ask.ts"
import { nothingFound, trialOf } from "../operator/Trial.ts"
import * as Flags from "./Flags.ts"

export const command = Command.make(
  "try",
  {
    directory: Argument.String("DIR").pipe(Argument.withDescription("Folder of Markdown notes that you own")),
    query: Argument.String("QUERY").pipe(Argument.withDescription("Words to find; quote them if there are several")),
    limit: Flags.limit,
    form: Flags.form
  },
  Effect.fnUntraced(function* ({ directory, form, limit, query }) {
    yield* search(yield* trialOf(directory), { query, limit }, form, nothingFound)
  })
).pipe(
  Command.withShortDescription("Search a folder of notes that you own, without a policy file"),
  Command.withDescription(
    "Search a folder of notes that you own, with a policy that allows all of it and is never saved"
  ),
  Command.withExamples([{ command: "memory-bridge try ~/notes garden" }])
)
