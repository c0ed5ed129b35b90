/** The recall demo as text: what a turn asked, what it was handed, and whether that is right. */
import type { Look } from "../../screen/Results.ts"
import { wrap } from "../../screen/Wrap.ts"
import { block, margin, opening } from "../Lines.ts"

export interface Shown {
  readonly shows: string
  readonly lines: ReadonlyArray<readonly [label: string, text: string]>
  readonly good: boolean
}

const labelWidth = 10

/** Ends with an empty line. */
export const shownText = (number: number, { good, lines, shows }: Shown, { paint, width }: Look): string =>
  [
    block(`${number}. `.padStart(margin), shows, "", paint.strong, width),
    ...lines.map(([label, text]) =>
      block("", label, `${" ".repeat(labelWidth - label.length)}${text}`, paint.dim, width)
    ),
    good ? block("", "ok", "", paint.good, width) : block("", "FAILED", "", paint.bad, width),
    "",
    ""
  ].join("\n")

export const openingText = (top: string, python: string, look: Look): string =>
  opening(
    "Memory Bridge recall demo",
    "The provider, its sidecar, the Broker and what passes between them are real; the notes are synthetic.",
    top,
    python,
    look
  )

export const summaryText = (failed: number, { paint, width }: Look): string =>
  [
    ...wrap(
      failed === 0
        ? "No turn waited for the Broker, no memory was shown twice, and the impostor received neither credential nor question."
        : "Something is not as it should be; the steps marked FAILED say what.",
      width
    ),
    (failed === 0 ? paint.good : paint.bad)(failed === 0 ? "6 of 6 steps as expected" : `${failed} of 6 steps failed`),
    ""
  ].join("\n")
