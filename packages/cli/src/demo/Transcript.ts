/** The demo's transcript as text: what was asked by whom, the answer, and whether it is what was expected. */
import type { Look } from "../screen/Results.ts"
import { wrap } from "../screen/Wrap.ts"
import { describeExpected, type Reply } from "./Check.ts"
import { describeCaller, type Step } from "./Steps.ts"

/** Cells before everything that belongs to a step; its number stands there. */
const margin = 5

/** The text beside the margin, broken where it must be, its `head` painted if that stays in one line. */
const block = (
  mark: string,
  head: string,
  rest: string,
  paint: (text: string) => string,
  width: Look["width"]
): string =>
  wrap(head + rest, width === undefined ? undefined : width - margin)
    .map((line, i) =>
      i > 0
        ? " ".repeat(margin) + line
        : mark.padEnd(margin) + (line.startsWith(head) ? paint(head) + line.slice(head.length) : line)
    )
    .join("\n")

/** Characters of one text in an answer; enough to see what it is. */
const shownChars = 56

const shortened = (value: unknown): unknown => {
  if (typeof value === "string") return value.length > shownChars ? `${value.slice(0, shownChars)}…` : value
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]))
}

/** The answer with its long texts cut. What is not JSON is shown as it is. */
export const shortAnswer = (answer: string): string => {
  try {
    return JSON.stringify(shortened(JSON.parse(answer)))
  } catch {
    return answer
  }
}

export interface Outcome {
  readonly number: number
  readonly step: Step
  readonly args: Readonly<Record<string, unknown>>
  readonly reply: Reply
  /** What is wrong, or `undefined`. */
  readonly wrong: string | undefined
}

/** Ends with an empty line. */
export const stepText = ({ args, number, reply, step, wrong }: Outcome, { paint, width }: Look): string => {
  const expected = `expected ${describeExpected(step.expected)}`
  const said = (label: string, text: string) => block("", label, text, paint.dim, width)
  return [
    ...(step.operator === undefined ? [] : [said(`The operator ${step.operator.does}.`, "")]),
    block(
      `${number}. `.padStart(margin),
      `${describeCaller[step.by]} calls ${step.tool}`,
      `: ${step.shows}`,
      paint.strong,
      width
    ),
    said("asked", `   ${JSON.stringify(args)}`),
    said("answer", `  ${shortAnswer(reply.answer)}`),
    wrong === undefined
      ? block("", "ok", `      ${expected}`, paint.good, width)
      : block("", "FAILED", `  ${expected}; got ${wrong}`, paint.bad, width),
    "",
    ""
  ].join("\n")
}

export const openingText = (top: string, python: string, look: Look): string =>
  [
    look.paint.strong("Memory Bridge demo"),
    ...wrap(
      "The host is simulated: stand-in modules play Hermes, and no Hermes is read, started or changed. The plugin, its " +
        "sidecar, the policies and the notes are real files.",
      look.width
    ),
    ...wrap(`Files: ${top} (removed at the end). Python ${python}, Node ${process.versions.node}.`, look.width),
    "",
    ""
  ].join("\n")

export const summaryText = (passed: number, failed: number, { paint, width }: Look): string =>
  [
    ...wrap(
      failed === 0
        ? "No answer, and no line of the plugin's log, held the path of these files, the outside secret or a denied note."
        : "Something is not as it should be; the steps marked FAILED say what.",
      width
    ),
    (failed === 0 ? paint.good : paint.bad)(`${passed} passed, ${failed} failed`),
    ""
  ].join("\n")
