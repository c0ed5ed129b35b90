/** `memory-bridge guardian activate`: a reviewed policy comes into force. */
import { Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { activatePolicy } from "../../operator/Activate.ts"
import * as Flags from "../Flags.ts"

export const home = Flag.Path("home").pipe(
  Flag.withMetavar("HOME"),
  Flag.withDescription("Hermes home, if not HERMES_HOME or ~/.hermes"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

/** What an operator types after a review. Asked for in a terminal where it is not given. */
export const typed = {
  fingerprint: Flag.String("fingerprint").pipe(
    Flag.withMetavar("DIGITS"),
    Flag.withDescription("Fingerprint of the policy that was reviewed, 12 digits of it or more"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  ),
  weakened: Flag.Int("weakened").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Number of weakened classes that the review found"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  ),
  against: Flag.String("against").pipe(
    Flag.withMetavar("DIGITS"),
    Flag.withDescription("Fingerprint of the policy that was active at the review; refused if another is active now"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )
}

export const command = Command.make(
  "activate",
  {
    policy: Flag.Path("policy").pipe(Flag.withMetavar("FILE"), Flag.withDescription("The guardian's policy as JSON")),
    ...typed,
    home,
    json: Flags.json
  },
  activatePolicy
).pipe(
  Command.withShortDescription("Put a reviewed policy in force, and keep the former one"),
  Command.withDescription(
    "Put a reviewed policy in force, and keep the former one. Asks for the fingerprint and the number of weakened classes; a yes is not enough"
  ),
  Command.withExamples([
    { command: "memory-bridge guardian activate --policy ./guard.json" },
    { command: "memory-bridge guardian activate --policy ./guard.json --fingerprint 4f1c0a9be2d7 --weakened 0" }
  ])
)
