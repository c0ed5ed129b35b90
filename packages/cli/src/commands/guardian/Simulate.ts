/** `memory-bridge guardian simulate`: what a policy would decide, call by call. */
import { Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { simulatePolicy } from "../../operator/Lab.ts"
import * as Flags from "../Flags.ts"
import { home } from "./Activate.ts"

export const policy = Flag.Path("policy").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Policy as JSON or YAML, if not the active one of the home"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

/** Recorded calls. */
export const recorded = {
  calls: Flag.String("calls").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription('Recorded calls, one {"tool": NAME, "args": {...}} a line; - is standard input'),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  ),
  sessions: Flag.String("sessions").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Sessions as hermes sessions export writes them; - is standard input"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )
}

export const command = Command.make("simulate", { policy, ...recorded, home, json: Flags.json }, simulatePolicy).pipe(
  Command.withShortDescription("Say what a policy would decide, call by call"),
  Command.withDescription(
    "Say what a policy would decide, call by call: fixed scenarios, calls near every rule, recorded calls. Nothing is carried out or recorded"
  ),
  Command.withExamples([
    { command: "memory-bridge guardian simulate" },
    { command: "memory-bridge guardian simulate --policy ./guard.json --calls ./calls.jsonl" },
    { command: "hermes sessions export - | memory-bridge guardian simulate --sessions -" }
  ])
)
