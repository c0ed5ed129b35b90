/**
 * When does the process end? With its host, and for no other reason than a defect. (design.md section 6)
 *
 * The host keeps the other ends of the pipes: when it closes them, or dies in whatever way, the input ends or the output
 * breaks. SIGTERM keeps its default action, which ends the process even in the middle of a scan.
 */
import { logLine, writeLogLine } from "./LogLine.ts"

/** Exits with 0 when nobody reads the answers any more. */
const endWithReader = (output: NodeJS.WriteStream): void => {
  output.on("error", () => process.exit(0))
}

/** A defect outside every call: one log line of the agreed form instead of Node's report, which prints paths. */
const endWithDefect = (): void => {
  process.on("uncaughtException", (error: unknown) => {
    writeLogLine(logLine("Fatal", "uncaught", { error: error instanceof Error ? error.name : "defect" }))
    process.exit(1)
  })
}

/** Ctrl-C in a terminal reaches the whole process group; what it means is for the host to say. */
const outliveInterrupt = (): void => {
  process.on("SIGINT", () => {})
}

export const bindLifetime = (): void => {
  endWithDefect()
  endWithReader(process.stdout)
  outliveInterrupt()
}
