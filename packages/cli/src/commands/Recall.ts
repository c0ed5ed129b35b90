/** `memory-bridge recall …`: the reference Broker, and recall shown turn by turn. */
import { Command, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { demo } from "../demo/recall/Demo.ts"
import { serveNotes } from "../operator/Broker.ts"
import * as Flags from "./Flags.ts"

const broker = Command.make(
  "broker",
  {
    home: Flag.Path("home").pipe(
      Flag.withMetavar("HOME"),
      Flag.withDescription("Hermes home, if not HERMES_HOME or ~/.hermes; the Broker's files lie there"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    policy: Flag.Path("policy").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Policy that decides which notes may be recalled, if not that of the home"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    )
  },
  serveNotes
).pipe(
  Command.withShortDescription("Serve permitted notes to a host's recall, until it is ended"),
  Command.withDescription(
    "Serve permitted notes to a host's recall on this machine, until it is ended. Says where its discovery, grant and connection files are"
  ),
  Command.withExamples([{ command: "memory-bridge recall broker --home ~/.hermes" }])
)

const show = Command.make("demo", { plugin: Flags.plugin }, demo).pipe(
  Command.withShortDescription("Show recall over three turns, a Broker that dies and an impostor on its port"),
  Command.withDescription(
    "Show recall over three turns, a Broker that dies and an impostor on its port, on synthetic notes. The host is simulated; python3 (3.11 or newer) is needed"
  )
)

export const command = Command.make("recall").pipe(
  Command.withDescription("Recall: the reference Broker, and what a host gets to see"),
  Command.withSubcommands([broker, show])
)
