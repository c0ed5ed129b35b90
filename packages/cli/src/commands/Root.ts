/**
 * `memory-bridge` itself: its help, its version and what it says of a command line that it cannot use.
 *
 * Effect's parser is told to speak with our voice: help that was asked for goes to standard output, a mistake goes to
 * standard error in one or two lines and ends with exit code 1.
 */
import {
  CliConfig,
  type CliError,
  CliOutput,
  Command,
  GlobalFlag,
  type HelpDoc,
  TerminalCapabilities
} from "effect/cli"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { exitCodes, exitCodeTable, Stopped } from "../Exit.ts"
import { version } from "../Version.ts"

export const root = Command.make("memory-bridge").pipe(
  Command.withDescription("Read-only search over Markdown notes, under a policy that the operator writes")
)

const exitCodeSection = ["EXIT CODES", ...exitCodeTable.map(([code, meaning]) => `  ${code}    ${meaning}`)].join("\n")

const suggestions = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : `; did you mean ${names.join(" or ")}?`

const mistake = (error: CliError.NonShowHelpErrors, { formatCliError }: CliOutput.Formatter): string => {
  const [first = ""] = formatCliError(error).split("\n\n")
  switch (error._tag) {
    case "UnexpectedArgument":
      return `${first}; quote a query of several words`
    case "UnknownSubcommand":
    case "UnrecognizedOption":
      return first + suggestions(error.suggestions)
    case "InvalidValue":
      return first.replace(/\. Expected.*$/s, "")
    default:
      return first
  }
}

/** The parser's own words for this flag run over the line. */
const completions = { type: "SHELL", description: Option.some("Print completions for bash, zsh, fish or powershell") }

const shorter = (help: HelpDoc.HelpDoc): HelpDoc.HelpDoc => {
  const flags = help.globalFlags ?? []
  return {
    ...help,
    globalFlags: flags.map((flag) => Object.assign({}, flag, flag.name === "completions" && completions))
  }
}

const present = Effect.fnUntraced(function* (event: CliOutput.Presenter.Event) {
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const formatter = CliOutput.defaultFormatter({ colors: canColor, globalFlags: "summary" })
  switch (event._tag) {
    case "Help":
      return yield* Console.log(`${formatter.formatHelpDoc(shorter(event.helpDoc))}\n\n${exitCodeSection}`)
    case "InvalidInvocation":
      for (const error of event.errors) yield* Console.error(`memory-bridge: ${mistake(error, formatter)}`)
      return yield* Console.error(`Run "${event.commandPath.join(" ")} --help" to see how it is used.`)
    case "Version":
      return yield* Console.log(`${event.name} ${event.version}`)
  }
})

const voice = Layer.mergeAll(
  CliOutput.layerPresenter({ present }),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
)

/** Runs the command that the arguments name. */
export const run = <Name extends string, Input, ContextInput, E, R>(
  command: Command.Command<Name, Input, ContextInput, E, R>
) =>
  Command.run(command, { version }).pipe(
    Effect.catchTag("ShowHelp", () => Effect.fail(new Stopped({ code: exitCodes.invalid }))),
    Effect.provide(voice)
  )
