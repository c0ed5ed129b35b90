/**
 * Where text for people goes, and what the reader's terminal can do. (NO_COLOR, TERM and a missing TTY are respected)
 *
 * A service, so that tests can be the terminal. Writing fails only when the reader has gone, which ends the program
 * quietly.
 */
import { TerminalCapabilities } from "effect/cli"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { OutputClosed } from "../Exit.ts"
import { coloured, type Paint, plain } from "./Paint.ts"

export class Screen extends Context.Service<
  Screen,
  {
    /** Writes to standard output; nothing is added. */
    readonly out: (text: string) => Effect.Effect<void, OutputClosed>
    /** Writes to standard error; nothing is added. */
    readonly err: (text: string) => Effect.Effect<void, OutputClosed>
    readonly paint: Paint
    /** Cells of a line, or `undefined` where the output is not a terminal and lines are not broken. */
    readonly width: number | undefined
  }
>()("memory-bridge/screen/Screen") {
  /** Over the process's own streams. Needs `Stdio` and `Terminal` to know what they lead to. */
  static readonly layer = Layer.effect(
    Screen,
    Effect.gen(function* () {
      const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
      const stdio = yield* Stdio.Stdio
      const terminal = yield* Terminal.Terminal
      const columns = yield* terminal.columns
      return Screen.of({
        out: (text) => write(process.stdout, text),
        err: (text) => write(process.stderr, text),
        paint: canColor ? coloured : plain,
        width: (yield* stdio.stdoutIsTerminal) ? Math.max(columns === 0 ? usualWidth : columns, leastWidth) : undefined
      })
    })
  ).pipe(Layer.provide(TerminalCapabilities.layer))
}

/** Cells, where a terminal does not say. */
const usualWidth = 80
/** Cells; a narrower terminal breaks our lines itself. */
const leastWidth = 24

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void, OutputClosed> =>
  Effect.callback((resume) => {
    stream.write(text, (error) => resume(error === undefined || error === null ? Effect.void : new OutputClosed()))
  })
