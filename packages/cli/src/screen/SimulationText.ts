/**
 * A simulation for a person: the verdict first, then the call, then every rule that spoke. (issue 5 item 2)
 *
 * Scenarios are shown one by one. Neighbours and recorded calls are many and much alike: those that differ in their name
 * alone are one row with a number, and the JSON form has every call.
 */
import type { Action } from "@memory-bridge/core/guard/Decision"
import { type Explained, explain } from "@memory-bridge/core/guard/Explain"
import { type Outcome, type Source, sources, type Summary } from "@memory-bridge/core/lab/Simulation"
import { settingsOf } from "@memory-bridge/core/lab/Fingerprint"
import { type FoundPolicy, originWords } from "../operator/ActivePolicy.ts"
import { show } from "../operator/Quote.ts"
import { counted, sourceWords } from "../report/Words.ts"
import type { Paint } from "./Paint.ts"
import type { Look } from "./Results.ts"
import { displayWidth } from "./Width.ts"
import { wrap } from "./Wrap.ts"

export interface Simulated {
  readonly found: FoundPolicy
  readonly fingerprint: string
  readonly outcomes: ReadonlyArray<Outcome>
  readonly summary: Summary
  readonly skipped: number
}

/** Lines under a mark, which stands before the first of them. */
export const hanging = (mark: string, text: string, width: number | undefined): ReadonlyArray<string> => {
  const indent = " ".repeat(displayWidth(mark))
  return wrap(text, width === undefined ? undefined : Math.max(width - indent.length, 8)).map(
    (line, index) => (index === 0 ? mark : indent) + line
  )
}

export const painted = (action: Action, { bad, good, match }: Paint): ((text: string) => string) =>
  action === "allow" ? good : action === "block" ? bad : match

const findingText = ({ action, detail, operand, reason, rule, subject, why }: Explained): string =>
  [
    action,
    reason,
    ...(rule === null ? [] : [rule]),
    ...(subject === "" ? [] : [show(subject)]),
    ...(detail === "" ? [] : [operand === null ? `(${detail})` : `(path ${operand + 1}: ${detail})`]),
    ...(why === "" ? [] : [`because: ${show(why)}`])
  ].join(" ")

interface Row {
  readonly outcome: Outcome
  readonly findings: ReadonlyArray<Explained>
  count: number
}

const rowsOf = ({ found, outcomes }: Simulated, source: Source): ReadonlyArray<Row> => {
  const rows = new Map<string, Row>()
  for (const outcome of outcomes) {
    if (outcome.source !== source) continue
    const { decision, findings, label, shape, tool } = outcome
    const key = JSON.stringify([source === "scenario" ? label : "", tool, shape, decision, findings])
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { outcome, findings: explain(found.policy, { decision, findings }), count: 1 })
    else row.count += 1
  }
  return [...rows.values()]
}

const rowText = ({ count, findings, outcome }: Row, { paint, width }: Look): ReadonlyArray<string> => {
  const { decision, label, shape, tool } = outcome
  const what = outcome.source === "scenario" ? `${label} [${tool}: ${shape}]` : `${tool}: ${shape} (${label}`
  const times = outcome.source === "scenario" ? "" : count === 1 ? ")" : `, and ${count - 1} more)`
  const [first = "", ...rest] = hanging(decision.action.padEnd(9), show(what + times), width)
  return [
    painted(decision.action, paint)(decision.action) + first.slice(decision.action.length),
    ...rest,
    ...findings.flatMap((finding) => hanging(finding.decides ? "  * " : "    ", findingText(finding), width))
  ]
}

const actions: ReadonlyArray<Action> = ["allow", "approve", "block"]

const summaryLines = ({ bySource, calls }: Summary, width: number | undefined): ReadonlyArray<string> => [
  `${counted(calls, "call")} simulated; nothing was carried out or recorded.`,
  ...sources.flatMap((source) => {
    const tally = bySource[source]
    const total = actions.reduce((sum, action) => sum + tally[action], 0)
    if (total === 0) return []
    const parts = actions.map((action) => `${tally[action]} ${action}`)
    return hanging("  ", `${sourceWords[source]}: ${parts.join(", ")}`, width)
  })
]

const skippedLines = (skipped: number): ReadonlyArray<string> =>
  skipped === 0 ? [] : [`${counted(skipped, "recorded call")} left out: arguments that are no object.`]

export const simulationText = (simulated: Simulated, look: Look): string => {
  const { width } = look
  const section = (source: Source): ReadonlyArray<string> => {
    const rows = rowsOf(simulated, source)
    if (rows.length === 0) return []
    return [look.paint.strong(sourceWords[source]), ...rows.flatMap((row) => rowText(row, look)), ""]
  }
  return [
    ...hanging("policy  ", originWords(simulated.found), width),
    ...hanging("        ", simulated.fingerprint, width),
    "",
    ...sources.flatMap(section),
    ...[...summaryLines(simulated.summary, width), ...skippedLines(simulated.skipped)].flatMap((line) =>
      line.startsWith("  ") ? [line] : wrap(line, width)
    ),
    ...wrap("* marks the finding that decides. --json prints every call.", width),
    ""
  ].join("\n")
}

/** One JSON value, in pieces that each fit into a text however many calls there are. */
export function* simulationJson({ fingerprint, found, outcomes, skipped, summary }: Simulated): Generator<string> {
  const head = {
    version: 1,
    policy: { fingerprint, origin: found.origin, file: found.file, settings: settingsOf(found.policy) },
    summary,
    skipped
  }
  yield `${JSON.stringify(head).slice(0, -1)},"calls":[`
  const perPiece = 500
  for (let start = 0; start < outcomes.length; start += perPiece) {
    const some = outcomes.slice(start, start + perPiece).map((outcome) => JSON.stringify(outcome))
    yield (start === 0 ? "" : ",") + some.join(",")
  }
  yield "]}\n"
}
