/**
 * The operator's log: one JSON object per line on standard error, which the shim forwards to the host's logger.
 * (design.md sections 3 and 6)
 *
 * Whatever is logged anywhere in the process passes here, so here is the last check that no path and no content leaves
 * this way: a value that is not a short text, a number or a flag is replaced.
 */
import * as Cause from "effect/Cause"
import * as Logger from "effect/Logger"
import type { LogLevel } from "effect/LogLevel"
import * as References from "effect/References"
import { writeSync } from "node:fs"

/** A code, a key of the policy, a rule in a few words: printable ASCII without either slash, so never a path. */
const speakable = /^[ -.0-[\]-~]{0,160}$/

/** The names that the host's logger gives to levels. */
const levels: Readonly<Record<LogLevel, string>> = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warn: "warning",
  Error: "error",
  Fatal: "critical",
  None: "debug"
}

const spoken = (value: unknown): string | number | boolean =>
  typeof value === "number" || typeof value === "boolean"
    ? value
    : typeof value === "string" && speakable.test(value)
      ? value
      : "withheld"

/** The log line, without its line feed. The message is the code; annotations that are set become members. */
export const logLine = (
  level: LogLevel,
  message: unknown,
  annotations: Readonly<Record<string, unknown>>,
  cause: Cause.Cause<unknown> = Cause.empty
): string => {
  const [code] = Array.isArray(message) ? (message as ReadonlyArray<unknown>) : [message]
  const line: Record<string, unknown> = { level: levels[level], code: spoken(code) }
  for (const [key, value] of Object.entries(annotations)) {
    if (value !== undefined && speakable.test(key) && !Object.hasOwn(line, key)) line[key] = spoken(value)
  }
  if (cause.reasons.length > 0) {
    const error = Cause.squash(cause)
    line["error"] = spoken(error instanceof Error ? error.name : "defect")
  }
  return JSON.stringify(line)
}

/** Never throws: a log that nobody reads any more must not end a call. */
export const writeLogLine = (line: string): void => {
  try {
    writeSync(2, line + "\n")
  } catch {
    // The reader has gone. The end of standard input follows and ends the process.
  }
}

/** Replaces Effect's own loggers, which write prose, and write it to standard output. */
export const layer = Logger.layer([
  Logger.make(({ cause, fiber, logLevel, message }) =>
    writeLogLine(logLine(logLevel, message, fiber.getRef(References.CurrentLogAnnotations), cause))
  )
])
