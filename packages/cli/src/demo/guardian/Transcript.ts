/** The guardian's demo as text: what was asked, what the host was told, what was recorded, and whether that is right. */
import type { Look } from "../../screen/Results.ts"
import { wrap } from "../../screen/Wrap.ts"
import { block, margin, opening } from "../Lines.ts"
import type { Judged } from "./Check.ts"

export interface Outcome extends Judged {
  readonly number: number
  readonly args: Readonly<Record<string, unknown>>
  /** What is wrong, or `undefined`. */
  readonly wrong: string | undefined
}

/** Ends with an empty line. */
export const stepText = (
  { args, number, records, reply, scenario, wrong }: Outcome,
  { paint, width }: Look
): string => {
  const said = (label: string, text: string) => block("", label, text, paint.dim, width)
  const expected = `expected ${scenario.action}, ${scenario.reason}`
  return [
    block(`${number}. `.padStart(margin), scenario.shows, "", paint.strong, width),
    said("asked", `     ${scenario.tool} ${JSON.stringify(args)}`),
    said("told", `      ${reply.answer === "null" ? "nothing: the host goes on" : reply.answer}`),
    ...records.map((record) => said("recorded", `  ${record}`)),
    wrong === undefined
      ? block("", "ok", `        ${expected}`, paint.good, width)
      : block("", "FAILED", `    ${expected}; got ${wrong}`, paint.bad, width),
    "",
    ""
  ].join("\n")
}

export const openingText = (top: string, python: string, look: Look): string =>
  opening(
    "Hermes Guardian demo",
    "The plugin, its sidecar, its audit and the files that the calls name are real. The calls are decided and recorded; none is carried out.",
    top,
    python,
    look
  )

/** `changed`: files of the demo that a call has changed. */
export const summaryText = (
  counted: string,
  failed: number,
  changed: ReadonlyArray<string>,
  { paint, width }: Look
): string => {
  const good = failed === 0 && changed.length === 0
  return [
    ...wrap(
      good
        ? "No call was carried out; no message, log line or record held an argument. An approve is the host's to ask about: " +
            "it is no evidence that a person agreed."
        : changed.length === 0
          ? "Something is not as it should be; the steps marked FAILED say what."
          : "A call was carried out: a file of the demo has changed.",
      width
    ),
    (good ? paint.good : paint.bad)(counted),
    ""
  ].join("\n")
}
