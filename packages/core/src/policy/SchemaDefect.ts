/** What a schema refuses, as an operator reads it: the dotted key, and the broken rule in words. */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

/** `key` is "" for the whole. */
export interface SchemaDefect {
  readonly key: string
  readonly rule: string
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const dotted = (path: ReadonlyArray<unknown>): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    ""
  )

const nothingNamed: SchemaDefect = { key: "", rule: "is not a policy" }

/** What a failed decoding names; more than one only where it was told to go on. The value itself is never repeated. */
export const allDefects = (error: Schema.SchemaError): ReadonlyArray<SchemaDefect> => {
  const { issues } = issuesOf(error.issue)
  return issues.length === 0
    ? [nothingNamed]
    : issues.map(({ message, path }) => ({ key: dotted(path ?? []), rule: message }))
}

/** The first defect of a failed decoding. */
export const firstDefect = (error: Schema.SchemaError): SchemaDefect => allDefects(error)[0] ?? nothingNamed
