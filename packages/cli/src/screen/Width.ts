/** Terminal cells that a text takes: a thin adapter, since Effect's measurement is not stable yet. */
import { CliOutput } from "effect/cli"

export const displayWidth = (text: string): number => CliOutput.displayWidth(text)
