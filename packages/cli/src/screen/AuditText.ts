/** The report on an audit file for a person, with what to type, and for a program. (issue 3 part 5) */
import { type AuditProblem, type AuditReport, cureOf } from "@memory-bridge/core/guard/AuditReport"
import { quote, show } from "../operator/Quote.ts"
import type { Look } from "./Results.ts"

type Kind = AuditProblem["problem"]

/** What a code says, after the file or the line that it is about. */
const meanings: Readonly<Record<Kind, string>> = {
  missing: "there is no such file",
  unreadable: "it cannot be read",
  link: "it is a symbolic link",
  not_directory: "a part of its path is no directory",
  not_regular: "it is no regular file",
  hard_link: "it has a second name",
  foreign_owner: "it belongs to another user",
  open_to_others: "others may read or change it",
  replaced: "its name leads to another file now",
  locked: "another process is writing it",
  torn: "the record is not whole",
  full: "it has no room for another record",
  storage: "the system could not read it",
  not_text: "it is no UTF-8 text",
  not_record: "it is no record of the guardian",
  chain_broken: "it does not carry the hash of the line before it",
  chain_interrupted: "it is not chained, though the line before it is",
  repeated_id: "its id stands in an earlier record"
}

/** Kinds after which the file is put away as it is. */
const archived: ReadonlySet<Kind> = new Set([
  "full",
  "not_text",
  "not_record",
  "chain_broken",
  "chain_interrupted",
  "repeated_id"
])

/** Lines of one kind that are named; the JSON form has them all. */
const shownLines = 5

const linesOf = (problems: ReadonlyArray<AuditProblem>): ReadonlyArray<number> =>
  problems.flatMap((problem) => ("line" in problem ? [problem.line] : []))

const placeText = (lines: ReadonlyArray<number>): string => {
  if (lines.length === 0) return "file"
  const named = lines.slice(0, shownLines).join(", ")
  const more = lines.length > shownLines ? ` and ${lines.length - shownLines} more` : ""
  return `line${lines.length === 1 ? "" : "s"} ${named}${more}`
}

/** Where the file may go: out of the plugin's data, under a name that no other archive has. */
const archiveName = ({ last }: AuditReport): string =>
  `"$HOME"/hermes-guardian-audit-${last === "" ? "unread" : last.replaceAll(":", "-")}.jsonl`

/** What to type once Hermes has stopped. `mv -n` and `cp -n` overwrite nothing. */
const commandsFor = (kind: Kind, path: string, report: AuditReport, lines: ReadonlyArray<number>) => {
  const archive = archiveName(report)
  if (archived.has(kind)) return [`mv -n ${quote(path)} ${archive}`]
  if (kind !== "torn") return []
  const [line = 1] = lines
  return [
    `mv -n ${quote(path)} ${archive}`,
    `(umask 077; head -n ${line - 1} ${archive} > ${quote(path)})   # only to go on with the same file`
  ]
}

const problemText = (
  kind: Kind,
  problems: ReadonlyArray<AuditProblem>,
  path: string,
  report: AuditReport,
  { paint }: Look
): string => {
  const lines = linesOf(problems)
  return [
    paint.bad(`${placeText(lines)}: ${kind}`) + `, ${meanings[kind]}`,
    `  ${cureOf(kind)}`,
    ...(kind === "torn" ? ["  If Hermes is running, it may just be writing: look again before you act."] : []),
    ...commandsFor(kind, path, report, lines).map((command) => `    ${command}`)
  ].join("\n")
}

const countText = ({ chained, first, last, records }: AuditReport): string => {
  if (records === 0) return "No record."
  const span = records === 1 ? `of ${first}` : `from ${first} to ${last}`
  const chain = chained === 0 ? "not chained" : chained === records ? "all chained" : `${chained} of them chained`
  return `${records} record${records === 1 ? "" : "s"} ${span}, ${chain}.`
}

/** Not wrapped: a command must be copied in one piece. */
export const auditText = (path: string, report: AuditReport, look: Look): string => {
  const kinds = [...new Set(report.problems.map(({ problem }) => problem))]
  const problems = kinds.map((kind) =>
    problemText(
      kind,
      report.problems.filter(({ problem }) => problem === kind),
      path,
      report,
      look
    )
  )
  const isRead = report.records > 0 || report.problems.every((problem) => "line" in problem)
  return [
    show(path),
    ...(isRead ? [countText(report)] : []),
    ...(report.head === "" ? [] : [`Hash of the last record: ${report.head}`]),
    ...problems,
    ...(report.stopped ? ["The lines after the last of these were not looked at."] : []),
    ...(problems.length === 0 ? [look.paint.good("No problem found.")] : []),
    ""
  ].join("\n")
}

export const auditJson = (path: string, report: AuditReport): string =>
  JSON.stringify({
    ok: report.problems.length === 0,
    file: path,
    ...report,
    problems: report.problems.map((problem) => ({ ...problem, cure: cureOf(problem.problem) }))
  }) + "\n"
