/** The demo's transcript as text: what was asked by whom, the answer, and whether it is what was expected. */
import type { Look } from "../screen/Results.ts"
import { wrap } from "../screen/Wrap.ts"
import { describeExpected } from "./Check.ts"
import type { Reply } from "./Host.ts"
import { block, margin, opening, shortAnswer } from "./Lines.ts"
import { describeCaller, type Step } from "./Steps.ts"

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
  opening(
    "Memory Bridge demo",
    "The plugin, its sidecar, the policies and the notes are real files.",
    top,
    python,
    look
  )

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
