/** `memory-bridge guardian propose`: a policy from words, to be simulated, reviewed and activated. */
import { Argument, Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { propose } from "../../operator/Propose.ts"
import * as Flags from "../Flags.ts"

const several = (name: string, form: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(form), Flag.withDescription(description), Flag.atLeast(0))

export const command = Command.make(
  "propose",
  {
    text: Argument.String("TEXT").pipe(
      Argument.withDescription("What the agent may do, in the words of docs/policy-vocabulary.md"),
      Argument.optional,
      Argument.map(Option.getOrUndefined)
    ),
    folder: several("folder", "NAME=PATH", "What a name in the text stands for; can be repeated"),
    tool: several("tool", "NAME", "A tool that may be named, if its name has no _ in it; can be repeated"),
    answer: several("answer", "N=ANSWER", "Answer to question N: a letter, or a path; can be repeated"),
    template: Flag.Boolean("template").pipe(
      Flag.withDescription("Propose the conservative template instead"),
      Flag.withDefault(false)
    ),
    model: Flag.Boolean("model").pipe(
      Flag.withDescription("Let the model of Hermes propose; it may cost, and it is checked like any other"),
      Flag.withDefault(false)
    ),
    proposal: Flag.String("proposal").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Check a proposal from elsewhere: a file, or - for standard input"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    out: Flag.Path("out").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("File for the proposal as JSON; nothing is ever written over"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    json: Flags.json
  },
  propose
).pipe(
  Command.withShortDescription("Turn words into a policy, or into questions"),
  Command.withDescription(
    "Turn words into a policy, or into questions where rules cannot say it (exit code 3). Nothing is put in force"
  ),
  Command.withExamples([
    { command: "memory-bridge guardian propose 'Hermes can read files, but never ~/taxes' --out ./proposed.json" },
    { command: "memory-bridge guardian propose 'Never touch my notes' --folder notes=/home/me/notes" },
    { command: "memory-bridge guardian propose --template" }
  ])
)
