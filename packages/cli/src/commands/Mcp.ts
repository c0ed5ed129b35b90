/** `memory-bridge mcp --profile HOME`: the permitted notes for any MCP client, on standard input and output. */
import { findServer, launch } from "@memory-bridge/mcp-server/Launch"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { isatty } from "node:tty"
import { exitCodes, Stopped } from "../Exit.ts"
import { Screen } from "../screen/Screen.ts"

const serve = Effect.fnUntraced(function* (home: string) {
  const screen = yield* Screen
  const server = findServer()
  if (server === undefined) {
    yield* screen.err(
      "memory-bridge: The server's file, mcp-server.cjs, is not beside this program.\n  cure  install again\n"
    )
    return yield* new Stopped({ code: exitCodes.refused })
  }
  if (isatty(0))
    yield* screen.err("memory-bridge: A client speaks here, one JSON message a line. Ctrl-D ends the server.\n")
  // What a signal means is for the server to say: its end, and nothing before it, is this program's end.
  return yield* Effect.uninterruptible(
    Effect.flatMap(
      Effect.promise(() => launch(server, home)),
      (code) => Effect.sync(() => process.exit(code))
    )
  )
})

export const command = Command.make(
  "mcp",
  {
    profile: Flag.Path("profile").pipe(
      Flag.withMetavar("HOME"),
      Flag.withDescription("Home whose policy decides, as an absolute path; no client can name another")
    )
  },
  ({ profile }) => serve(profile)
).pipe(
  Command.withShortDescription("Serve permitted notes to an MCP client on standard input and output"),
  Command.withDescription(
    "Serve permitted notes to an MCP client on standard input and output, until the input ends. For a client to start; the log goes to standard error"
  ),
  Command.withExamples([{ command: "memory-bridge mcp --profile /home/me/.hermes" }])
)
