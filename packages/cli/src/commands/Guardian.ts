/** `memory-bridge guardian …`: what an operator of the guardian does, short of the host's own settings. */
import { Argument, Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { demo } from "../demo/guardian/Demo.ts"
import { verifyAudit } from "../operator/Audit.ts"
import { checkCall } from "../operator/GuardCheck.ts"
import * as Flags from "./Flags.ts"
import * as Activate from "./guardian/Activate.ts"
import * as Propose from "./guardian/Propose.ts"
import * as Report from "./guardian/Report.ts"
import * as Review from "./guardian/Review.ts"
import * as Rollback from "./guardian/Rollback.ts"
import * as Simulate from "./guardian/Simulate.ts"
import * as Status from "./guardian/Status.ts"

const home = Flag.Path("home").pipe(
  Flag.withMetavar("HOME"),
  Flag.withDescription("Hermes home, if not HERMES_HOME or ~/.hermes"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

const verify = Command.make(
  "verify",
  {
    file: Argument.Path("FILE").pipe(
      Argument.withDescription("Audit file, if not that of the home"),
      Argument.optional,
      Argument.map(Option.getOrUndefined)
    ),
    home,
    json: Flags.json
  },
  verifyAudit
).pipe(
  Command.withShortDescription("Say whether an audit file is whole, and how to go on if it is not"),
  Command.withDescription(
    "Say whether an audit file is whole, and how to go on if it is not. Changes nothing. Where records are chained, the chain is checked"
  ),
  Command.withExamples([
    { command: "memory-bridge guardian audit verify --home ~/.hermes/profiles/work" },
    { command: "memory-bridge guardian audit verify ./audit.jsonl --json" }
  ])
)

const audit = Command.make("audit").pipe(
  Command.withDescription("The record of the guardian's decisions"),
  Command.withSubcommands([verify])
)

const check = Command.make(
  "check",
  {
    call: Argument.String("CALL").pipe(Argument.withDescription('JSON: {"tool": NAME, "args": {...}}')),
    policy: Flag.Path("policy").pipe(Flag.withMetavar("FILE"), Flag.withDescription("The guardian's policy as JSON")),
    home,
    json: Flags.json
  },
  checkCall
).pipe(
  Command.withShortDescription("Say what a policy decides about a tool call, and why"),
  Command.withDescription("Say what a policy decides about a tool call, and why. Nothing is recorded or carried out"),
  Command.withExamples([
    {
      command: `memory-bridge guardian check '{"tool": "read_file", "args": {"path": "/etc/hosts"}}' --policy ./guard.json`
    }
  ])
)

const show = Command.make("demo", { plugin: Flags.plugin }, demo).pipe(
  Command.withShortDescription("Show seven tool calls and what the guardian decides"),
  Command.withDescription(
    "Show seven tool calls and what the guardian decides; none is carried out. The host is simulated; python3 (3.11 or newer) is needed"
  )
)

export const command = Command.make("guardian").pipe(
  Command.withDescription("Hermes Guardian: check its record, try a policy, see it decide"),
  Command.withSubcommands([
    audit,
    check,
    Propose.command,
    Simulate.command,
    Review.command,
    Report.command,
    Activate.command,
    Rollback.command,
    Status.command,
    show
  ])
)
