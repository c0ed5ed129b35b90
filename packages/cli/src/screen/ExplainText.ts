/** An explanation for a person: the verdict, every step in the engine's order, the one that decides, and the cure. */
import type { Check, Explained, Step } from "../operator/Explain.ts"
import { show } from "../operator/Quote.ts"
import type { Survey } from "../operator/doctor/Survey.ts"
import type { Look } from "./Results.ts"
import { wrap } from "./Wrap.ts"

const titles: Readonly<Record<Check, string>> = {
  id: "id",
  policy_path: "policy path",
  policy_file: "policy file",
  group_file: "group file",
  policy: "policy",
  runs: "runs",
  root: "root",
  served_names: "served names",
  groups: "accepted groups",
  hard_links: "linked notes",
  ranking: "ranking",
  depth: "depth",
  names: "names",
  markdown: "markdown",
  patterns: "patterns",
  root_path: "root path",
  directory: "directory",
  kind: "kind",
  links: "hard links",
  mount: "mount",
  size: "size",
  trust: "trust",
  content: "content",
  search: "search"
}

const words = { passed: "ok", refused: "no", told: "--" } as const

/** A line with what follows set in below it. */
const hanging = (first: string, indent: string, text: string, { width }: Look): ReadonlyArray<string> => {
  const lines = wrap(text, width === undefined ? undefined : Math.max(width - indent.length, 8))
  return lines.map((line, index) => (index === 0 ? first : indent) + line)
}

const stepText = ({ check, decides, detail, rule, subject, verdict }: Step, look: Look): string => {
  const word = verdict === "refused" ? look.paint.bad(words.refused) : words[verdict]
  const text = [
    ...(subject === "" ? [] : [show(subject)]),
    ...(rule === "" ? [] : [rule]),
    ...(detail === "" ? [] : [`(${show(detail)})`])
  ].join(" ")
  return hanging(`${decides ? "*" : " "} ${word} `, "     ", `${titles[check]}: ${text}`, look).join("\n")
}

const inSearch: Readonly<Record<Explained["search"], string>> = {
  reached: "A search reads it.",
  left_out: "A search stops before it, at a limit.",
  refused: "But no search is answered.",
  never: ""
}

const verdictText = ({ id, kind, path, search, served }: Explained, { paint, width }: Look): ReadonlyArray<string> => {
  const what = show(id === "" && path !== "" ? path : id)
  if (kind === "directory") {
    const text = served ? `Entered by a search: ${what}` : `Not entered: ${what}`
    const first = wrap(text, width).map(served ? paint.good : paint.bad)
    return search === "refused" ? [...first, ...wrap(inSearch[search], width)] : first
  }
  const first = wrap(`${served ? "Served" : "Not served"}: ${what}`, width).map(served ? paint.good : paint.bad)
  return search === "never" ? first : [...first, ...wrap(inSearch[search], width)]
}

const notes = (count: number): string => (count === 1 ? "1 note" : `${count} notes`)

/** Ids that are named; the JSON form has them all. */
const shownIds = 5

/** What a root or directory holds, by what becomes of it. */
export const surveyText = (
  { beyond, served, skipped, stopped, stoppedAt = "" }: Survey,
  look: Look
): ReadonlyArray<string> => [
  ...(stopped === undefined
    ? []
    : wrap(`No search of it is answered: ${stopped}, at ${show(stoppedAt)}.`, look.width).map(look.paint.bad)),
  ...wrap(
    `${notes(served.length)} served${beyond === 0 ? "." : `, and ${beyond} more by id that one search does not come to.`}`,
    look.width
  ),
  ...served.slice(0, shownIds).flatMap((id) => hanging("  ", "  ", show(id), look)),
  ...(served.length > shownIds ? [`  and ${served.length - shownIds} more`] : []),
  ...(skipped.length === 0 ? [] : ["Not served, by reason:"]),
  ...skipped.flatMap(({ count, example, reason }) =>
    hanging("  ", "    ", `${reason}: ${count}, as ${show(example)}`, look)
  )
]

/** Not wrapped where a cure must be copied in one piece. */
export const explainText = (explained: Explained, look: Look): string => {
  const { holds, refusal, steps } = explained
  const details = refusal?.details.filter(([label]) => label !== "component") ?? []
  return [
    ...verdictText(explained, look),
    ...steps.map((step) => stepText(step, look)),
    ...(steps.some(({ decides }) => decides) ? ["* decides."] : []),
    ...details.map(([label, text]) => `${label}: ${text}`),
    ...(holds === undefined ? [] : surveyText(holds, look)),
    ""
  ].join("\n")
}
