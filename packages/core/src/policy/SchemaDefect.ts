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

/** The first defect of a failed decoding. The value itself is never repeated. */
export const firstDefect = (error: Schema.SchemaError): SchemaDefect => {
  const issue = issuesOf(error.issue).issues[0]
  return issue === undefined
    ? { key: "", rule: "is not a policy" }
    : { key: dotted(issue.path ?? []), rule: issue.message }
}
