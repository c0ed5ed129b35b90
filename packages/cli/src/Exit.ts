/**
 * How the process ends: five exit codes, and never a stack trace.
 *
 * A command that cannot do its work has said so on standard error before it fails with `Stopped`; `teardown` only
 * turns the end into a number. Signals end the program by interruption, so that every scope closes first.
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

export const exitCodes = {
  /** Done. */
  ok: 0,
  /** The command line or the request is not valid; for `demo`, a step went otherwise than expected. */
  invalid: 1,
  /** A policy, a root, an audit or the platform was refused, or something needed is not there. */
  refused: 2,
  /** The document or file is not there or may not be read. */
  notFound: 3,
  /** A review that was to find nothing weakened found something. */
  weakened: 4
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** For `--help`. */
export const exitCodeTable: ReadonlyArray<readonly [code: ExitCode, meaning: string]> = [
  [exitCodes.ok, "done"],
  [exitCodes.invalid, "bad usage or invalid request; demo: a step was not as expected; doctor: a warning"],
  [exitCodes.refused, "policy, folder, audit or platform refused, or something needed is missing; doctor: an error"],
  [exitCodes.notFound, "document or file not found, or denied; propose: questions are open"],
  [exitCodes.weakened, "review --no-new-access: something is refused less than before"]
]

/** The end of a command that has already told why. */
export class Stopped extends Schema.TaggedError<Stopped>()("Stopped", {
  code: Schema.Literals([exitCodes.invalid, exitCodes.refused, exitCodes.notFound, exitCodes.weakened])
}) {}

/** The reader of our output has gone: nothing is left to say. */
export class OutputClosed extends Schema.TaggedError<OutputClosed>()("OutputClosed", {}) {}

/** 128 and the signal's number, as shells count. */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 } as const

let signalled: number | undefined

/** To be called once, before the program runs: remembers which signal ended it, and treats a hang-up as one. */
export const watchSignals = (): void => {
  process.once("SIGINT", () => (signalled ??= signalCodes.SIGINT))
  process.once("SIGTERM", () => (signalled ??= signalCodes.SIGTERM))
  process.once("SIGHUP", () => {
    signalled ??= signalCodes.SIGHUP
    process.kill(process.pid, "SIGTERM")
  })
  // A closed pipe is reported where it is written to; the event alone would be an uncaught exception.
  process.stdout.on("error", () => undefined)
  process.stderr.on("error", () => undefined)
}

const codeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return exitCodes.ok
  if (Cause.hasInterruptsOnly(exit.cause)) return signalled ?? signalCodes.SIGINT
  const error = Cause.squash(exit.cause)
  if (error instanceof Stopped) return error.code
  return error instanceof OutputClosed ? signalCodes.SIGPIPE : exitCodes.refused
}

/** Open input would keep the process alive, so it is always ended by name. Output has been written by then. */
export const teardown: Runtime.Teardown = (exit) => process.exit(codeOf(exit))
