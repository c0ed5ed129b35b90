/**
 * Brings the reader's log lines into the server's log. (design.md section 6, as the shim's `LogForwarder`)
 *
 * The reader is not handed the server's own standard error: one that a dead disk holds would keep it open, and a client
 * that waits for its end would wait for that disk. Anything that is no log line, such as Node's report of a crash, may
 * contain paths; of that the log gets the length.
 */
import { logLine, writeLogLine } from "@memory-bridge/hermes-plugin/LogLine"
import { type Line, makeLines } from "@memory-bridge/hermes-plugin/rpc/Lines"

const maxLineBytes = 8 * 1024

const isLogLine = (text: string): boolean => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null && "level" in json && "code" in json
  } catch {
    return false
  }
}

const written = (line: Line): string => {
  if (line.kind === "too_long") return logLine("Warn", "stderr_line_too_long", {})
  const text = Buffer.from(line.bytes).toString("utf8")
  return isLogLine(text) ? text : logLine("Warn", "stderr_not_json", { bytes: line.bytes.length })
}

/** Takes one reader's standard error as it comes. */
export const forwardLog = (write: (line: string) => void = writeLogLine): ((chunk: Uint8Array) => void) => {
  const linesOf = makeLines(maxLineBytes)
  return (chunk) => {
    for (const line of linesOf(chunk)) write(written(line))
  }
}
